// Collective combining: a backward walk finds for each value the kinds of collectives that depend on it, and the longest chain of
// them, its level. Collectives of one kind and level are independent and can be combined. If they exceed the size limit, they are combined in the
// order in which the results read them.
#include "sim/schedule/schedulers.h"
#include "sim/cost/cost.h"
#include "support/sort.h"

#define MAX_KINDS 8 // sets of axes, as a bit each

typedef struct Member {
    OpId op;
    uint32_t rank;
    double bytes;
    uint32_t level;
} Member;

typedef struct Kind { // by axes
    AttrId axes;
    uint8_t leads_to; // kinds that these, and those combined with them, are needed for
    double bytes;     // of those of level 0
    VEC(Member) members;
} Kind;

typedef struct CollectiveCombiner {
    const Module *m;
    Kind kinds[MAX_KINDS];
    uint16_t *downstream,
        *downstream_of_op; // by value, and by op with regions: kinds that are made of it, and their level above
} CollectiveCombiner;

#define LEVEL             0x100u // the least, above the bits of kinds
#define MAX_LEVEL         (UINT16_MAX / LEVEL)
#define KINDS(downstream) ((uint8_t)(downstream))
#define BOTH(x, y)        ((uint16_t)(((x) > (y) ? (x) : (y)) | KINDS((x) | (y)))) // all kinds, and the higher level

// ---- Who may run with whom -------------------------------------------------------------------------------------------

static uint32_t kind_of(const Module *m, OpId op, Kind *kinds) {
    AttrId axes = op_attr(m, op, A_axes);
    uint32_t k = 0;
    while (k < MAX_KINDS && kinds[k].axes != NO_ID && kinds[k].axes != axes) k++;
    if (k < MAX_KINDS) kinds[k].axes = axes;
    return k;
}

// Whether one of this kind may be combined with others of its level: not if these wait for one of another kind that waits
// for it. The level is 0 if no other of its kind waits for it.
static bool can_combine(Kind *kinds, uint32_t kind, uint8_t leads_to, uint32_t *level) {
    uint8_t own = (uint8_t)(1u << kind);
    for (uint32_t k = 0; k < MAX_KINDS; k++)
        if (leads_to >> k & 1) leads_to |= kinds[k].leads_to;
    for (uint32_t k = 0; k < MAX_KINDS; k++)
        if (k != kind && leads_to >> k & 1 && kinds[k].leads_to & own) return false;
    if (!(leads_to & own)) *level = 0;
    if (*level == MAX_LEVEL) return false; // or more
    kinds[kind].leads_to |= leads_to;
    for (uint32_t k = 0; k < MAX_KINDS; k++)
        if (kinds[k].leads_to >> kind & 1) kinds[k].leads_to |= leads_to;
    return true;
}

// Gives what is downstream of its operands.
static uint16_t add_member(CollectiveCombiner *c, OpId op, uint32_t downstream, Arena *a) {
    uint32_t k = kind_of(c->m, op, c->kinds), level = downstream / LEVEL;
    Kind *kind = &c->kinds[k];
    if (downstream < MAX_LEVEL * LEVEL) downstream += LEVEL;
    if (k == MAX_KINDS) return (uint16_t)downstream;
    if (can_combine(c->kinds, k, KINDS(downstream), &level)) {
        double bytes = value_bytes(c->m, op_result(c->m, op, 0));
        vec_push(a, &kind->members, ((Member){op, UINT32_MAX - kind->members.n, bytes, level}));
        if (level == 0) kind->bytes += bytes;
    }
    return (uint16_t)(downstream | 1u << k);
}

