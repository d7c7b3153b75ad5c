// Value numbering: few ops need a look-up. The only reader of a value cannot equal another op, unless the value gets the number of
// an earlier one; then the reader is entered into the table too.
#include "sim/transform/value_numbering.h"
#include "sim/schedule/schedule.h"
#include "spmd/export/cpu_order.h"

const uint8_t vn_traits[OP_COUNT] = {
    [OP_constant] = VN_MOVEMENT,
    [OP_iota] = VN_MOVEMENT,
    [OP_broadcast_in_dim] = VN_MOVEMENT,
    [OP_reshape] = VN_MOVEMENT,
    [OP_transpose] = VN_MOVEMENT,
    [OP_convert] = VN_MOVEMENT,
    [OP_slice] = VN_FORWARDS,
    [OP_pad] = VN_FORWARDS,
    [OP_optimization_barrier] = VN_FORWARDS,
    [OP_after_all] = VN_IMPURE,
    [OP_all_gather] = VN_IMPURE,
    [OP_all_reduce] = VN_IMPURE,
    [OP_all_to_all] = VN_IMPURE,
    [OP_async_done] = VN_IMPURE,
    [OP_async_start] = VN_IMPURE,
    [OP_collective_broadcast] = VN_IMPURE,
    [OP_collective_permute] = VN_IMPURE,
    [OP_collective_reduce] = VN_IMPURE,
    [OP_composite] = VN_IMPURE,
    [OP_create_token] = VN_IMPURE,
    [OP_cross_replica_sum] = VN_IMPURE,
    [OP_custom_call] = VN_IMPURE,
    [OP_func_call] = VN_IMPURE,
    [OP_infeed] = VN_IMPURE,
    [OP_outfeed] = VN_IMPURE,
    [OP_partir_all_gather] = VN_IMPURE | VN_GATHER,
    [OP_partir_all_reduce] = VN_IMPURE,
    [OP_partir_all_to_all] = VN_IMPURE,
    [OP_partir_collective_permute] = VN_IMPURE,
    [OP_partir_loop] = VN_IMPURE,
    [OP_partir_reduce_scatter] = VN_IMPURE,
    [OP_recv] = VN_IMPURE,
    [OP_reduce_scatter] = VN_IMPURE,
    [OP_rng] = VN_IMPURE,
    [OP_send] = VN_IMPURE,
};

enum { ODD = 0x1e3779b1 };

// All ops of a region, with what they read of outside: as many as there are may differ at the last one alone.
static uint32_t hash_region(const ValueNumbering *vn, uint32_t h, RegionId r) {
    const Module *m = vn->m;
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        uint32_t read = 0;
        for (uint32_t i = 0; i < o->n_operands; i++) {
            ValueId v = m->operands.at[o->first_operand + i];
            if (value_region(m, v) != r) read += leader_of(vn, v) * (ODD + 2 * i);
        }
        h = (h * ODD + o->kind) * ODD + read;
        for (uint32_t i = 0; i < o->n_attrs; i++) h = h * ODD + m->op_attrs.at[o->first_attr + i].value;
    }
    return h;
}

static bool holds_impure(const Module *m, const Op *o) {
    for (uint32_t i = 0; i < o->n_regions; i++)
        for (OpId op = m->regions.at[m->op_regions.at[o->first_region + i]].first; op != NO_ID; op = op_get(m, op)->next)
            if (vn_traits[op_kind(m, op)] & VN_IMPURE || holds_impure(m, op_get(m, op))) return true;
    return false;
}

static inline uint32_t hash_op(const ValueNumbering *vn, const Op *o) {
    const Module *m = vn->m;
    const ValueId *v = m->operands.at + o->first_operand;
    uint32_t h = o->kind + (value_type(m, o->first_result) << 8) + o->parent * ODD;
    for (const ValueId *end = v + o->n_operands; v < end; v++) h = h * ODD + leader_of(vn, *v);
    for (uint32_t i = 0; i < o->n_attrs; i++) h = h * ODD + m->op_attrs.at[o->first_attr + i].value;
    for (uint32_t i = 0; i < o->n_regions; i++) h = hash_region(vn, h, m->op_regions.at[o->first_region + i]);
    return hash_u32(h, 0);
}

// ---- Equal ops ---------------------------------------------------------------------------------------------------

static bool has_equal_results(ValueNumbering *vn, const Op *x, const Op *y);

