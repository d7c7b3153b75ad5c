// Causes: from a value of the device-local program back to the node of PartIR:Core whose nest says how it lies.
#include "sim/report/sim_cause.h"
#include "spmd/summary/summary.h"

ValueId source_value(const Partition *p, ValueId v) {
    const Lowered *l = p->lowered;
    for (;;) {
        const Value *val = &l->m->values.at[v];
        if (val->is_arg) {
            bool of_main = l->m->regions.at[val->owner].parent == module_main(l->m);
            return of_main ? p->m->regions.at[p->graph.body].first_arg + val->index : NO_ID;
        }
        CollectiveKind kind;
        AxisSet axes;
        double sent;
        if (op_kind(l->m, val->owner) != OP_partir_all_slice &&
            !collective_of(l->m, l->mesh, val->owner, &kind, &axes, &sent)) {
            OpId origin = l->origin[val->owner];
            bool has = origin != NO_ID && val->index < op_get(p->m, origin)->n_results;
            return has ? op_result(p->m, origin, val->index) : NO_ID;
        }
        v = op_operand(l->m, val->owner, 0);
    }
}

bool value_could_split(const Partition *p, ValueId v, AxisId *axis, uint32_t *dim) {
    const Value *val = &p->lowered->m->values.at[v];
    ValueId source = val->is_arg || p->lowered->image[val->owner] ? source_value(p, v) : NO_ID;
    Port port = source == NO_ID ? (Port){NO_ID, 0} : p->graph.producer[source];
    const Dist *d = p->lowered->dist[v];
    int64_t most = 1;
    for (uint32_t a = 0; port.node != NO_ID && a < p->mesh.n_axes; a++) {
        bool used = state_factor(&p->state, port.node, (AxisId)a) != NO_FACTOR ||
                    (d && axes_named(p->lowered->mesh, d->pending) >> a & 1);
        if (used || p->mesh.axes[a].size <= most) continue;
        uint32_t rank = rule_rank(p->graph.nodes[port.node].rule, port.tensor);
        for (uint32_t i = 0; i < rank; i++) {
            uint8_t factor = state_factor_at(&p->state, port.node, port.tensor, i);
            if (state_legal(&p->state, port.node, (AxisId)a, factor) != ACTION_OK) continue;
            most = p->mesh.axes[a].size, *axis = (AxisId)a, *dim = i;
            break;
        }
    }
    return most > 1;
}
