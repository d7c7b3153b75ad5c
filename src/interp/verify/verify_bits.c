// Finds where a program depends on single bits of sums: one walk over the body. The results of an op with regions are as inexact as all
// that it reads.
#include "interp/verify/verify_bits.h"
#include <math.h>

#define SMALL_WHOLE 16 // as whole numbers of inputs and constants are

// An op that makes another number of a float whose last bit differs.
static bool op_looks_at_bits(const Module *m, OpId op) {
    const Op *o = op_get(m, op);
    if (o->n_operands != 1 || o->n_results != 1) return false;
    ElemClass from = elem_class((Elem)operand_type(m, op, 0)->elem);
    ElemClass to = elem_class((Elem)result_type(m, op, 0)->elem);
    bool is_float = from == CLASS_FLOAT || from == CLASS_COMPLEX;
    switch (op_kind(m, op)) {
    case OP_bitcast_convert:
    case OP_floor:
    case OP_ceil:
    case OP_round_nearest_afz:
    case OP_round_nearest_even: return is_float;
    case OP_convert: return is_float && to != CLASS_FLOAT && to != CLASS_COMPLEX;
    default: return false;
    }
}

bool looks_at_bits(const Module *m) {
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        if (op_looks_at_bits(m, op)) return true;
    return false;
}

// What is known of a value: whole numbers; rounded, but equal in any order; another last bit in another order; other bits.
typedef enum Sureness { BITS_WHOLE, BITS_ROUNDED, BITS_REORDERED, BITS_UNSURE } Sureness;

// Ops that add up elements.
static bool adds_up(OpKind kind) {
    switch (kind) {
    case OP_batch_norm_grad:
    case OP_batch_norm_training:
    case OP_convolution:
    case OP_dot:
    case OP_dot_general:
    case OP_einsum:
    case OP_unary_einsum: return true;
    default: return op_info[kind].regions != 0;
    }
}

// Ops that give whole numbers of whole numbers.
static bool keeps_whole(OpKind kind) {
    switch (kind) {
    case OP_abs:
    case OP_add:
    case OP_broadcast:
    case OP_broadcast_in_dim:
    case OP_clamp:
    case OP_concatenate:
    case OP_convert:
    case OP_dot:
    case OP_dot_general:
    case OP_dynamic_slice:
    case OP_dynamic_update_slice:
    case OP_gather:
    case OP_maximum:
    case OP_minimum:
    case OP_multiply:
    case OP_negate:
    case OP_optimization_barrier:
    case OP_pad:
    case OP_reduce:
    case OP_reshape:
    case OP_reverse:
    case OP_select:
    case OP_slice:
    case OP_subtract:
    case OP_transpose: return true;
    default: return false;
    }
}

// A constant like the zero that a sum begins with, or the least number of a maximum.
static bool is_small_whole(const Module *m, OpId op) {
    double v;
    AttrId value = op_kind(m, op) == OP_constant ? op_attr(m, op, A_value) : NO_ID;
    if (value == NO_ID || !attr_splat_double(m, attr_get(m, value), &v)) return false;
    return isinf(v) || (fabs(v) <= SMALL_WHOLE && v == trunc(v));
}

static bool gives_whole(const Module *m, OpId op) { return keeps_whole(op_kind(m, op)) || is_small_whole(m, op); }

// The least sure of what the op reads, and of what is read inside of it.
static Sureness sureness_read(const Module *m, OpId op, const uint8_t *sure) {
    Sureness least = BITS_WHOLE;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
        if (sure[op_operand(m, op, i)] > least) least = (Sureness)sure[op_operand(m, op, i)];
    for (uint32_t i = 0; i < op_get(m, op)->n_regions; i++)
        for (OpId in = m->regions.at[op_region(m, op, i)].first; in != NO_ID; in = op_get(m, in)->next) {
            Sureness inside = sureness_read(m, in, sure);
            if (!gives_whole(m, in) && inside < BITS_ROUNDED && op_get(m, in)->n_results) inside = BITS_ROUNDED;
            if (op_looks_at_bits(m, in) && inside >= BITS_REORDERED) inside = BITS_UNSURE;
            if (inside > least) least = inside;
        }
    return least;
}

bool *find_unsure_results(const Module *m, RegionId body, Arena *a) {
    uint8_t *sure = arena_zalloc(a, m->values.n + 1u);
    OpId last = m->regions.at[body].last;
    for (OpId op = m->regions.at[body].first; op != last; op = op_get(m, op)->next) {
        OpKind kind = op_kind(m, op);
        Sureness s = sureness_read(m, op, sure);
        bool statistics = kind == OP_batch_norm_training || kind == OP_batch_norm_grad; // of what they have divided
        if (op_looks_at_bits(m, op) && s >= BITS_REORDERED)
            s = BITS_UNSURE;
        else if ((adds_up(kind) && s == BITS_ROUNDED) || (statistics && s < BITS_REORDERED))
            s = BITS_REORDERED;
        else if (s == BITS_WHOLE && !gives_whole(m, op))
            s = BITS_ROUNDED;
        memset(sure + op_get(m, op)->first_result, (int)s, op_get(m, op)->n_results);
    }
    uint32_t n = op_get(m, last)->n_operands;
    bool *unsure = arena_zalloc(a, n + 1u);
    for (uint32_t i = 0; i < n; i++) unsure[i] = sure[op_operand(m, last, i)] == BITS_UNSURE;
    return unsure;
}
