// Custom calls whose meaning is public: annotations that are identities, math functions, top-k, LAPACK, checks.
#include "interp/custom_call/custom_call.h"
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/movement/index.h"
#include "interp/movement/sort.h"
#include "interp/tensor/float.h"
#include "ir/analysis/callback.h"
#include <stdio.h>

AttrId call_attr(const Module *m, OpId op, const char *name) {
    const Op *o = op_get(m, op);
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (span_is(name_get(m, m->op_attrs.at[o->first_attr + i].name), name))
            return m->op_attrs.at[o->first_attr + i].value;
    return NO_ID;
}

static AttrId dict_find(const Module *m, AttrId dict, const char *name) {
    const Attr *a = dict == NO_ID ? NULL : attr_get(m, dict);
    for (uint32_t i = 0; a && a->kind == ATTR_DICT && i < a->n; i++)
        if (span_is(name_get(m, a->entries[i].name), name)) return a->entries[i].value;
    return NO_ID;
}

int64_t call_option(const Module *m, OpId op, const char *name, int64_t absent) {
    static const char *const places[] = {"mhlo.backend_config", "backend_config", "mhlo.attributes"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        AttrId found = dict_find(m, call_attr(m, op, places[i]), name);
        if (found == NO_ID) continue;
        const Attr *a = attr_get(m, found);
        if (a->kind == ATTR_INT || a->kind == ATTR_BOOL) return a->i;
    }
    return absent;
}