static void find_members(CollectiveCombiner *c, const ProgramOrder *written, OpKind kind, Arena *a) {
    const Module *m = c->m;
    RegionId main = op_region(m, module_main(m), 0);
    uint16_t *of_value = c->downstream;
    uint32_t p = written->n;
    while (op_kind(m, written->at[p - 1]) != kind) p--; // none is downstream of what comes after the last
    for (uint32_t left = written->count[kind]; left > 0;) { // nobody asks of what comes before the first
        OpId op = written->at[--p];
        const Op *o = op_get(m, op);
        left -= o->kind == kind;
        // A loop needs what its body does.
        uint16_t downstream = o->parent == main ? 0 : c->downstream_of_op[m->regions.at[o->parent].parent];
        for (ValueId v = o->first_result, end = v + o->n_results; v < end; v++)
            downstream = downstream ? BOTH(downstream, of_value[v]) : of_value[v];
        if (o->kind == kind && o->parent == main) downstream = add_member(c, op, downstream, a);
        if (o->n_regions) c->downstream_of_op[op] = downstream;
        if (!downstream) continue;
        for (const ValueId *v = op_operands(m, op), *end = v + o->n_operands; v < end; v++)
            of_value[*v] = of_value[*v] ? BOTH(downstream, of_value[*v]) : downstream;
    }
}

// ---- Groups ----------------------------------------------------------------------------------------------------------

// By op: when it is there if all that results are made of is computed as they read it, one result after another. Not of
// what leads to this kind.
static uint32_t *rank_postorder(const CollectiveCombiner *c, uint32_t kind, Arena *a) {
    const Module *m = c->m;
    enum { NOT_MET, OPEN, FIRST };
    uint32_t *rank = arena_zalloc(a, m->ops.n * sizeof *rank), next = FIRST;
    VEC(OpId) asked = {0};
    vec_push(a, &asked, region_terminator(m, op_region(m, module_main(m), 0)));
    while (asked.n) {
        OpId op = asked.at[asked.n - 1];
        if (rank[op] != NOT_MET) {
            asked.n--;
            if (rank[op] == OPEN) rank[op] = next++;
            continue;
        }
        rank[op] = OPEN;
        for (uint32_t i = op_get(m, op)->n_operands; i-- > 0;) {
            const Value *val = &m->values.at[op_operand(m, op, i)];
            if (!val->is_arg && rank[val->owner] == NOT_MET && !(c->downstream[op_operand(m, op, i)] >> kind & 1))
                vec_push(a, &asked, val->owner);
        }
    }
    return rank;
}

static bool member_before(const Member *x, const Member *y) {
    return x->level != y->level ? x->level < y->level : x->rank < y->rank;
}

DEFINE_SORT(sort_members, Member, member_before)

typedef struct Group {
    OpId first, last;
    double bytes;
} Group;

// Into the first group of its level that has room for it.
static void assign_groups(const Kind *kind, double limit, OpId *next, Arena *a) {
    VEC(Group) groups = {0};
    uint32_t from = 0; // the first group of the level
    for (uint32_t i = 0; i < kind->members.n; i++) {
        const Member *one = &kind->members.at[i];
        if (i && one->level != one[-1].level) from = groups.n;
        uint32_t at = from;
        while (at < groups.n && groups.at[at].bytes + one->bytes > limit) at++;
        if (at == groups.n) {
            vec_push(a, &groups, ((Group){one->op, one->op, one->bytes}));
            continue;
        }
        Group *g = &groups.at[at];
        next[g->last] = one->op;
        next[g->last = one->op] = g->first;
        g->bytes += one->bytes;
    }
}

void combine_collectives(const Module *m, const ProgramOrder *written, OpKind kind, double limit, OpId *next,
                         Arena *a) {
    if (written->count[kind] < 2) return;
    CollectiveCombiner c = {.m = m,
                            .downstream = arena_zalloc(a, m->values.n * sizeof *c.downstream),
                            .downstream_of_op = arena_zalloc(a, m->ops.n * sizeof *c.downstream_of_op)};
    for (uint32_t k = 0; k < MAX_KINDS; k++) c.kinds[k] = (Kind){.axes = NO_ID};
    find_members(&c, written, kind, a);
    for (uint32_t k = 0; k < MAX_KINDS; k++) {
        Kind *one = &c.kinds[k];
        const uint32_t *rank = one->bytes > limit ? rank_postorder(&c, k, a) : NULL;
        for (uint32_t i = 0; rank && i < one->members.n; i++) one->members.at[i].rank = rank[one->members.at[i].op];
        sort_members(one->members.at, one->members.n, a);
        assign_groups(one, limit, next, a);
    }
}
