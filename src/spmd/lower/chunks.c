// Ops in chunks: a table is stored tiled on an axis that also splits the indices of a gather (BP on the tokens, then ZeRO-3
// on the table's rows). The gather's nest holds the axis once, for the indices, so the table would be gathered whole. Where
// that sends more, the indices are gathered instead, each device looks up the rows in its chunk of the table, and the rows go
// to the devices that asked for them:
//
//     table [{batch}, {}] of 32768 rows, x [{batch}] of 64 tokens       [{}] = all_gather x; the table stays
//     masked lookup [{}, {}] + sum{batch}                               [{batch}, {}] = reduce_scatter
//
// A table tiled in its columns gives columns of all rows, and an all_to_all turns these into rows. With `gathers least`,
// products are computed in this way too, in the chunks of an operand or of a stored result (a gradient). The comparison
// needs static sizes alone.
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

// The place in the nest of an axis that splits what a tensor does not have, though the tensor lies in chunks on it; and the
// factor of which those are chunks. False if there is none.
static bool find_swap(const Lowering *l, NodeId n, uint32_t tensor, const Dist *lies, uint32_t *place, uint8_t *factor) {
    const Rule *r = l->g->nodes[n].rule;
    uint32_t len, count;
    const NestEntry *nest = state_nest(l->s, n, &len);
    for (uint32_t k = 0; k < len; k++) {
        int dim = dist_dim_of(lies, nest[k].axis);
        if (dim < 0 || rule_factor_dim(r, nest[k].factor, tensor) >= 0) continue;
        const uint8_t *factors = rule_dim(r, tensor, (uint32_t)dim, &count);
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

AxisSet lowered_pending(const Lowering *l, ValueId result) {
    return (l->pending.natural[result] | l->swapped.summed) & ~l->swapped.split;
}

// What the op sends with the nest as it is now, to get its operands and to store its result.
static double sent_bytes(Lowering *l, OpId op, NodeId n, const Dist *stored) {
    double sent = 0;
    for (uint32_t i = 0; i < 2; i++) {
        ValueId v = op_operand(l->src, op, i);
        if (value_is_source(l->src, v)) continue; // made where it is used
        sent += redistribution_bytes(l, l->dist[v], node_dist(l, n, i, 0, 0, MONOID_ADD),
                           import_type(&l->im, value_type(l->src, v)));
    }
    ValueId v = op_result(l->src, op, 0);
    const Dist *made = node_dist(l, n, 2, 0, lowered_pending(l, v), MONOID_ADD);
    return sent + redistribution_bytes(l, made, stored, import_type(&l->im, value_type(l->src, v)));
}

// Lowers the node with another nest from here on: the axis at a place splits another factor.
static void swap_nest(Lowering *l, NodeId n, uint32_t place, uint8_t factor) {
    const Rule *r = l->g->nodes[n].rule;
    uint32_t len;
    const NestEntry *nest = state_nest(l->s, n, &len);
    AxisSet axis = (AxisSet)1 << nest[place].axis;
    memcpy(l->swapped.nest, nest, place * sizeof *nest);
    memcpy(l->swapped.nest + place, nest + place + 1, (len - place - 1) * sizeof *nest);
    l->swapped.nest[len - 1] = (NestEntry){nest[place].axis, factor}; // minor to what tiles the dimension already
    l->swapped.len = len;
    l->swapped.summed = r->factors[factor].kind == FACTOR_REDUCE ? axis : 0;
    l->swapped.split = r->factors[nest[place].factor].kind == FACTOR_REDUCE ? axis : 0;
    l->swapped.node = n;
}

bool stays_in_chunks(Lowering *l, OpId op, NodeId n, const Dist *stored) {
    OpKind kind = op_kind(l->src, op);
    bool product = kind == OP_dot_general && l->options.gathers == GATHERS_LEAST;
    if (!product && (kind != OP_gather || l->options.gathers == GATHERS_WHOLE_TABLES)) return false;
    if (l->pending.absorbed[n] || l->g->nodes[n].rule->monoid != MONOID_ADD) return false;
    uint32_t place = 0, best_place = 0;
    uint8_t factor = 0, best_factor = 0;
    double whole = -1, best = 0;
    for (uint32_t tensor = 0; tensor < (product ? 3u : 1u); tensor++) {
        ValueId v = tensor < 2 ? op_operand(l->src, op, tensor) : NO_ID;
        if (v != NO_ID && (value_is_source(l->src, v) || is_shared(l, v))) continue;
        const Dist *lies = v == NO_ID ? stored : l->dist[v];
        if (lies->n == 0 || !find_swap(l, n, tensor, lies, &place, &factor)) continue;
        if (whole < 0) best = whole = sent_bytes(l, op, n, stored);
        swap_nest(l, n, place, factor);
        double sent = sent_bytes(l, op, n, stored);
        chunks_done(l);
        if (sent >= best) continue;
        best = sent;
        best_place = place;
        best_factor = factor;
    }
    if (best >= whole) return false;
    swap_nest(l, n, best_place, best_factor);
    return true;
}

void chunks_done(Lowering *l) {
    l->swapped.node = NO_ID;
    l->swapped.summed = l->swapped.split = 0;
}
