// Repeats: few ops are looked up. What alone reads one of its operands repeats nothing, until that operand turns out to stand
// for another, and then its reader is entered too.
#include "sim/transform/value_numbering.h"
#include "sim/schedule/schedule.h"

const uint8_t repeat_traits[OP_COUNT] = {
    [OP_constant] = REPEAT_MOVED,
    [OP_iota] = REPEAT_MOVED,
    [OP_broadcast_in_dim] = REPEAT_MOVED,
    [OP_reshape] = REPEAT_MOVED,
    [OP_transpose] = REPEAT_MOVED,
    [OP_convert] = REPEAT_MOVED,
    [OP_slice] = REPEAT_WHOLE,
    [OP_pad] = REPEAT_WHOLE,
    [OP_optimization_barrier] = REPEAT_WHOLE,
    [OP_add] = REPEAT_COMMUTES,
    [OP_and] = REPEAT_COMMUTES,
    [OP_maximum] = REPEAT_COMMUTES,
    [OP_minimum] = REPEAT_COMMUTES,
    [OP_multiply] = REPEAT_COMMUTES,
    [OP_or] = REPEAT_COMMUTES,
    [OP_xor] = REPEAT_COMMUTES,
    [OP_after_all] = REPEAT_AGAIN,
    [OP_all_gather] = REPEAT_AGAIN,
    [OP_all_reduce] = REPEAT_AGAIN,
    [OP_all_to_all] = REPEAT_AGAIN,
    [OP_async_done] = REPEAT_AGAIN,
    [OP_async_start] = REPEAT_AGAIN,
    [OP_collective_broadcast] = REPEAT_AGAIN,
    [OP_collective_permute] = REPEAT_AGAIN,
    [OP_collective_reduce] = REPEAT_AGAIN,
    [OP_composite] = REPEAT_AGAIN,
    [OP_create_token] = REPEAT_AGAIN,
    [OP_cross_replica_sum] = REPEAT_AGAIN,
    [OP_custom_call] = REPEAT_AGAIN,
    [OP_func_call] = REPEAT_AGAIN,
    [OP_infeed] = REPEAT_AGAIN,
    [OP_outfeed] = REPEAT_AGAIN,
    [OP_partir_all_gather] = REPEAT_AGAIN,
    [OP_partir_all_reduce] = REPEAT_AGAIN,
    [OP_partir_all_to_all] = REPEAT_AGAIN,
    [OP_partir_collective_permute] = REPEAT_AGAIN,
    [OP_partir_loop] = REPEAT_AGAIN,
    [OP_partir_reduce_scatter] = REPEAT_AGAIN,
    [OP_recv] = REPEAT_AGAIN,
    [OP_reduce_scatter] = REPEAT_AGAIN,
    [OP_rng] = REPEAT_AGAIN,
    [OP_send] = REPEAT_AGAIN,
};

static inline uint32_t hash_op(const Repeats *z, const Op *o) {
    enum { ODD = 0x1e3779b1 };
    const Module *m = z->m;
    const ValueId *v = m->operands.at + o->first_operand;
    uint32_t h = o->kind + (value_type(m, o->first_result) << 8) + o->parent * ODD;
    if (repeat_traits[o->kind] == REPEAT_COMMUTES)
        h = h * ODD + first_same(z, v[0]) + first_same(z, v[1]);
    else
        for (const ValueId *end = v + o->n_operands; v < end; v++) h = h * ODD + first_same(z, *v);
    if (o->n_attrs) h = h * ODD + m->op_attrs.at[o->first_attr].value;
    return hash_u32(h, 0);
}

// ---- What is alike ---------------------------------------------------------------------------------------------------

static bool gives_alike(Repeats *z, const Op *x, const Op *y);

static bool is_swapped(const Repeats *z, const ValueId *v, const ValueId *w) {
    return first_same(z, v[0]) == first_same(z, w[1]) && first_same(z, v[1]) == first_same(z, w[0]);
}

