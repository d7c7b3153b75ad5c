// Record: writes one entry for each source op when it is lowered.
#include "spmd/lower/record.h"

void record_init(Record *r, const Module *src, Arena *a) {
    *r = (Record){.a = a,
                  .from = arena_zalloc(a, src->ops.n * sizeof *r->from),
                  .to = arena_zalloc(a, src->ops.n * sizeof *r->to),
                  .asked = arena_zalloc(a, src->ops.n * sizeof *r->asked),
                  .region = arena_new(a, RegionId, src->regions.n)};
    memset(r->region, 0xff, src->regions.n * sizeof *r->region);
}

static RecordExtent extent(const Lowering *l) {
    const Module *m = l->out;
    return (RecordExtent){m->ops.n,     m->values.n,     m->operands.n,      m->op_attrs.n,
                          m->regions.n, m->op_regions.n, l->record->events.n};
}

bool record_op(Lowering *l, OpId op) {
    Record *r = l->record;
    AxisSet outer = r->asking;
    r->asking = 0;
    r->from[op] = extent(l);
    bool ok = lower_any(l, op);
    r->to[op] = extent(l);
    r->asked[op] = r->asking;
    r->asking |= outer;
    return ok;
}
