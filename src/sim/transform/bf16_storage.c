// bf16 storage: a backward walk marks the values that must be exact. A value is exact if a use needs all its bits, if it is passed
// on unchanged into an exact result, or if a loop carries it as an exact value. All other values are stored as bf16. The walk
// visits readers before producers, so that only loops need another round.
#include "sim/transform/transform.h"

typedef struct Bf16Storage {
    const Module *m;
    uint8_t *exact;   // by value: all its bits are needed
    uint8_t *product; // by value: a product reads it, or a loop carries it
    ValueId *carry;   // by value that a loop's body returns: the argument that it becomes, or NO_ID; NULL without loops
    ValueId *open;    // exact values whose own reasons have not been looked at, a stack; only with loops
    uint32_t n_open;
} Bf16Storage;

// The operands whose elements the results are, unchanged: a bit each, the last for all from there on.
static uint32_t handed_on(OpKind k) {
    static const uint32_t operands[OP_COUNT] = {[OP_abs] = ~0u,
                                                [OP_broadcast] = ~0u,
                                                [OP_broadcast_in_dim] = ~0u,
                                                [OP_concatenate] = ~0u,
                                                [OP_maximum] = ~0u,
                                                [OP_minimum] = ~0u,
                                                [OP_optimization_barrier] = ~0u,
                                                [OP_pad] = ~0u,
                                                [OP_partir_all_gather] = ~0u,
                                                [OP_partir_all_slice] = ~0u,
                                                [OP_partir_all_to_all] = ~0u,
                                                [OP_partir_collective_permute] = ~0u,
                                                [OP_partir_slice] = ~0u,
                                                [OP_partir_tag] = ~0u,
                                                [OP_reshape] = ~0u,
                                                [OP_reverse] = ~0u,
                                                [OP_slice] = ~0u,
                                                [OP_transpose] = ~0u,
                                                [OP_dynamic_slice] = 1,
                                                [OP_gather] = 1,
                                                [OP_dynamic_update_slice] = 3,
                                                [OP_select] = ~1u};
    return operands[k];
}

static bool forwards_operand(uint32_t operands, uint32_t i) { return operands >> (i < 31 ? i : 31) & 1; }

static void mark_exact(Bf16Storage *b, ValueId v) {
    if (b->exact[v]) return;
    b->exact[v] = 1;
    if (b->carry) b->open[b->n_open++] = v;
}

static void mark_carried(Bf16Storage *b, OpId loop, uint32_t i) {
    const Module *m = b->m;
    RegionId cond = op_region(m, loop, 0), body = op_region(m, loop, 1);
    mark_exact(b, op_operand(m, loop, i));
    mark_exact(b, m->regions.at[cond].first_arg + i);
    mark_exact(b, m->regions.at[body].first_arg + i);
    mark_exact(b, op_operand(m, region_terminator(m, body), i));
    mark_exact(b, op_result(m, loop, i));
}

static OpId loop_of(const Module *m, RegionId r) {
    OpId op = m->regions.at[r].parent;
    return op != NO_ID && op_kind(m, op) == OP_while ? op : NO_ID;
}

static void spread(Bf16Storage *b, ValueId v) {
    const Module *m = b->m;
    const Value *val = &m->values.at[v];
    OpId loop = val->is_arg ? loop_of(m, val->owner) : val->owner;
    if (b->carry && b->carry[v] != NO_ID) mark_exact(b, b->carry[v]);
    if (loop == NO_ID) return;
    OpKind kind = op_kind(m, loop);
    uint32_t handed = handed_on(kind);
    if (kind == OP_while)
        mark_carried(b, loop, val->is_arg ? v - m->regions.at[val->owner].first_arg : v - op_result(m, loop, 0));
    else if (kind == OP_optimization_barrier)
        mark_exact(b, op_operand(m, loop, v - op_result(m, loop, 0)));
    else
        for (uint32_t i = 0; handed && i < op_get(m, loop)->n_operands; i++)
            if (forwards_operand(handed, i)) mark_exact(b, op_operand(m, loop, i));
}

// The program itself makes bf16 of it.
static bool reads_as_bf16(const Module *m, OpId op) {
    return op_kind(m, op) == OP_convert && result_type(m, op, 0)->elem == EL_BF16;
}

// What the op itself needs. Those that read its results come before it in the walk.
static void note_reader(Bf16Storage *b, OpId op) {
    const Module *m = b->m;
    const Op *o = op_get(m, op);
    OpKind kind = (OpKind)o->kind;
    OpId loop = b->carry && op_is_terminator(kind) ? loop_of(m, o->parent) : NO_ID;
    uint32_t handed = handed_on(kind);
    bool exact = false;
    for (uint32_t i = 0; handed && i < o->n_results; i++) exact |= b->exact[o->first_result + i];
    bool next = loop != NO_ID && op_region(m, loop, 1) == o->parent;
    bool product = kind == OP_dot_general || kind == OP_convolution || kind == OP_while || reads_as_bf16(m, op);
    if (!handed && !product && !next && kind != OP_reduce) { // as most
        const ValueId *v = m->operands.at + o->first_operand;
        for (const ValueId *end = v + o->n_operands; v < end; v++) mark_exact(b, *v);
        if (kind == OP_case || kind == OP_if)
            for (uint32_t i = 0; i < o->n_results; i++) mark_exact(b, o->first_result + i);
        return;
    }
    bool each = kind == OP_optimization_barrier; // hands on each operand as the result of the same number
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = m->operands.at[o->first_operand + i];
        if (next && b->carry[v] == NO_ID) {
            b->carry[v] = m->regions.at[o->parent].first_arg + i;
            b->product[v] = 1;
        } else if (product) {
            b->product[v] = 1;
        } else if (forwards_operand(handed, i)) {
            b->product[v] |= b->product[o->first_result + (each ? i : 0)];
            if (each ? b->exact[o->first_result + i] : exact) mark_exact(b, v);
        } else if (kind != OP_reduce) { // which reads what it sums up inside the kernel that makes it
            mark_exact(b, v);
        }
    }
}

const uint8_t *find_bf16_storage(const Module *m, const ProgramOrder *written, Arena *a) {
    uint8_t *bf16 = arena_zalloc(a, m->values.n);
    Bf16Storage b = {.m = m,
                     .exact = arena_zalloc(a, m->values.n),
                     .product = arena_zalloc(a, m->values.n),
                     .open = arena_new(a, ValueId, m->values.n)};
    if (written->count[OP_while])
        b.carry = memset(arena_new(a, ValueId, m->values.n), 0xff, m->values.n * sizeof *b.carry);
    const Region *body = &m->regions.at[op_region(m, module_main(m), 0)];
    for (uint32_t i = 0; i < body->n_args; i++) mark_exact(&b, body->first_arg + i);
    for (uint32_t p = written->n; p-- > 0;) note_reader(&b, written->at[p]);
    while (b.n_open) spread(&b, b.open[--b.n_open]);
    for (ValueId v = 0, end = m->values.n; v < end; v++)
        bf16[v] = b.product[v] && !b.exact[v] && value_tensor(m, v)->elem == EL_F32;
    return bf16;
}