// Whether they have the same operands and attributes.
static inline bool reads_alike(const Repeats *z, const Op *x, const Op *y) {
    const Module *m = z->m;
    uint32_t n = x->n_operands, n_attrs = x->n_attrs;
    if (x->kind != y->kind || n_attrs != y->n_attrs || n != y->n_operands) return false;
    const NamedAttr *p = m->op_attrs.at + x->first_attr, *q = m->op_attrs.at + y->first_attr;
    for (uint32_t i = 0; i < n_attrs; i++)
        if (p[i].value != q[i].value || p[i].name != q[i].name) return false;
    const ValueId *v = m->operands.at + x->first_operand, *w = m->operands.at + y->first_operand;
    const uint32_t *back = z->back;
    for (uint32_t i = 0; i < n; i++)
        if (v[i] - back[v[i]] != w[i] - back[w[i]])
            return repeat_traits[x->kind] == REPEAT_COMMUTES && is_swapped(z, v, w);
    return true;
}

// Whether `y` gives the same as `x`, which was met before.
static inline bool is_alike(Repeats *z, const Op *x, const Op *y) {
    if (!reads_alike(z, x, y)) return false;
    bool plain = x->n_results == 1 && y->n_results == 1 && !x->n_regions && !y->n_regions;
    if (plain) return value_type(z->m, x->first_result) == value_type(z->m, y->first_result);
    return gives_alike(z, x, y);
}

// Values inside `y` count as those inside `x` for as long as they are compared.
static bool region_is_alike(Repeats *z, const Region *x, const Region *y) {
    const Module *m = z->m;
    uint32_t *back = z->back;
    if (x->n_args != y->n_args) return false;
    for (uint32_t i = 0; i < x->n_args; i++) {
        if (value_type(m, x->first_arg + i) != value_type(m, y->first_arg + i)) return false;
        back[y->first_arg + i] = y->first_arg - x->first_arg;
    }
    OpId p = x->first, q = y->first;
    for (; p != NO_ID && q != NO_ID; p = op_get(m, p)->next, q = op_get(m, q)->next) {
        const Op *a = op_get(m, p), *b = op_get(m, q);
        if (repeat_traits[a->kind] & REPEAT_AGAIN || !is_alike(z, a, b)) return false;
        for (uint32_t i = 0; i < a->n_results; i++)
            back[b->first_result + i] = b->first_result + i - first_same(z, a->first_result + i);
    }
    return p == q;
}

static void forget_region(Repeats *z, const Region *r) {
    const Module *m = z->m;
    for (uint32_t i = 0; i < r->n_args; i++) z->back[r->first_arg + i] = 0;
    for (OpId op = r->first; op != NO_ID; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        for (uint32_t i = 0; i < o->n_results; i++) z->back[o->first_result + i] = 0;
        for (uint32_t i = 0; i < o->n_regions; i++) forget_region(z, &m->regions.at[op_region(m, op, i)]);
    }
}

// The same for results and regions.
static bool gives_alike(Repeats *z, const Op *x, const Op *y) {
    const Module *m = z->m;
    if (x->n_results != y->n_results || x->n_regions != y->n_regions) return false;
    for (uint32_t i = 0; i < x->n_results; i++)
        if (value_type(m, x->first_result + i) != value_type(m, y->first_result + i)) return false;
    for (uint32_t i = 0; i < x->n_regions; i++) {
        const Region *of_y = &m->regions.at[m->op_regions.at[y->first_region + i]];
        if (region_is_alike(z, &m->regions.at[m->op_regions.at[x->first_region + i]], of_y)) continue;
        for (uint32_t k = 0; k <= i; k++) forget_region(z, &m->regions.at[m->op_regions.at[y->first_region + k]]);
        return false;
    }
    return true;
}

bool gives_its_operands(const Repeats *z, OpId op) {
    const Module *m = z->m;
    const Op *o = op_get(m, op);
    if (o->kind == OP_optimization_barrier) return z->barriers;
    if (value_type(m, o->first_result) != value_type(m, m->operands.at[o->first_operand])) return false;
    uint32_t n = 0;
    const int64_t *low = o->kind == OP_pad ? op_attr_ints(m, op, A_edge_padding_low, &n) : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (low[i] != 0) return false;
    return true;
}

// ---- The walk --------------------------------------------------------------------------------------------------------

static inline void enter(Repeats *z, OpId op, uint32_t hash) {
    OpId *last = &z->entered[hash & z->mask];
    z->before[op] = *last;
    *last = op + 1;
}