// Whether they have the same operands and attributes.
static inline bool has_equal_operands(const ValueNumbering *vn, const Op *x, const Op *y) {
    const Module *m = vn->m;
    uint32_t n = x->n_operands, n_attrs = x->n_attrs;
    if (x->kind != y->kind || n_attrs != y->n_attrs || n != y->n_operands) return false;
    const NamedAttr *p = m->op_attrs.at + x->first_attr, *q = m->op_attrs.at + y->first_attr;
    for (uint32_t i = 0; i < n_attrs; i++)
        if (p[i].value != q[i].value || p[i].name != q[i].name) return false;
    const ValueId *v = m->operands.at + x->first_operand, *w = m->operands.at + y->first_operand;
    const uint32_t *back = vn->back;
    for (uint32_t i = 0; i < n; i++)
        if (v[i] - back[v[i]] != w[i] - back[w[i]]) return false;
    return true;
}

// Whether `y` gives the same as `x`, which comes before.
static inline bool is_equal_op(ValueNumbering *vn, const Op *x, const Op *y) {
    if (!has_equal_operands(vn, x, y)) return false;
    bool plain = x->n_results == 1 && y->n_results == 1 && !x->n_regions && !y->n_regions;
    if (plain) return value_type(vn->m, x->first_result) == value_type(vn->m, y->first_result);
    return has_equal_results(vn, x, y);
}

// Values inside `y` count as those inside `x` for as long as they are compared.
static bool is_equal_region(ValueNumbering *vn, const Region *x, const Region *y) {
    const Module *m = vn->m;
    uint32_t *back = vn->back;
    if (x->n_args != y->n_args) return false;
    for (uint32_t i = 0; i < x->n_args; i++) {
        if (value_type(m, x->first_arg + i) != value_type(m, y->first_arg + i)) return false;
        back[y->first_arg + i] = y->first_arg - x->first_arg;
    }
    OpId p = x->first, q = y->first;
    for (; p != NO_ID && q != NO_ID; p = op_get(m, p)->next, q = op_get(m, q)->next) {
        const Op *a = op_get(m, p), *b = op_get(m, q);
        if (vn_traits[a->kind] & VN_IMPURE || !is_equal_op(vn, a, b)) return false;
        for (uint32_t i = 0; i < a->n_results; i++)
            back[b->first_result + i] = b->first_result + i - leader_of(vn, a->first_result + i);
    }
    return p == q;
}

static void forget_region(ValueNumbering *vn, const Region *r) {
    const Module *m = vn->m;
    for (uint32_t i = 0; i < r->n_args; i++) vn->back[r->first_arg + i] = 0;
    for (OpId op = r->first; op != NO_ID; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        for (uint32_t i = 0; i < o->n_results; i++) vn->back[o->first_result + i] = 0;
        for (uint32_t i = 0; i < o->n_regions; i++) forget_region(vn, &m->regions.at[op_region(m, op, i)]);
    }
}

// The same for results and regions.
static bool has_equal_results(ValueNumbering *vn, const Op *x, const Op *y) {
    const Module *m = vn->m;
    if (x->n_results != y->n_results || x->n_regions != y->n_regions) return false;
    for (uint32_t i = 0; i < x->n_results; i++)
        if (value_type(m, x->first_result + i) != value_type(m, y->first_result + i)) return false;
    for (uint32_t i = 0; i < x->n_regions; i++) {
        const Region *of_y = &m->regions.at[m->op_regions.at[y->first_region + i]];
        if (is_equal_region(vn, &m->regions.at[m->op_regions.at[x->first_region + i]], of_y)) continue;
        for (uint32_t k = 0; k <= i; k++) forget_region(vn, &m->regions.at[m->op_regions.at[y->first_region + k]]);
        return false;
    }
    return true;
}

// A slice of all, or a pad by nothing, as gradients of pooling have them; a barrier that is removed.
static bool gives_its_operands(const ValueNumbering *vn, OpId op) {
    const Module *m = vn->m;
    const Op *o = op_get(m, op);
    if (o->kind == OP_optimization_barrier) return vn->barriers;
    if (value_type(m, o->first_result) != value_type(m, m->operands.at[o->first_operand])) return false;
    uint32_t n = 0;
    const int64_t *low = o->kind == OP_pad ? op_attr_ints(m, op, A_edge_padding_low, &n) : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (low[i] != 0) return false;
    return true;
}

// ---- The walk --------------------------------------------------------------------------------------------------------

static inline void enter_table(ValueNumbering *vn, OpId op, uint32_t hash) {
    OpId *last = &vn->entered[hash & vn->mask];
    vn->before[op] = *last;
    *last = op + 1;
}

