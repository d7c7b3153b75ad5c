// Collectives that run together: backwards, so that it is known of each value which kinds of them are made of it.
#include "sim/together.h"
#include "sim/cost.h"

#define MAX_KINDS 8 // sets of axes, as a bit each

typedef struct Group {
    OpId first, last;
    double bytes;
} Group;

typedef struct Kind { // by axes
    AttrId axes;
    uint8_t leads_to; // kinds that these, and those that run together with them, are needed for
    VEC(Group) groups;
} Kind;

static uint32_t kind_of(const Module *m, OpId op, Kind *kinds) {
    AttrId axes = op_attr(m, op, A_axes);
    uint32_t k = 0;
    while (k < MAX_KINDS && kinds[k].axes != NO_ID && kinds[k].axes != axes) k++;
    if (k < MAX_KINDS) kinds[k].axes = axes;
    return k;
}

// Whether one of this kind may run together with others: not if these wait for one that waits for it.
static bool may_join(Kind *kinds, uint32_t kind, uint8_t leads_to) {
    for (uint32_t k = 0; k < MAX_KINDS; k++)
        if (leads_to >> k & 1) leads_to |= kinds[k].leads_to;
    if (leads_to >> kind & 1) return false;
    kinds[kind].leads_to |= leads_to;
    for (uint32_t k = 0; k < MAX_KINDS; k++)
        if (kinds[k].leads_to >> kind & 1) kinds[k].leads_to |= leads_to;
    return true;
}

// Into the first group that has room for it.
static void join(Kind *kind, OpId op, double bytes, double limit, OpId *next, Arena *a) {
    uint32_t i = 0;
    while (i < kind->groups.n && kind->groups.at[i].bytes + bytes > limit) i++;
    if (i == kind->groups.n) {
        vec_push(a, &kind->groups, ((Group){op, op, bytes}));
        return;
    }
    Group *g = &kind->groups.at[i];
    next[op] = g->first;
    g->first = op;
    g->bytes += bytes;
}

void find_together(const Module *m, const Written *written, OpKind kind, double limit, OpId *next, Arena *a) {
    if (written->count[kind] < 2) return;
    uint8_t *leads_to = arena_zalloc(a, m->values.n), *of_op = arena_zalloc(a, m->ops.n); // kinds
    Kind kinds[MAX_KINDS];
    RegionId main = op_region(m, module_main(m), 0);
    for (uint32_t k = 0; k < MAX_KINDS; k++) kinds[k] = (Kind){.axes = NO_ID};
    for (uint32_t p = written->n; p-- > 0;) {
        OpId op = written->at[p];
        const Op *o = op_get(m, op);
        uint8_t to = o->parent == main ? 0 : of_op[m->regions.at[o->parent].parent]; // a loop needs what its body does
        for (uint32_t i = 0; i < o->n_results; i++) to |= leads_to[o->first_result + i];
        if (o->kind == kind && o->parent == main) {
            uint32_t k = kind_of(m, op, kinds);
            if (k < MAX_KINDS && may_join(kinds, k, to))
                join(&kinds[k], op, value_bytes(m, op_result(m, op, 0)), limit, next, a);
            if (k < MAX_KINDS) to |= (uint8_t)(1u << k);
        }
        if (o->n_regions) of_op[op] = to;
        if (!to) continue;
        for (const ValueId *v = op_operands(m, op), *end = v + o->n_operands; v < end; v++) leads_to[*v] |= to;
    }
    for (uint32_t k = 0; k < MAX_KINDS; k++)
        for (uint32_t i = 0; i < kinds[k].groups.n; i++) {
            const Group *g = &kinds[k].groups.at[i];
            if (g->first != g->last) next[g->last] = g->first;
        }
}