// A value that was met stands for another. If one op alone read it, and that was passed, it is entered now.
static inline void stand_for(Repeats *z, ValueId first, ValueId v) {
    z->back[v] = v - first;
    if ((z->uses[first] & READ_MORE) == READ_ONCE) {
        OpId reader = z->reader[first];
        const Op *o = op_get(z->m, reader);
        if (z->passed[reader] && o->n_results) enter(z, reader, hash_op(z, o));
        z->passed[reader] = 0;
    }
    z->uses[first] |= READ_MORE;
}

static bool hands_on(Repeats *z, const Op *o) {
    for (uint32_t i = 0; i < o->n_results; i++)
        stand_for(z, first_same(z, z->m->operands.at[o->first_operand + i]), o->first_result + i);
    return true;
}

// Most constants are found by their numbers.
static bool is_known_constant(Repeats *z, OpId op, const Op *o) {
    const Module *m = z->m;
    OpId *first = &z->constants[m->op_attrs.at[o->first_attr].value];
    if (*first == 0) {
        *first = op + 1;
        return false;
    }
    ValueId v = op_result(m, *first - 1, 0);
    if (value_type(m, v) != value_type(m, o->first_result)) return false;
    stand_for(z, v, o->first_result);
    return true;
}

// Enters it if it is the first.
static bool is_known(Repeats *z, OpId op, const Op *o) {
    const Module *m = z->m;
    uint32_t hash = hash_op(z, o);
    for (OpId at = z->entered[hash & z->mask]; at; at = z->before[at - 1]) {
        const Op *first = op_get(m, at - 1);
        if (first->kind != o->kind || first->parent != o->parent || !is_alike(z, first, o)) continue;
        for (uint32_t i = 0; i < o->n_results; i++) stand_for(z, first->first_result + i, o->first_result + i);
        return true;
    }
    enter(z, op, hash);
    return false;
}

bool look_for_repeat(Repeats *z, OpId op) {
    const Op *o = op_get(z->m, op);
    if (o->kind == OP_constant && o->n_attrs == 1 && o->parent == z->body && is_known_constant(z, op, o)) return true;
    if (repeat_traits[o->kind] == REPEAT_WHOLE && gives_its_operands(z, op)) return hands_on(z, o);
    if (o->n_results == 0 || !(z->arithmetic || repeat_traits[o->kind] & REPEAT_MOVED)) return false;
    return is_known(z, op, o);
}

static void count_reads(const Module *m, RegionId region, Repeats *z) {
    OpId last = m->regions.at[region].last;
    for (OpId op = m->regions.at[region].first; op != last; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        for (const ValueId *v = m->operands.at + o->first_operand, *end = v + o->n_operands; v < end; v++) {
            z->uses[*v] |= (uint8_t)(z->uses[*v] + 1);
            z->reader[*v] = op;
        }
        for (uint32_t i = 0; i < o->n_regions; i++) count_reads(m, op_region(m, op, i), z);
    }
    for (uint32_t i = 0; last != NO_ID && i < op_get(m, last)->n_operands; i++)
        z->uses[op_operand(m, last, i)] |= GIVEN;
}

static bool has_barriers(const Module *m) {
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op))
        if (op_kind(m, op) == OP_optimization_barrier) return true;
    return false;
}

Repeats repeats_new(const Module *m, RegionId body, const Compiler *compiler, Arena *a) {
    Repeats z = {.m = m,
                 .body = body,
                 .back = arena_zalloc(a, m->values.n * sizeof *z.back),
                 .uses = arena_zalloc(a, m->values.n),
                 .reader = arena_new(a, OpId, m->values.n),
                 .arithmetic = compiler->arithmetic_once,
                 .barriers = compiler->barriers_removed && has_barriers(m),
                 .constants = arena_zalloc(a, m->attrs.n * sizeof *z.constants),
                 .passed = arena_zalloc(a, m->ops.n),
                 .before = arena_new(a, OpId, m->ops.n)};
    if (z.arithmetic) count_reads(m, body, &z);
    z.arithmetic |= z.barriers;
    for (z.mask = 63; z.mask < m->ops.n / 4; z.mask = 2 * z.mask + 1) continue;
    z.entered = arena_zalloc(a, (z.mask + 1) * sizeof *z.entered);
    return z;
}
