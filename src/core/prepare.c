// Prepare: runs the passes, then checks their result.
#include "core/prepare.h"
#include "ir/pass/rebuild.h"
#include "stablehlo/check.h"

// custom_call @partir.tag(%x) {backend_config = "name"} is partir.tag: a name for a value, nothing else.
static void read_tags(Module *m) {
    for (OpId op = 0; op < m->ops.n; op++) {
        if (op_kind(m, op) != OP_custom_call || !span_is(op_attr_text(m, op, A_call_target_name), "partir.tag"))
            continue;
        Op *o = op_get(m, op);
        if (o->n_operands != 1 || o->n_results != 1) continue;
        Span name = op_attr_text(m, op, A_backend_config);
        if (name.n == 0) name = SPAN("tag");
        AttrId attr = attr_string(m, name);
        o = op_get(m, op);
        o->kind = OP_partir_tag;
        o->n_attrs = 0;
        op_set_attr(m, op, A_name, attr);
    }
}

static bool check_type(const Module *m, OpId op, TypeId t) {
    const Type *type = type_get(m, t);
    if (type->kind != TYPE_TENSOR) return true; // tokens and tuples: the op's rule refuses
    if (!type_is_static(type))
        return diag_error(m->ctx, &m->source, op_get(m, op)->source, "export the program with concrete shapes",
                          "%s has a dynamic shape; only static shapes can be partitioned",
                          op_info[op_kind(m, op)].name);
    return true;
}

static bool check_types(const Module *m) {
    for (OpId op = 0; op < m->ops.n; op++) {
        const Op *o = op_get(m, op);
        for (uint32_t i = 0; i < o->n_results; i++)
            if (!check_type(m, op, value_type(m, o->first_result + i))) return false;
    }
    const Region *body = &m->regions.at[op_region(m, module_main(m), 0)];
    for (uint32_t i = 0; i < body->n_args; i++)
        if (!check_type(m, module_main(m), value_type(m, body->first_arg + i))) return false;
    return true;
}

bool prepare_module(Module *m) {
    if (module_main(m) == NO_ID)
        return diag_error(m->ctx, &m->source, NO_OFFSET, "partitioning starts at func.func @main",
                          "the module has no @main");
    if (!pass_inline(m)) return false;
    read_tags(m);
    pass_fold(m);
    pass_fold_slices(m);
    if (!pass_decompose(m) || !pass_dead_code(m) || !check_module(m)) return false;
    return check_types(m);
}
