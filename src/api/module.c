// Modules as the public header sees them: reading, names, inlining, printing.
#include "api/handles.h"
#include "core/rule/rule.h"
#include "ir/analysis/callback.h"
#include "ir/names.h"
#include "ir/pass/rebuild.h"
#include "stablehlo/check.h"
#include "stablehlo/print/printer.h"
#include "stablehlo/read/reader.h"

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

partir_value_info value_describe(const Module *m, TypeId type, const char *name, Arena *a) {
    const Type *t = type_get(m, type);
    uint32_t rank = t->kind == TYPE_TENSOR ? t->rank : 0;
    int64_t *shape = arena_new(a, int64_t, rank);
    for (uint32_t i = 0; i < rank; i++) shape[i] = t->dims[i] == DIM_DYNAMIC ? -1 : t->dims[i];
    return (partir_value_info){.size = sizeof(partir_value_info),
                               .name = name,
                               .type = element_text(m, t),
                               .shape = shape,
                               .rank = rank,
                               .index = PARTIR_NONE,
                               .count = 1};
}

// By count, the largest first, then by name.
static void count_kinds(partir_module *p) {
    const Module *m = p->ir;
    uint64_t counts[OP_COUNT] = {0};
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) counts[op_kind(m, op)]++;
    p->n_kinds = 0;
    for (uint32_t k = 0; k < OP_COUNT; k++) {
        if (!counts[k]) continue;
        partir_op_count kind = {sizeof(partir_op_count), op_info[k].name, counts[k]};
        uint32_t at = p->n_kinds++;
        for (; at > 0; at--) {
            const partir_op_count *before = &p->kinds[at - 1];
            if (before->count > kind.count || (before->count == kind.count && strcmp(before->name, kind.name) < 0)) break;
            p->kinds[at] = *before;
        }
        p->kinds[at] = kind;
    }
}

void module_describe(partir_module *p) {
    Module *m = p->ir;
    OpId main = module_main(m);
    count_kinds(p);
    if (main == NO_ID) return;
    RegionId body = op_region(m, main, 0);
    uint32_t n = m->regions.at[body].n_args;
    OpId end = region_terminator(m, body);
    uint32_t n_results = end == NO_ID ? 0 : op_get(m, end)->n_operands;
    partir_value_info *arguments = arena_new(&p->arena, partir_value_info, n);
    partir_value_info *results = arena_new(&p->arena, partir_value_info, n_results);
    for (uint32_t i = 0; i < n; i++) {
        TypeId type = value_type(m, m->regions.at[body].first_arg + i);
        arguments[i] = value_describe(m, type, m->argument_names[i], &p->arena);
        arguments[i].index = i;
    }
    for (uint32_t i = 0; i < n_results; i++) {
        results[i] = value_describe(m, value_type(m, op_operand(m, end, i)), m->result_names[i], &p->arena);
        results[i].kind = PARTIR_VALUE_RESULT;
        results[i].index = i;
    }
    p->arguments = arguments;
    p->results = results;
    p->n_arguments = n;
    p->n_results = n_results;
}

uint32_t partir_module_argument_count(const partir_module *p) { return p ? p->n_arguments : 0; }
uint32_t partir_module_result_count(const partir_module *p) { return p ? p->n_results : 0; }

partir_status partir_module_argument(const partir_module *p, uint32_t i, partir_value_info *out) {
    if (!p) return PARTIR_MISUSE;
    if (i >= p->n_arguments) return api_not_found(p->ir->ctx, "argument", i, p->n_arguments);
    return api_give(p->ir->ctx, out, &p->arguments[i], sizeof *out);
}

partir_status partir_module_result(const partir_module *p, uint32_t i, partir_value_info *out) {
    if (!p) return PARTIR_MISUSE;
    if (i >= p->n_results) return api_not_found(p->ir->ctx, "result", i, p->n_results);
    return api_give(p->ir->ctx, out, &p->results[i], sizeof *out);
}

uint32_t partir_module_op_kinds(const partir_module *p) { return p ? p->n_kinds : 0; }

partir_status partir_module_op_count(const partir_module *p, uint32_t i, partir_op_count *out) {
    if (!p) return PARTIR_MISUSE;
    if (i >= p->n_kinds) return api_not_found(p->ir->ctx, "kind of op", i, p->n_kinds);
    return api_give(p->ir->ctx, out, &p->kinds[i], sizeof *out);
}

// ---- Reading --------------------------------------------------------------------------------------------------------

typedef struct ModuleReadCall {
    Context *ctx;
    const char *path;     // a file, or
    Span text;            // this text,
    const char *name;     // by this name
    partir_module *made;
} ModuleReadCall;

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

static bool read_names_file(ModuleReadCall *call, Module *m) {
    bool found;
    Source names;
    if (!source_open_if_there(&names, &m->arena, names_file(&m->arena, call->path), &found)) return false;
    if (!found) return true;
    return names_from_text(m, &names);
}