// Annotations: the operands are the results.
static bool is_annotation(Span target) {
    static const char *const names[] = {
        "Sharding",   "SPMDFullToShardShape", "SPMDShardToFullShape",       "annotate_device_placement",
        "MoveToHost", "MoveToDevice",         "LayoutConstraint",           "xla.sdy.FuncResultSharding",
        "partir.tag", "partir.name",          "xla.sdy.ShardingConstraint", "Pin",
        "Unpin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (span_is(target, names[i])) return true;
    return false;
}

// mhlo.erf is what chlo.erf was called, and likewise for the others.
static bool call_math(Exec *e, OpId op, Span target) {
    char name[64];
    snprintf(name, sizeof name, "chlo.%.*s", (int)target.n - 5, target.at + 5);
    OpKind kind = op_from_name(e->m, span_of(name));
    uint32_t n = op_get(e->m, op)->n_operands;
    Tensor *in[2];
    Elem elems[2];
    for (uint32_t i = 0; i < n && n <= 2; i++) {
        in[i] = exec_in(e, op, i);
        elems[i] = (Elem)in[i]->elem;
    }
    Elementwise f;
    if (kind == OP_COUNT || n == 0 || n > 2 || !elementwise_find_kind(kind, n, elems, exec_elem(e, op, 0), &f))
        return exec_error(e, op, NULL, "@%.*s is not supported", (int)target.n, target.at);
    if (n == 2 && !tensor_same_shape(in[0], in[1])) return exec_error(e, op, NULL, "operands differ in shape");
    Tensor *out = exec_out(e, op, 0, in[0]->rank, in[0]->dims);
    elementwise_apply(&f, out->data, (const void *[]){in[0]->data, in[n - 1]->data}, out->n);
    return true;
}

static bool call_top_k(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    const Type *t = result_type(e->m, op, 0);
    int64_t k = x->rank && t->rank == x->rank ? t->dims[t->rank - 1] : -1;
    return sort_top(e, op, x, (int64_t)x->rank - 1, k, call_option(e->m, op, "largest", 1) != 0);
}

// Whether the comparator of an ApproxTopK prefers the greater.
static bool prefers_greater(const Module *m, OpId op) {
    AttrId calls = call_attr(m, op, "called_computations");
    const Attr *a = calls == NO_ID ? NULL : attr_get(m, calls);
    if (!a || a->kind != ATTR_ARRAY || a->n == 0) return true;
    OpId function = module_find_function(m, attr_get(m, a->items[0])->text);
    if (function == NO_ID) return true;
    RegionId body = op_region(m, function, 0);
    for (OpId inner = m->regions.at[body].first; inner != NO_ID; inner = op_get(m, inner)->next)
        if (op_kind(m, inner) == OP_compare) return span_is(op_attr_text(m, inner, A_comparison_direction), "GT");
    return true;
}

// The exact answer is always good enough. The second operand holds what to report of the chosen places.
static bool call_approx_top_k(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *payload = exec_in(e, op, 1);
    int64_t d = call_option(e->m, op, "reduction_dim", (int64_t)x->rank - 1), k = call_option(e->m, op, "top_k", -1),
            inner = 1;
    if (!tensor_same_shape(x, payload)) return exec_error(e, op, NULL, "operands differ in shape");
    if (!sort_top(e, op, x, d, k, prefers_greater(e->m, op))) return false;
    Tensor *places = tensor_retain(exec_get(e, e->device, op_result(e->m, op, 1)));
    Tensor *out = exec_out(e, op, 1, places->rank, places->dims);
    size_t size = elem_bytes((Elem)out->elem);
    if (out->elem != payload->elem) return exec_error(e, op, NULL, "the indices differ in type");
    for (uint32_t i = (uint32_t)d + 1; i < x->rank; i++) inner *= x->dims[i];
    for (int64_t i = 0; i < out->n; i++) {
        int64_t from = i / inner / k * x->dims[d] * inner + index_value(places, i) * inner + i % inner;
        memcpy(out->data + (size_t)i * size, payload->data + (size_t)from * size, size);
    }
    tensor_release(&e->heap, places);
    return true;
}

static bool call_shape_assertion(Exec *e, OpId op) {
    if (op_get(e->m, op)->n_operands == 0 || index_value(exec_in(e, op, 0), 0)) return true;
    AttrId message = call_attr(e->m, op, "error_message");
    Span text = message == NO_ID ? SPAN("a shape is not as it must be") : attr_get(e->m, message)->text;
    return exec_error(e, op, NULL, "%.*s", (int)text.n, text.at);
}

static bool starts_with(Span s, const char *prefix) {
    return s.n > strlen(prefix) && memcmp(s.at, prefix, strlen(prefix)) == 0;
}

// Python code cannot be run here. What nobody reads a result of is left out; a token goes through.
static bool call_back(Exec *e, OpId op) {
    const Op *o = op_get(e->m, op);
    for (uint32_t i = 0; i < o->n_results; i++) {
        if (result_type(e->m, op, i)->kind != TYPE_TOKEN)
            return exec_error(e, op, "partir.jit runs it with JAX", "the program needs what a callback to Python returns");
        exec_set(e, op, i, exec_token(e));
    }
    if (!e->left_out)
        diag_warning(e->ctx, &e->m->source, op_get(e->m, op)->source, "partir.jit runs it with JAX",
                     "callbacks to Python are left out");
    e->left_out = true;
    return true;
}

bool kernel_custom_call(Exec *e, OpId op) {
    const Op *o = op_get(e->m, op);
    Span target = op_attr_text(e->m, op, A_call_target_name);
    if (is_annotation(target)) {
        if (o->n_operands < o->n_results)
            return exec_error(e, op, NULL, "an annotation has as many results as operands");
        for (uint32_t i = 0; i < o->n_results; i++) exec_set(e, op, i, tensor_retain(exec_in(e, op, i)));
        return true;
    }
    if (starts_with(target, "check.")) return call_check(e, op, target);
    if (starts_with(target, "lapack_")) return call_lapack(e, op, target);
    if ((span_is(target, "TopK") || span_is(target, "mhlo.topk")) && o->n_operands == 1 && o->n_results == 2)
        return call_top_k(e, op);
    if (span_is(target, "ApproxTopK") && o->n_operands >= 2 && o->n_results == 2) return call_approx_top_k(e, op);
    if (span_is(target, "shape_assertion")) return call_shape_assertion(e, op);
    if (starts_with(target, "mhlo.") && o->n_results == 1) return call_math(e, op, target);
    if (op_is_callback(e->m, op)) return call_back(e, op);
    return exec_error(e, op, "only custom calls whose meaning is public can be run", "@%.*s is not supported",
                      (int)target.n, target.at);
}
