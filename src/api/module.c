// Modules as the public header sees them: reading, names, inlining, printing.
#include "api/handles.h"
#include "ir/names.h"
#include "ir/rebuild.h"
#include "stablehlo/check.h"
#include "stablehlo/printer.h"
#include "stablehlo/reader.h"

// ---- Arguments and results ------------------------------------------------------------------------------------------

static const char *element_text(const Module *m, const Type *t) {
    switch ((TypeKind)t->kind) {
    case TYPE_TENSOR:
    case TYPE_UNRANKED:
    case TYPE_SCALAR: return t->elem == EL_QUANT ? m->quants.at[t->quant].text.at : elem_text((Elem)t->elem);
    case TYPE_TOKEN: return "token";
    case TYPE_TUPLE: return "tuple";
    case TYPE_FUNCTION: return "function";
    case TYPE_NONE: return "none";
    case TYPE_OPAQUE: return "opaque";
    }
    return "";
}

static partir_value_info describe(partir_module *p, ValueId v, const char *name) {
    const Module *m = p->ir;
    const Type *t = value_tensor(m, v);
    uint32_t rank = t->kind == TYPE_TENSOR ? t->rank : 0;
    int64_t *shape = arena_new(&p->arena, int64_t, rank);
    for (uint32_t i = 0; i < rank; i++) shape[i] = t->dims[i] == DIM_DYNAMIC ? -1 : t->dims[i];
    return (partir_value_info){.name = name, .type = element_text(m, t), .shape = shape, .rank = rank};
}

void module_describe(partir_module *p) {
    Module *m = p->ir;
    OpId main = module_main(m);
    if (main == NO_ID) return;
    RegionId body = op_region(m, main, 0);
    uint32_t n = m->regions.at[body].n_args;
    OpId end = region_terminator(m, body);
    uint32_t n_results = end == NO_ID ? 0 : op_get(m, end)->n_operands;
    partir_value_info *arguments = arena_new(&p->arena, partir_value_info, n);
    partir_value_info *results = arena_new(&p->arena, partir_value_info, n_results);
    for (uint32_t i = 0; i < n; i++)
        arguments[i] = describe(p, m->regions.at[body].first_arg + i, m->argument_names[i]);
    for (uint32_t i = 0; i < n_results; i++) results[i] = describe(p, op_operand(m, end, i), m->result_names[i]);
    p->arguments = arguments;
    p->results = results;
    p->n_arguments = n;
    p->n_results = n_results;
}

uint32_t partir_module_argument_count(const partir_module *p) { return p->n_arguments; }
uint32_t partir_module_result_count(const partir_module *p) { return p->n_results; }

partir_value_info partir_module_argument(const partir_module *p, uint32_t i) {
    return i < p->n_arguments ? p->arguments[i] : (partir_value_info){.name = "", .type = ""};
}

partir_value_info partir_module_result(const partir_module *p, uint32_t i) {
    return i < p->n_results ? p->results[i] : (partir_value_info){.name = "", .type = ""};
}

// ---- Reading --------------------------------------------------------------------------------------------------------

typedef struct ReadCall {
    Context *ctx;
    const char *path;     // a file, or
    Span text;            // this text,
    const char *name;     // by this name
    partir_module *made;
} ReadCall;

// X.names for X.mlir.
static const char *names_file(Arena *a, const char *path) {
    Span s = span_of(path), extension = SPAN(".mlir");
    if (s.n > extension.n && memcmp(s.at + s.n - extension.n, extension.at, extension.n) == 0) s.n -= extension.n;
    Buffer b;
    buf_init(&b, a);
    buf_span(&b, s);
    buf_str(&b, ".names");
    return buf_cstr(&b);
}

static bool read_names_file(ReadCall *call, Module *m) {
    bool found;
    Source names;
    if (!source_open_if_there(&names, &m->arena, names_file(&m->arena, call->path), &found)) return false;
    if (!found) return true;
    return names_from_text(m, &names);
}