static bool module_read_body(void *arg) {
    ModuleReadCall *call = arg;
    Arena arena;
    arena_init(&arena, call->ctx);
    partir_module *p = arena_zalloc(&arena, sizeof *p);
    arena_move(&p->arena, &arena);
    Module *m = p->ir = module_new(call->ctx);
    if (call->path) {
        if (!source_open(&m->source, &m->arena, call->path)) return false;
    } else {
        source_from_memory(&m->source, api_string(&m->arena, span_of(call->name)), call->text.at, call->text.n);
    }
    if (!read_module(m) || !check_module(m)) return false;
    if (has_tokens(m)) {
        p->written = module_new(call->ctx);
        source_from_memory(&p->written->source, m->source.name, m->source.text, m->source.n);
        if (!read_module(p->written)) return false;
        pass_drop_tokens(m);
    }
    if (!names_from_module(m)) return false;
    if (call->path && strcmp(call->path, "-") != 0 && !read_names_file(call, m)) return false;
    module_describe(p);
    call->made = p;
    return true;
}

static partir_status read_module_from(ModuleReadCall *call, partir_module **out) {
    partir_status status = api_call(call->ctx, module_read_body, call);
    *out = status == PARTIR_OK ? call->made : NULL;
    return status;
}

partir_status partir_module_read_file(partir_context *ctx, const char *path, partir_module **out) {
    if (!ctx || !path || !out) return api_misuse(ctx, "a module is read from a path into a pointer; one of them is NULL");
    return read_module_from(&(ModuleReadCall){.ctx = ctx, .path = path}, out);
}

partir_status partir_module_read_text(partir_context *ctx, const char *name, const char *text, size_t size,
                                      partir_module **out) {
    if (!ctx || !name || !out || (!text && size))
        return api_misuse(ctx, "a module is read from a named text into a pointer; one of them is NULL");
    return read_module_from(&(ModuleReadCall){.ctx = ctx, .name = name, .text = {text, size}}, out);
}

void partir_module_destroy(partir_module *p) {
    if (!p) return;
    if (p->written) module_free(p->written);
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

partir_status partir_module_set_argument_names(partir_module *p, const char *text, size_t size) {
    NamesCall call = {.p = p};
    if (!p || (!text && size)) return api_misuse(p ? p->ir->ctx : NULL, "no names were given");
    source_from_memory(&call.text, "<names>", text, size);
    return api_call(p->ir->ctx, names_body, &call);
}

static bool inline_body(void *arg) {
    partir_module *p = arg;
    Module *m = p->ir;
    if (p->written) module_free(p->written);
    p->written = NULL;
    if (!pass_inline(m) || !check_module(m) || !pass_dead_code(m) || !check_module(m)) return false;
    module_describe(p);
    return true;
}

partir_status partir_module_inline(partir_module *p) {
    return p ? api_call(p->ir->ctx, inline_body, p) : PARTIR_MISUSE;
}

// ---- Printing -------------------------------------------------------------------------------------------------------

typedef struct ModulePrintCall {
    const partir_module *p;
    unsigned flags;
    enum { MODULE_TEXT, MODULE_RULES, MODULE_TIES } what;
    bool json;
    partir_text *made;
} ModulePrintCall;

static bool module_print_body(void *arg) {
    ModulePrintCall *call = arg;
    Buffer out;
    call->made = text_new(call->p->ir->ctx, &out);
    if (call->what == MODULE_RULES)
        rules_print(call->p->ir, &call->made->arena, call->json, &out);
    else if (call->what == MODULE_TIES)
        ties_suggest(call->p->ir, &out);
    else
        print_module(call->p->written ? call->p->written : call->p->ir, call->flags, &out);
    if (call->what == MODULE_RULES && !call->json) text_make_printable(out.at, out.n, true);
    text_finish(call->made, &out);
    return true;
}

static partir_status module_text(ModulePrintCall *call, partir_text **out) {
    if (!call->p || !out) return api_misuse(call->p ? call->p->ir->ctx : NULL, "the pointer for the text is NULL");
    partir_status status = api_call(call->p->ir->ctx, module_print_body, call);
    *out = status == PARTIR_OK ? call->made : NULL;
    return status;
}

partir_status partir_module_print(const partir_module *p, unsigned flags, partir_text **out) {
    return module_text(&(ModulePrintCall){.p = p, .flags = flags}, out);
}

partir_status partir_module_rules(const partir_module *p, int json, partir_text **out) {
    return module_text(&(ModulePrintCall){.p = p, .what = MODULE_RULES, .json = json != 0}, out);
}

partir_status partir_module_ties(const partir_module *p, partir_text **out) {
    return module_text(&(ModulePrintCall){.p = p, .what = MODULE_TIES}, out);
}