// A value seen before stands for another. If one op alone read it, and that was passed, it is entered now.
static inline void stand_for(ValueNumbering *vn, ValueId first, ValueId v) {
    vn->back[v] = v - first;
    if ((vn->uses[first] & READ_MORE) == READ_ONCE) {
        OpId reader = vn->reader[first];
        const Op *o = op_get(vn->m, reader);
        if (vn->passed[reader] && o->n_results) enter_table(vn, reader, hash_op(vn, o));
        vn->passed[reader] = 0;
    }
    vn->uses[first] |= READ_MORE;
}

static bool hands_on(ValueNumbering *vn, const Op *o) {
    for (uint32_t i = 0; i < o->n_results; i++)
        stand_for(vn, leader_of(vn, vn->m->operands.at[o->first_operand + i]), o->first_result + i);
    return true;
}

// Most constants are found by their numbers.
static bool is_known_constant(ValueNumbering *vn, OpId op, const Op *o) {
    const Module *m = vn->m;
    OpId *first = &vn->constants[m->op_attrs.at[o->first_attr].value];
    if (*first == 0) {
        *first = op + 1;
        return false;
    }
    ValueId v = op_result(m, *first - 1, 0);
    if (value_type(m, v) != value_type(m, o->first_result)) return false;
    stand_for(vn, v, o->first_result);
    return true;
}

// Enters it if it is the first.
static bool is_known(ValueNumbering *vn, OpId op, const Op *o) {
    const Module *m = vn->m;
    if (o->n_regions && holds_impure(m, o)) return false; // equal to none
    uint32_t hash = hash_op(vn, o);
    for (OpId at = vn->entered[hash & vn->mask]; at; at = vn->before[at - 1]) {
        const Op *first = op_get(m, at - 1);
        if (first->kind != o->kind || first->parent != o->parent || !is_equal_op(vn, first, o)) continue;
        for (uint32_t i = 0; i < o->n_results; i++) stand_for(vn, first->first_result + i, o->first_result + i);
        return true;
    }
    enter_table(vn, op, hash);
    return false;
}

bool find_leader(ValueNumbering *vn, OpId op) {
    const Op *o = op_get(vn->m, op);
    if (o->kind == OP_constant && o->n_attrs == 1 && o->parent == vn->body && is_known_constant(vn, op, o)) return true;
    if (vn_traits[o->kind] == VN_FORWARDS && gives_its_operands(vn, op)) return hands_on(vn, o);
    if (o->n_results == 0 || !(vn->arithmetic || vn_traits[o->kind] & (VN_MOVEMENT | VN_GATHER))) return false;
    return is_known(vn, op, o);
}

static void count_reads(const Module *m, RegionId region, ValueNumbering *vn) {
    OpId last = m->regions.at[region].last, *reader = vn->reader;
    uint8_t *uses = vn->uses;
    const ValueId *operands = m->operands.at;
    for (OpId op = m->regions.at[region].first; op != last; op = op_get(m, op)->next) {
        const Op *o = op_get(m, op);
        for (const ValueId *v = operands + o->first_operand, *end = v + o->n_operands; v < end; v++) {
            uses[*v] |= (uint8_t)(uses[*v] + 1);
            reader[*v] = op;
        }
        for (uint32_t i = 0; i < o->n_regions; i++) count_reads(m, op_region(m, op, i), vn);
    }
    for (uint32_t i = 0; last != NO_ID && i < op_get(m, last)->n_operands; i++)
        vn->uses[op_operand(m, last, i)] |= GIVEN;
}

static bool has_barriers(const Module *m) {
    for (OpId op = 0; op < m->ops.n; op++)
        if (op_kind(m, op) == OP_optimization_barrier) return true;
    return false;
}

ValueNumbering value_numbering_new(const Module *m, RegionId body, const Backend *backend, Arena *a) {
    ValueNumbering vn = {.m = m,
                         .body = body,
                         .back = arena_zalloc(a, m->values.n * sizeof *vn.back),
                         .uses = arena_zalloc(a, m->values.n),
                         .reader = arena_new(a, OpId, m->values.n),
                         .gathered_once = backend->gets_cpu_order ? CPU_SMALL_BYTES : -1,
                         .arithmetic = backend->eliminates_arithmetic,
                         .barriers = backend->removes_barriers && has_barriers(m),
                         .constants = arena_zalloc(a, m->attrs.n * sizeof *vn.constants),
                         .passed = arena_zalloc(a, m->ops.n),
                         .before = arena_new(a, OpId, m->ops.n)};
    if (vn.arithmetic) count_reads(m, body, &vn);
    vn.arithmetic |= vn.barriers;
    for (vn.mask = 63; vn.mask < m->ops.n / 4; vn.mask = 2 * vn.mask + 1) continue;
    vn.entered = arena_zalloc(a, (vn.mask + 1) * sizeof *vn.entered);
    return vn;
}
