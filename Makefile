# PartIR in C. `make help` lists the targets.
#
# Every src/*/*.c and src/*/*/*.c but the command's (src/tool) goes into the library, so a new file needs no line here.
#   make CC=clang          another compiler
#   make WERROR=1          warnings are errors (as in CI)
#   make V=1               the whole commands, not a line a file
#   make SAN=1 …           the same targets with ASan + UBSan, in build/san
#   make PYTHON=… test     another Python, 3.11 to 3.13; each version has its own environment under .venv
#   make BUILD=dir …       another build folder

SAN     ?= 0
BUILD   ?= $(if $(filter 1,$(SAN)),build/san,build)
PREFIX  ?= /usr/local
DESTDIR ?=
SHARED  ?= ../shared
PYTHON  ?= python3
# The interpreter itself. pyenv has a python3.13 that runs only where its version is chosen: it is asked which that is.
INTERPRETER := $(shell command='import sys; print(sys.executable)'; $(PYTHON) -c "$$command" 2>/dev/null || \
                 PYENV_VERSION=$$(pyenv whence $(PYTHON) 2>/dev/null | tail -1) $(PYTHON) -c "$$command" 2>/dev/null)
VENV    ?= .venv/$(shell $(INTERPRETER) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

# Only the outermost make chooses the number of jobs: inner ones share its job server.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif

WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(if $(filter 1,$(WERROR)),-Werror)
OPT      = $(if $(filter 1,$(SAN)),-O1 -fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer,-O2)
# What results depend on stands once, in src/flags, which CMakeLists.txt reads too.
flags    = $(shell sed -n 's/^$(1): *//p' src/flags)
FLAGS   := $(call flags,all)
INTERP  := $(call flags,interp)
CFLAGS   = -std=c17 $(OPT) -g $(WARN) $(FLAGS) $(PIC) -fvisibility=hidden
PIC      = -fPIC
CPPFLAGS = -Iinclude -Isrc -MMD -MP
LDLIBS   = -lm
comma    = ,

# The version stands once, in the public header.
version_part = $(shell sed -n 's/^\#define PARTIR_VERSION_$(1) *\([0-9]*\).*/\1/p' include/partir.h 2>/dev/null)
VERSION := $(call version_part,MAJOR).$(call version_part,MINOR).$(call version_part,PATCH)
SONAME   = libpartir.so.$(call version_part,MAJOR)

LIB_SRC  = $(filter-out src/tool/%,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
TOOL_SRC = $(sort $(wildcard src/tool/*.c))
UNIT_SRC = $(sort $(wildcard tests/unit/*_test.c))
LIB_OBJ  = $(LIB_SRC:%.c=$(BUILD)/%.o)
TOOL_OBJ = $(TOOL_SRC:%.c=$(BUILD)/%.o)
UNIT     = $(UNIT_SRC:%.c=$(BUILD)/%)
LIB      = $(BUILD)/libpartir.a
SO       = $(BUILD)/libpartir.so
TOOL     = $(if $(TOOL_SRC),$(BUILD)/partir)
RUNNER   = build/tests/run

all: $(LIB) $(SO) $(TOOL) ## build the library and the command (the default)

# Only a plain -O2 build takes the interpreter's own level: sanitizers and fuzzing choose theirs.
$(BUILD)/src/interp/%.o: CFLAGS += $(filter-out $(if $(filter -O2,$(OPT)),,-O%),$(INTERP))

# Each command is said in a line, `cc src/core/rule/rule.c`; V=1 shows it whole, and -s says nothing.
V     ?= 0
silent = $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say    = $(if $(filter 1,$(V)),,@$(if $(silent),,printf '%-4s %s\n' $(1);))

$(BUILD)/%.o: %.c Makefile src/flags
	@mkdir -p $(@D)
	$(call say,cc $<)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(LIB): $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,ar $@)$(AR) rcs $@ $(LIB_OBJ)

$(SO): $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,ld $@)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -o $@ $(LIB_OBJ) $(LDLIBS)

$(BUILD)/partir: $(TOOL_OBJ) $(LIB)
	$(call say,ld $@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOOL_OBJ) $(LIB) $(LDLIBS)

$(BUILD)/tests/unit/%_test: $(BUILD)/tests/unit/%_test.o $(LIB)
	$(call say,ld $@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB)
	$(call say,ld $@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS)

$(RUNNER): tests/run.c Makefile
	@mkdir -p $(@D)
	$(call say,cc $<)$(CC) -std=c17 -O2 -g $(WARN) -o $@ $<

# ---- Tests ----------------------------------------------------------------------------------------------------------

unit: all $(UNIT) $(RUNNER) # what a run of the tests needs, in one $(BUILD)

# The unit tests and the cases of one build folder, as arguments of the runner.
tests = $(UNIT_SRC:%.c=$(1)/%) $(if $(TOOL),$(addprefix --partir $(1)/partir ,$(wildcard tests/cases)))

check: unit lint ## the inner loop: the C tests, optimized and under sanitizers
	@$(MAKE) --no-print-directory SAN=1 unit
	@$(RUNNER) $(call tests,build) $(filter-out %/partition_property_test,$(call tests,build/san))

lint: # the other compiler's warnings, where it is there
	@! command -v clang > /dev/null || \
	 clang -fsyntax-only -std=c17 -Iinclude -Isrc $(WARN) -Werror $(LIB_SRC) $(TOOL_SRC) $(UNIT_SRC) tests/run.c

debug: ## build everything with ASan + UBSan in build/san
	@$(MAKE) --no-print-directory SAN=1 unit

# One closing line for each half stands at the end. Output goes through tee, so a failure must not end in the pipe.
test: SHELL = /bin/bash
test: .SHELLFLAGS = -o pipefail -ec
test: $(VENV)/.ready ## every test: C also under sanitizers, installation, cross compilation, fuzzing, Python
	@$(MAKE) --no-print-directory WERROR=1 unit lint build/docs/ops_reference build/count/growth
	@$(MAKE) --no-print-directory WERROR=1 SAN=1 unit
	@cmp docs/ops.md <(build/docs/ops_reference) || { echo "docs/ops.md is out of date: make docs"; exit 1; }
	@$(RUNNER) $(call tests,build) $(call tests,build/san) build/count/growth tests/install_test.sh | tee build/test_c.log
	@$(MAKE) --no-print-directory single
	@$(MAKE) --no-print-directory -s cross
	@$(MAKE) --no-print-directory -s fuzz
	@$(VENV)/bin/python -m pytest -q tests/python | tee build/test_python.log
	@echo "C: $$(tail -1 build/test_c.log). Python: $$(tail -1 build/test_python.log)."

# What a new JAX can break: the front end, and what JAX prints.
newest: all interpreter ## the front end's tests with the newest JAX that pip gives this Python, in an environment of its own
	$(INTERPRETER) -m venv $(VENV)-newest
	$(VENV)-newest/bin/python -m pip install -q --upgrade jax flax optax orbax-checkpoint plotly pytest
	$(VENV)-newest/bin/python -c 'import jax; print("JAX", jax.__version__)'
	$(VENV)-newest/bin/python -m pytest -q $(addprefix tests/python/test_,$(addsuffix .py,$(FRONT_END)))

FRONT_END = xla_routes front_end jit jax_functions user_models logical_axes annotations shard_map kernels callbacks messages print processes documents

.PHONY: interpreter
interpreter:
	@[ -n "$(INTERPRETER)" ] || { echo "there is no $(PYTHON) to run: make test PYTHON=python3.12" >&2; exit 1; }

$(VENV)/.ready: requirements-test.txt | interpreter
	@$(INTERPRETER) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	  { echo "the tests need Python 3.11 to 3.13: make test PYTHON=python3.12" >&2; exit 1; }
	$(INTERPRETER) -m venv $(VENV)
	$(VENV)/bin/python -m pip install -q -r requirements-test.txt
	@touch $@

# ---- Everything else ------------------------------------------------------------------------------------------------

# Fuzzing starts from the programs of all cases, from what broke the reader before (tests/fuzz/corpus), and from examples with
# their schedules behind a line "----".
FUZZ_SECONDS ?= 20
FUZZ_TARGETS  = $(sort $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_OPT      = -O1 -fsanitize=fuzzer-no-link$(comma)address$(comma)undefined -fno-sanitize-recover=all
FUZZER        = $(shell echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
                  clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null && echo libFuzzer)

.PHONY: seeds depth growth soak coverage limits
seeds: $(RUNNER) $(TOOL)
	@rm -rf build/fuzz/seeds && mkdir -p build/fuzz/seeds
	@n=0; for s in examples/*.schedule; do n=$$((n + 1)); { printf '\000'; cat $$s; } > build/fuzz/seeds/schedule$$n; done
	@printf '\001batch=4, model=2' > build/fuzz/seeds/mesh
	@{ printf '\002'; $(BUILD)/partir devices tpu_v5e; } > build/fuzz/seeds/device
	@printf '\003%s\t%s\n' 0 'params["w"][0].x' 1 x > build/fuzz/seeds/names
	@printf 'func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %%x : tensor<2xf32>\n}\n' > build/fuzz/x.mlir
	@$(BUILD)/partir run build/fuzz/x.mlir --random 1 --out build/fuzz/x.npz
	@$(BUILD)/partir run build/fuzz/x.mlir --random 1 --out build/fuzz/x
	@{ printf '\004'; cat build/fuzz/x/out.0.npy; } > build/fuzz/seeds/npy
	@{ printf '\005'; cat build/fuzz/x.npz; } > build/fuzz/seeds/npz
	@$(RUNNER) --extract build/fuzz/seeds $(wildcard tests/cases)
	@cp tests/fuzz/corpus/* build/fuzz/seeds/
	@for e in two_matmul gpt2layer_train; do \
	    { cat examples/$$e.mlir; echo ----; cat examples/$$e.schedule; } > build/fuzz/seeds/$$e; done

# Programs with a schedule, files of all other kinds, and programs whose structure is changed: tests/fuzz says what each target does.
fuzz: seeds ## every fuzz target for FUZZ_SECONDS (where clang has no libFuzzer: replay the seeds)
ifneq ($(FUZZER),)
	@$(MAKE) --no-print-directory -s BUILD=build/fuzz CC=clang OPT='$(FUZZ_OPT)' FUZZ_MAIN=-fsanitize=fuzzer \
	         $(FUZZ_TARGETS:%=build/fuzz/tests/fuzz/%)
	@for t in $(FUZZ_TARGETS); do \
	    mkdir -p build/fuzz/found/$$t; \
	    build/fuzz/tests/fuzz/$$t -max_total_time=$(FUZZ_SECONDS) -timeout=10 -max_len=20000 -verbosity=0 \
	        -dict=tests/fuzz/stablehlo.dict -artifact_prefix=build/fuzz/ -print_final_stats=1 \
	        build/fuzz/found/$$t build/fuzz/seeds tests/samples || exit 1; done
else
	@$(MAKE) --no-print-directory -s SAN=1 $(FUZZ_TARGETS:%=build/san/tests/fuzz/%)
	@for t in $(FUZZ_TARGETS); do build/san/tests/fuzz/$$t build/fuzz/seeds/* tests/samples/* || exit 1; done
endif

depth: ## chains, fans and nests of every op on a small stack, in a build without optimization
	@$(MAKE) --no-print-directory -s BUILD=build/depth OPT=-O0 build/depth/partir
	@tests/depth.sh build/depth/partir

growth: all $(VENV)/.ready ## whether time grows in proportion to programs: chains, fans and other forms of every op
	@$(VENV)/bin/python tests/growth.py $(BUILD)/partir

SECONDS = 3600
SEED   ?= $(shell date +%s)

soak: seeds ## all fuzz targets under sanitizers for SECONDS in all (an hour), and what they tried
	@$(MAKE) --no-print-directory -s SAN=1 $(FUZZ_TARGETS:%=build/san/tests/fuzz/%)
	@tests/soak.sh $(SECONDS) build/san $(SEED) build/fuzz/seeds/* tests/samples/*

FUZZ_MAIN = $(BUILD)/tests/fuzz/replay.o
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(filter %.o,$(FUZZ_MAIN)) $(LIB)
	$(call say,ld $@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(FUZZ_MAIN) $(LIB) $(LDLIBS)

# Lines of src/ that the C tests run, by gcov; functions that none of them enters are listed.
coverage: $(RUNNER) ## which lines of src/ the C tests run
	@$(MAKE) --no-print-directory -s BUILD=build/cov CC=gcc OPT='-O1 --coverage' unit
	@find build/cov -name '*.gcda' -delete
	@$(RUNNER) $(call tests,build/cov) > build/cov/tests.log || tail -5 build/cov/tests.log
	@tests/coverage.sh build/cov

# As SQLite's users expect. The tests that need the public header alone run with it. -Wshadow is for a file of its own: here a
# local variable may have the name of another file's table.
SINGLE      = build/single
SINGLE_TEST = $(addsuffix _test,api caller bad_input alloc)

single: $(RUNNER) ## the whole library as one file: build/single/partir.c and partir.h, compiled alone and tested
	@src/single.sh $(SINGLE)
	$(call say,cc $(SINGLE)/partir.c)$(CC) -std=c17 -O1 $(filter-out -Wshadow,$(WARN)) -Werror $(FLAGS) $(filter-out -O%,$(INTERP)) \
	      -c -o $(SINGLE)/partir.o $(SINGLE)/partir.c
	@! command -v clang > /dev/null || \
	 clang -fsyntax-only -std=c17 $(filter-out -Wshadow,$(WARN)) -Werror $(SINGLE)/partir.c
	@for t in $(SINGLE_TEST); do \
	    $(CC) -std=c17 -g -I$(SINGLE) -o $(SINGLE)/$$t tests/unit/$$t.c $(SINGLE)/partir.o $(LDLIBS) || exit 1; done
	@$(RUNNER) $(addprefix $(SINGLE)/,$(SINGLE_TEST))

# The library as one file, compiled so that it counts the work it does: tests/growth.c says how.
COUNT = -fsanitize-coverage=trace-pc $(foreach f,memset memcpy memmove,-D$(f)=work_$(f))

build/count/growth: tests/growth.c tests/unit/test.h src/single.sh $(LIB_SRC) $(wildcard include/*.h src/*/*.h src/*/*/*.h src/*/*.def)
	@mkdir -p $(@D)
	@src/single.sh $(@D)
	$(call say,cc $(@D)/partir.c)$(CC) -std=c17 -O0 $(FLAGS) $(COUNT) -c -o $(@D)/partir.o $(@D)/partir.c
	$(call say,ld $@)$(CC) -std=c17 -g $(WARN) -I$(@D) -Itests -o $@ tests/growth.c $(@D)/partir.o $(LDLIBS)

install: all ## install header, libraries, partir.pc and the command under PREFIX (and DESTDIR)
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/bin
	install -m 644 include/partir.h $(DESTDIR)$(PREFIX)/include/partir.h
	install -m 644 $(LIB) $(DESTDIR)$(PREFIX)/lib/libpartir.a
	install -m 755 $(SO) $(DESTDIR)$(PREFIX)/lib/libpartir.so.$(VERSION)
	ln -sf libpartir.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/lib/libpartir.so
	install -m 755 $(BUILD)/partir $(DESTDIR)$(PREFIX)/bin/partir
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' partir.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/partir.pc

# Each target compiles to objects alone: enough to show that platform code sits where it should.
CROSS = x86_64-macos aarch64-macos x86_64-windows-gnu aarch64-linux-gnu wasm32-wasi
zig   = $(CURDIR)/$(VENV)/bin/python -m ziglang cc -target $(1) $(if $(findstring wasm,$(1)),-mexception-handling -mllvm -wasm-enable-sjlj)

cross: $(CROSS:%=cross-%) dll ## compile the library for macOS, Windows, arm64 and wasm32

# A library of Windows exports what is marked, so that one is linked: each function of the header must be among its names.
dll: $(VENV)/.ready
	@src/single.sh $(SINGLE)
	@mkdir -p build/cross
	@$(call zig,x86_64-windows-gnu) -std=c17 -O0 -g0 -w -DPARTIR_BUILD_DLL $(FLAGS) -shared -o build/cross/partir.dll $(SINGLE)/partir.c
	@for f in $$(sed -n 's/^PARTIR_API.*[ *]\(partir_[a-z_]*\)(.*/\1/p' include/partir.h); do \
	    grep -qaF "$$f" build/cross/partir.dll || { echo "partir.dll does not export $$f"; exit 1; }; done
	@echo "linked for x86_64-windows-gnu"

cross-%: $(VENV)/.ready
	@$(MAKE) --no-print-directory -s BUILD=build/cross/$* CC='$(call zig,$*)' OPT=-O0 WARN=-w \
	         PIC=$(if $(findstring windows,$*),,-fPIC) objects
	@echo "compiled for $*"

objects: $(LIB_OBJ)

demo: all ## partition a bundled GPT training step under BP, MP and Z3, with a report after each, and verify it
	$(BUILD)/partir check examples/gpt2layer_train.mlir | head -4
	$(BUILD)/partir partition examples/gpt2layer_train.mlir examples/gpt2layer_train.schedule --verify \
	  --json $(BUILD)/demo.json -o $(BUILD)/demo.mlir
	@echo "the device-local program is in $(BUILD)/demo.mlir, the report in $(BUILD)/demo.json"

conformance: all $(VENV)/.ready limits ## the tests that need the programs in SHARED (../shared)
	$(VENV)/bin/python tests/conformance_print.py --shared $(SHARED) --partir $(BUILD)/partir --jobs $(JOBS)
	$(VENV)/bin/python -m pytest -q --shared $(SHARED) -m shared tests/python

limits: all ## five programs of SHARED, each under twenty limits of address space: no signal ends any
	@mkdir -p $(BUILD)/limits
	@for f in $$(ls -S $(SHARED)/corpus/*.mlir.xz | awk 'NR % 6 == 4' | head -5); do \
	    xz -dc $$f > $(BUILD)/limits/$$(basename $$f .xz); done
	tests/memory_limits.sh $(BUILD)/partir $(BUILD)/limits/*.mlir

eval: all $(BUILD)/bench/partition_bench $(VENV)/.ready ## the evaluation: fill in what is not kept, write docs/evaluation.md (QUICK=1: a few small cells; FRESH=1: all again)
	$(if $(FRESH),FRESH=1) $(VENV)/bin/python -m bench.evaluation $(if $(QUICK),--quick)

docs: all $(VENV)/.ready build/docs/ops_reference ## write what is generated in docs/: ops.md, python.md, report.svg
	build/docs/ops_reference > docs/ops.md
	$(VENV)/bin/python docs/python_reference.py
	$(VENV)/bin/python -m bench.models export t32 -o build/docs/t32.mlir
	$(BUILD)/partir simulate build/docs/t32.mlir docs/report.schedule \
	  --device tpu_v5p --json build/docs/t32.json > /dev/null
	$(VENV)/bin/python docs/report_picture.py build/docs/t32.json > docs/report.svg

build/docs/ops_reference: docs/ops_reference.c $(wildcard src/ir/*.def) Makefile
	@mkdir -p $(@D)
	$(call say,cc $<)$(CC) -std=c17 -g $(WARN) -Isrc -o $@ $<

format: ## lay the C sources out as .clang-format says
	clang-format -i $(wildcard include/*.h src/*/*.[ch] src/*/*/*.[ch] tests/*.c tests/*/*.[ch] examples/*.c)

clean: ## remove the build folder
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

.PHONY: all unit check lint debug test newest single demo eval docs conformance fuzz install cross dll objects format clean help
.SECONDARY:

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(UNIT:%=%.d) $(wildcard $(BUILD)/bench/*.d)
