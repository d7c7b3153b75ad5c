// Lookups in chunks: a table is stored tiled on an axis that also splits the indices of a gather (BP on the tokens, then ZeRO-3
// on the table's rows). The gather's nest holds the axis once, for the indices, so the table would be gathered whole. Where
// that sends more, the indices are gathered instead, each device looks up what is in its chunk of the table, and the rows go
// to whom they belong:
//
//     table [{batch}, {}] of 32768 rows, x [{batch}] of 64 tokens       [{}] = all_gather x; the table stays
//     masked lookup [{}, {}] + sum{batch}                               [{batch}, {}] = reduce_scatter
//
// A table that is tiled in its columns gives columns of all rows, which an all_to_all turns into rows. What is sent is known
// from static sizes alone.
#include "spmd/lower/lowering.h"

static double chunk_bytes(Lowering *l, const Dist *d, TypeId global) {
    const Type *t = type_get(l->out, local_type(l, d, global));
    double bytes = (double)elem_bits((Elem)t->elem) / 8;
    for (uint32_t i = 0; i < t->rank; i++) bytes *= (double)t->dims[i];
    return bytes;
}

// How many devices a step is among: those along the axes that lie otherwise before than after it.
static double devices_of_step(const Lowering *l, const MoveStep *s) {
    double size = 1;
    for (uint32_t a = 0; a < l->mesh->n_axes; a++) {
        bool summed = (s->from->pending & ~s->to->pending) >> a & 1;
        if (summed || dist_dim_of(s->from, (AxisId)a) != dist_dim_of(s->to, (AxisId)a))
            size *= (double)l->mesh->axes[a].size;
    }
    return size;
}

// What each device sends to bring a value from one distribution to another.
double redistribution_bytes(Lowering *l, const Dist *from, const Dist *to, TypeId global) {
    const MovePlan *plan = plan_redistribution(&l->planner, from, to, global);
    double sent = 0;
    for (uint32_t i = 0; i < plan->n; i++) {
        const MoveStep *s = &plan->steps[i];
        double before = chunk_bytes(l, s->from, global), group = devices_of_step(l, s);
        switch (s->kind) {
        case STEP_SLICE: break;
        case STEP_GATHER: sent += chunk_bytes(l, s->to, global) - before; break;
        case STEP_PERMUTE: sent += before; break;
        case STEP_ALL_REDUCE: sent += 2 * before * (group - 1) / group; break;
        case STEP_ALL_TO_ALL:
        case STEP_REDUCE_SCATTER: sent += before * (group - 1) / group; break;
        }
    }
    return sent;
}

// The place in the nest of an axis that splits the indices alone, and the factor by which the table has that axis. False if
// there is none.
static bool find_swap(const Lowering *l, NodeId n, const Dist *table, uint32_t *place, uint8_t *factor) {
    const Rule *r = l->g->nodes[n].rule;
    uint32_t len, count;
    const NestEntry *nest = state_nest(l->s, n, &len);
    for (uint32_t k = 0; k < len; k++) {
        int dim = dist_dim_of(table, nest[k].axis);
        if (dim < 0 || rule_factor_dim(r, nest[k].factor, 0) >= 0 || rule_factor_dim(r, nest[k].factor, 1) < 0) continue;
        const uint8_t *factors = rule_dim(r, 0, (uint32_t)dim, &count);
        FactorKind kind = count == 1 ? r->factors[factors[0]].kind : FACTOR_WHOLE;
        if (kind != FACTOR_PASS && kind != FACTOR_REDUCE) continue;
        int64_t size = state_local_size(l->s, n, factors[0]);
        if (size == 0 || size % l->mesh->axes[nest[k].axis].size != 0) continue;
        *place = k;
        *factor = factors[0];
        return true;
    }
    return false;
}

// What the op sends with the nest as it is now, to get its operands and to store its result.
static double lookup_bytes(Lowering *l, OpId op, NodeId n, const Dist *stored, TypeId result) {
    double sent = 0;
    for (uint32_t i = 0; i < 2; i++) {
        ValueId v = op_operand(l->src, op, i);
        if (value_is_source(l->src, v)) continue; // made where it is used
        sent += redistribution_bytes(l, l->dist[v], node_dist(l, n, i, 0, 0, MONOID_ADD),
                           import_type(&l->im, value_type(l->src, v)));
    }
    AxisSet pending = l->pending.natural[op_result(l->src, op, 0)] | l->swapped.pending;
    return sent + redistribution_bytes(l, node_dist(l, n, 2, 0, pending, MONOID_ADD), stored, result);
}

bool lookup_in_chunks(Lowering *l, OpId op, NodeId n, const Dist *stored) {
    ValueId table = op_operand(l->src, op, 0);
    uint32_t len, place;
    uint8_t factor;
    if (l->options.gathers == GATHERS_WHOLE_TABLES || is_shared(l, table) || l->pending.absorbed[n]) return false;
    if (value_is_source(l->src, table) || l->dist[table]->n == 0 || l->g->nodes[n].rule->monoid != MONOID_ADD) return false;
    const NestEntry *nest = state_nest(l->s, n, &len);
    if (!find_swap(l, n, l->dist[table], &place, &factor)) return false;
    TypeId result = import_type(&l->im, value_type(l->src, op_result(l->src, op, 0)));
    double whole = lookup_bytes(l, op, n, stored, result);
    memcpy(l->swapped.nest, nest, place * sizeof *nest);
    memcpy(l->swapped.nest + place, nest + place + 1, (len - place - 1) * sizeof *nest);
    l->swapped.nest[len - 1] = (NestEntry){nest[place].axis, factor}; // minor to what tiles the table's dimension already
    l->swapped.len = len;
    l->swapped.pending = l->g->nodes[n].rule->factors[factor].kind == FACTOR_REDUCE ? (AxisSet)1 << nest[place].axis : 0;
    l->swapped.node = n;
    if (lookup_bytes(l, op, n, stored, result) < whole) return true;
    lookup_done(l);
    return false;
}

void lookup_done(Lowering *l) {
    l->swapped.node = NO_ID;
    l->swapped.pending = 0;
}