static bool read_body(void *arg) {
    ReadCall *call = arg;
    Arena arena;
    arena_init(&arena, call->ctx);
    partir_module *p = arena_zalloc(&arena, sizeof *p);
    arena_move(&p->arena, &arena);
    Module *m = p->ir = module_new(call->ctx);
    if (call->path) {
        if (!source_open(&m->source, &m->arena, call->path)) return false;
    } else {
        size_t n = strlen(call->name) + 1;
        source_from_memory(&m->source, memcpy(arena_alloc(&m->arena, n), call->name, n), call->text.at,
                           call->text.n);
    }
    if (!read_module(m) || !check_module(m) || !names_from_module(m)) return false;
    if (call->path && strcmp(call->path, "-") != 0 && !read_names_file(call, m)) return false;
    module_describe(p);
    call->made = p;
    return true;
}

static partir_module *read(ReadCall *call) {
    return api_call(call->ctx, read_body, call) ? call->made : NULL;
}

partir_module *partir_module_read_file(partir_context *ctx, const char *path) {
    return read(&(ReadCall){.ctx = ctx, .path = path});
}

partir_module *partir_module_read_text(partir_context *ctx, const char *name, const char *text, size_t size) {
    return read(&(ReadCall){.ctx = ctx, .name = name, .text = {text, size}});
}

void partir_module_destroy(partir_module *p) {
    if (!p) return;
    module_free(p->ir);
    arena_free(&p->arena);
}

// ---- Names and passes -----------------------------------------------------------------------------------------------

typedef struct NamesCall {
    partir_module *p;
    Source text;
} NamesCall;

static bool names_body(void *arg) {
    NamesCall *call = arg;
    if (!names_from_text(call->p->ir, &call->text)) return false;
    module_describe(call->p);
    return true;
}

int partir_module_set_argument_names(partir_module *p, const char *text, size_t size) {
    NamesCall call = {.p = p};
    source_from_memory(&call.text, "<names>", text, size);
    return api_call(p->ir->ctx, names_body, &call);
}

static bool inline_body(void *arg) {
    partir_module *p = arg;
    Module *m = p->ir;
    if (!pass_inline(m) || !check_module(m) || !pass_dead_code(m) || !check_module(m)) return false;
    module_describe(p);
    return true;
}

int partir_module_inline(partir_module *p) { return api_call(p->ir->ctx, inline_body, p); }

uint32_t partir_module_op_counts(const partir_module *p, partir_op_count *out, uint32_t size) {
    const Module *m = p->ir;
    uint64_t counts[OP_COUNT] = {0};
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) counts[op_kind(m, op)]++;
    uint32_t n = 0;
    for (;; n++) { // the largest that is left, first by its count, then by its name
        uint32_t best = OP_COUNT;
        for (uint32_t k = 0; k < OP_COUNT; k++) {
            if (!counts[k] || (best != OP_COUNT && counts[k] < counts[best])) continue;
            if (best == OP_COUNT || counts[k] > counts[best] || strcmp(op_info[k].name, op_info[best].name) < 0)
                best = k;
        }
        if (best == OP_COUNT) return n;
        if (n < size) out[n] = (partir_op_count){op_info[best].name, counts[best]};
        counts[best] = 0;
    }
}

// ---- Printing -------------------------------------------------------------------------------------------------------

typedef struct PrintCall {
    const partir_module *p;
    unsigned flags;
    partir_text *made;
} PrintCall;

static bool print_body(void *arg) {
    PrintCall *call = arg;
    Buffer out;
    partir_text *t = text_new(call->p->ir->ctx, &out);
    print_module(call->p->ir, call->flags, &out);
    text_finish(t, &out);
    call->made = t;
    return true;
}

partir_text *partir_module_print(const partir_module *p, unsigned flags) {
    PrintCall call = {.p = p, .flags = flags};
    return api_call(p->ir->ctx, print_body, &call) ? call.made : NULL;
}
