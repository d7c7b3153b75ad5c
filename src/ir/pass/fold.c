// Fold: the transpose of a product is the product of its operands in the other order.
//
//     %0 = dot_general %g, %x, contracting_dims = [0] x [0]  : (8x2, 8x4) -> 2x4        as JAX writes weight gradients
//     %1 = transpose %0, dims = [1, 0]                                                   => %1 = dot_general %x, %g
//
// Compilers fold it too, but not once a collective stands between the two: a split sum over the batch would be written
// to memory in one layout and then transposed.
#include "ir/pass/rebuild.h"

static AttrId swapped_numbers(Module *m, AttrId numbers) {
    static const RecordField from[4] = {RF_DOT_rhs_batching_dimensions, RF_DOT_lhs_batching_dimensions,
                                        RF_DOT_rhs_contracting_dimensions, RF_DOT_lhs_contracting_dimensions};
    static const RecordField to[4] = {RF_DOT_lhs_batching_dimensions, RF_DOT_rhs_batching_dimensions,
                                      RF_DOT_lhs_contracting_dimensions, RF_DOT_rhs_contracting_dimensions};
    FieldValue fields[4];
    uint32_t n = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t count;
        const int64_t *dims = record_ints(m, numbers, from[i], &count);
        if (dims) fields[n++] = (FieldValue){.field = to[i], .n = count, .ints = dims};
    }
    return attr_record(m, RECORD_DOT, fields, n);
}

// Whether `perm` exchanges the free dimensions of the two sides and leaves the batch dimensions in front.
static bool exchanges_sides(const int64_t *perm, uint32_t batch, uint32_t left, uint32_t right) {
    for (uint32_t i = 0; i < batch; i++)
        if (perm[i] != i) return false;
    for (uint32_t i = 0; i < right; i++)
        if (perm[batch + i] != batch + left + i) return false;
    for (uint32_t i = 0; i < left; i++)
        if (perm[batch + right + i] != batch + i) return false;
    return true;
}

static bool can_fold(const Module *m, OpId transpose, OpId dot) {
    if (op_get(m, transpose)->n_attrs != 1 || op_attr(m, dot, A_algorithm) != NO_ID) return false; // of one side each
    if (operand_type(m, dot, 0)->elem == EL_QUANT || operand_type(m, dot, 1)->elem == EL_QUANT) return false;
    uint32_t rank, batch, contracted;
    const int64_t *perm = op_attr_ints(m, transpose, A_permutation, &rank);
    AttrId numbers = op_attr(m, dot, A_dot_dimension_numbers);
    record_ints(m, numbers, RF_DOT_lhs_batching_dimensions, &batch);
    record_ints(m, numbers, RF_DOT_lhs_contracting_dimensions, &contracted);
    return exchanges_sides(perm, batch, operand_type(m, dot, 0)->rank - batch - contracted,
                           operand_type(m, dot, 1)->rank - batch - contracted);
}

// The transpose becomes the product. What was the product is left without a use.
static void fold(Module *m, OpId transpose, OpId dot) {
    AttrId numbers = swapped_numbers(m, op_attr(m, dot, A_dot_dimension_numbers));
    AttrId precision = op_attr(m, dot, A_precision_config);
    if (precision != NO_ID && attr_get(m, precision)->n == 2) {
        const AttrId *items = attr_get(m, precision)->items;
        precision = attr_array(m, (AttrId[]){items[1], items[0]}, 2);
    }
    ValueId *operands = vec_extend(&m->arena, &m->operands, 2);
    operands[0] = op_operand(m, dot, 1), operands[1] = op_operand(m, dot, 0);
    NamedAttr *attrs = vec_extend(&m->arena, &m->op_attrs, op_get(m, dot)->n_attrs);
    const Op *from = op_get(m, dot);
    memcpy(attrs, m->op_attrs.at + from->first_attr, from->n_attrs * sizeof *attrs);
    Op *o = op_get(m, transpose);
    o->kind = OP_dot_general;
    o->n_operands = 2, o->first_operand = m->operands.n - 2;
    o->n_attrs = from->n_attrs, o->first_attr = m->op_attrs.n - from->n_attrs;
    o->loc = from->loc, o->source = from->source;
    op_set_attr(m, transpose, A_dot_dimension_numbers, numbers);
    if (precision != NO_ID) op_set_attr(m, transpose, A_precision_config, precision);
}

void pass_fold(Module *m) {
    Arena scratch;
    arena_init(&scratch, m->ctx);
    uint32_t *uses = arena_zalloc(&scratch, m->values.n * sizeof *uses);
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) uses[op_operand(m, op, i)]++;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) {
        if (op_kind(m, op) != OP_transpose) continue;
        ValueId v = op_operand(m, op, 0);
        const Value *value = &m->values.at[v];
        if (value->is_arg || op_kind(m, value->owner) != OP_dot_general || uses[v] != 1) continue;
        if (can_fold(m, op, value->owner)) fold(m, op, value->owner);
    }
    arena_free(&scratch);
}
