// Does an op fit its pretty form? The form leaves out what follows from the rest, such as types that are all the same;
// an op where it would not follow is written in quotes instead, so that nothing is lost.
//
//     %0 = stablehlo.tuple %a, %b : tuple<tensor<f32>, tensor<i1>>        only if these are the types of %a and %b
#include "stablehlo/print/print_state.h"

enum { MAX_WINDOW_RANK = 64 }; // of a convolution in its pretty form

static bool count_fits(uint8_t expected, uint32_t n) { return expected == OP_VARIADIC || expected == n; }

const OpAttrInfo *row_attr(const OpInfo *info, NameId name) {
    for (uint32_t i = 0; i < info->n_attrs; i++)
        if (info->attrs[i].name == name) return &info->attrs[i];
    return NULL;
}

static bool kind_fits(uint8_t expected, const Attr *a) {
    if (expected == ATTR_ANY) return true;
    if (expected == ATTR_ELEMENTS) return a->kind == ATTR_DENSE || a->kind == ATTR_RESOURCE;
    return expected == a->kind;
}

static bool regions_take(const Module *m, OpId op, uint32_t n_args) {
    for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++)
        if (m->regions.at[op_region(m, op, i)].n_args != n_args) return false;
    return true;
}

// Results, and the arguments of all regions, have the types of the operands.
static bool carries_operands(const Module *m, OpId id) {
    const Op *op = op_get(m, id);
    if (op->n_results != op->n_operands || !regions_take(m, id, op->n_operands)) return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        TypeId t = value_type(m, op_operand(m, id, i));
        if (value_type(m, op_result(m, id, i)) != t) return false;
        for (uint32_t k = 0; k < op->n_regions; k++)
            if (value_type(m, m->regions.at[op_region(m, id, k)].first_arg + i) != t) return false;
    }
    return true;
}

static bool tuple_fits(const Module *m, OpId op) {
    const Type *t = result_type(m, op, 0);
    if (t->kind != TYPE_TUPLE || t->rank != op_get(m, op)->n_operands) return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (value_type(m, op_operand(m, op, i)) != t->parts[i]) return false;
    return true;
}

// An attribute of another dialect, of the kind whose name the pretty form leaves out.
static bool begins_with(const Module *m, OpId op, AttrName name, const char *text) {
    const Attr *a = attr_get(m, op_attr(m, op, name));
    size_t n = strlen(text);
    return a->kind == ATTR_OPAQUE && a->text.n > n && memcmp(a->text.at, text, n) == 0;
}

static bool direction_fits(const Module *m, OpId op) {
    int64_t direction = op_attr_int(m, op, A_allowed_direction, 0);
    return direction >= 0 && direction <= 3;
}

static bool manual_computation_fits(const Module *m, OpId op) {
    return begins_with(m, op, A_in_shardings, "#sdy.sharding_per_value<") &&
           begins_with(m, op, A_out_shardings, "#sdy.sharding_per_value<") &&
           begins_with(m, op, A_manual_axes, "#sdy<manual_axes{");
}

static bool func_fits(const Module *m, OpId op) {
    const Region *body = &m->regions.at[op_region(m, op, 0)];
    const Type *t = type_get(m, attr_get(m, op_attr(m, op, A_function_type))->type);
    return t->kind == TYPE_FUNCTION && (body->first == NO_ID || body->n_args == t->n_inputs);
}

static bool all_enums(const Module *m, AttrId list) {
    for (uint32_t i = 0; list != NO_ID && i < attr_get(m, list)->n; i++)
        if (attr_get(m, attr_get(m, list)->items[i])->kind != ATTR_ENUM) return false;
    return true;
}

static bool slice_fits(const Module *m, OpId op) {
    uint32_t n, n_limits, n_strides;
    op_attr_ints(m, op, A_start_indices, &n);
    op_attr_ints(m, op, A_limit_indices, &n_limits);
    op_attr_ints(m, op, A_strides, &n_strides);
    return n == n_limits && n == n_strides;
}

static bool window_fits(const Module *m, OpId op) {
    AttrId padding = op_attr(m, op, A_padding);
    if (padding == NO_ID) return true;
    const Type *t = type_get(m, attr_get(m, padding)->type);
    int64_t numbers[2 * MAX_WINDOW_RANK];
    return t->kind == TYPE_TENSOR && t->elem == EL_I64 && t->rank == 2 && t->dims[1] == 2 && t->dims[0] >= 0 &&
           t->dims[0] <= MAX_WINDOW_RANK &&
           attr_dense_decode(m, attr_get(m, padding), numbers, (size_t)t->dims[0] * 2 * sizeof *numbers);
}

// What a row cannot say: the pretty form is written from these.
static bool parts_fit(const Module *m, OpId op) {
    uint32_t n_operands = op_get(m, op)->n_operands;
    switch (op_kind(m, op)) {
    case OP_while:
    case OP_optimization_barrier: return carries_operands(m, op);
    case OP_tuple: return tuple_fits(m, op);
    case OP_sdy_mesh: return begins_with(m, op, A_mesh, "#sdy.mesh<");
    case OP_sdy_sharding_constraint:
    case OP_sdy_reshard: return carries_operands(m, op) && begins_with(m, op, A_sharding, "#sdy.sharding<");
    case OP_sdy_propagation_barrier: return carries_operands(m, op) && direction_fits(m, op);
    case OP_sdy_manual_computation: return manual_computation_fits(m, op);
    case OP_reduce: return n_operands && n_operands % 2 == 0 && regions_take(m, op, n_operands);
    case OP_func_func: return func_fits(m, op);
    case OP_dot:
    case OP_dot_general: return all_enums(m, op_attr(m, op, A_precision_config));
    case OP_slice: return slice_fits(m, op);
    case OP_convolution: return window_fits(m, op);
    default: return true;
    }
}

bool op_fits_form(const Module *m, OpId id) {
    const Op *op = op_get(m, id);
    const OpInfo *info = &op_info[op->kind];
    if (!print_forms[op->kind] || !count_fits(info->operands, op->n_operands) ||
        !count_fits(info->results, op->n_results) || !count_fits(info->regions, op->n_regions))
        return false;
    uint32_t required = 0;
    for (uint32_t i = 0; i < info->n_attrs; i++) required += info->attrs[i].required;
    for (uint32_t i = 0; i < op->n_attrs; i++) {
        NamedAttr a = m->op_attrs.at[op->first_attr + i];
        const OpAttrInfo *in_row = row_attr(info, a.name);
        if (in_row && !kind_fits(in_row->kind, attr_get(m, a.value))) return false;
        required -= in_row && in_row->required;
    }
    return required == 0 && parts_fit(m, id);
}
