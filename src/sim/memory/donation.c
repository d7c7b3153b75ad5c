// Donation: as JAX marks it.
//
// Which kernels have to run before a result is written: those that it is made from. Of many readers at a time, bits flow
// along the program.
#include "sim/memory/donation.h"
#include "sim/cost/op_cost.h"

const int64_t *find_donated(const Module *m, RegionId body, Arena *a) {
    const Region *r = &m->regions.at[body];
    AttrId attrs = op_attr(m, r->parent, A_arg_attrs);
    const Attr *all = attrs == NO_ID ? NULL : attr_get(m, attrs);
    NameId aliasing = name_find(m, SPAN("tf.aliasing_output")), donor = name_find(m, SPAN("jax.buffer_donor"));
    int64_t *donated = arena_new(a, int64_t, r->n_args);
    for (uint32_t i = 0; i < r->n_args; i++) {
        const Attr *one = all && i < all->n ? attr_get(m, all->items[i]) : NULL;
        uint32_t n = one && one->kind == ATTR_DICT ? one->n : 0, k = 0;
        while (k < n && one->entries[k].name != aliasing && one->entries[k].name != donor) k++;
        donated[i] = k == n                          ? NOT_DONATED
                     : one->entries[k].name == donor ? DONATED_TO_ANY
                                                     : attr_get(m, one->entries[k].value)->i;
    }
    return donated;
}

// ---- Copies --------------------------------------------------------------------------------------------------------

typedef struct DonatedReader {
    OpId kernel, writer; // the writer of the argument's result
    uint32_t argument;
} DonatedReader;

typedef struct Donation {
    const Module *m;
    const OpSchedule *order;
    const Fusion *f;
    Arena *a;
    const Users *u;
    VEC(ValueId) open; // values that are the argument itself or computed inside the kernels that read it
    VEC(DonatedReader) readers;
} Donation;

static bool is_seen(const Donation *d, uint32_t from, OpId kernel) {
    for (uint32_t i = from; i < d->readers.n; i++)
        if (d->readers.at[i].kernel == kernel) return true;
    return false;
}

#define MAX_FORWARDED 64 // values; a reader behind more of them is taken to run in time

static void find_readers(Donation *d, uint32_t argument, ValueId v, OpId writer) {
    const Module *m = d->m;
    uint32_t from = d->readers.n;
    d->open.n = 0;
    vec_push(d->a, &d->open, v);
    for (uint32_t k = 0; k < d->open.n && k < MAX_FORWARDED; k++) {
        v = d->open.at[k];
        for (uint32_t i = d->u->first[v]; i < d->u->first[v + 1]; i++) {
            OpId op = d->u->op[i];
            if (op == writer || op_is_terminator(op_kind(m, op))) continue;
            ValueId out = op_get(m, op)->n_results ? op_result(m, op, 0) : NO_ID;
            bool inside = out != NO_ID && d->f->place[out] != PLACE_BUFFER;
            if (inside)
                vec_push(d->a, &d->open, out);
            else if (!is_seen(d, from, op))
                vec_push(d->a, &d->readers, ((DonatedReader){op, writer, argument}));
            if (!inside && out != NO_ID && d->f->duplicated[out]) vec_push(d->a, &d->open, out);
        }
    }
}

#define AT_A_TIME 256

typedef struct Before { // a bit for each of some readers: it runs before the op
    uint64_t bits[AT_A_TIME / 64];
} Before;

static void merge_bits(Before *to, const Before *from) {
    for (uint32_t i = 0; i < AT_A_TIME / 64; i++) to->bits[i] |= from->bits[i];
}

// Marks the arguments of those of the readers, at most AT_A_TIME, that their writers do not need.
static void mark_late(const Donation *d, const DonatedReader *readers, uint32_t n, Before *before, uint8_t *copied) {
    const Module *m = d->m;
    const OpSchedule *order = d->order;
    RegionId body = op_region(m, module_main(m), 0);
    uint32_t first = order->n, end = 0;
    memset(before, 0, m->ops.n * sizeof *before);
    for (uint32_t i = 0; i < n; i++) {
        before[readers[i].kernel].bits[i / 64] |= UINT64_C(1) << i % 64;
        OpId kernel = readers[i].kernel;
        uint32_t begin = runs_regions(op_kind(m, kernel)) ? order->first[kernel] : order->position[kernel];
        if (begin < first) first = begin;
        if (order->position[readers[i].writer] >= end) end = order->position[readers[i].writer] + 1;
    }
    for (uint32_t p = first; p < end; p++) {
        const Op *o = op_get(m, order->at[p]);
        const ValueId *operands = m->operands.at + o->first_operand;
        for (uint32_t i = 0; i < o->n_operands; i++) {
            const Value *val = &m->values.at[operands[i]];
            if (!val->is_arg) merge_bits(&before[order->at[p]], &before[val->owner]);
        }
        if (o->parent != body) merge_bits(&before[m->regions.at[o->parent].parent], &before[order->at[p]]);
    }
    for (uint32_t i = 0; i < n; i++)
        if (!(before[readers[i].writer].bits[i / 64] >> i % 64 & 1)) copied[readers[i].argument] = 1;
}

const uint8_t *donated_copies(const Module *m, const OpSchedule *order, const Fusion *f, Arena *a) {
    RegionId body = op_region(m, module_main(m), 0);
    uint32_t n = m->regions.at[body].n_args;
    OpId ret = region_terminator(m, body);
    Donation d = {.m = m, .order = order, .f = f, .a = a, .u = &f->users};
    uint8_t *copied = arena_zalloc(a, n + 1);
    double all = 0;
    for (uint32_t i = 0; i < n; i++) all += value_bytes(m, m->regions.at[body].first_arg + i);
    for (uint32_t i = 0; i < n; i++) {
        ValueId arg = m->regions.at[body].first_arg + i;
        int64_t to = f->donated[i];
        if (to < 0 || to >= op_get(m, ret)->n_operands || value_bytes(m, arg) * 2000 < all) continue;
        const Value *out = &m->values.at[op_operand(m, ret, (uint32_t)to)];
        if (!out->is_arg) find_readers(&d, i, arg, out->owner);
    }
    Before *before = d.readers.n ? arena_new(a, Before, m->ops.n) : NULL;
    for (uint32_t i = 0; i < d.readers.n; i += AT_A_TIME) {
        uint32_t left = d.readers.n - i;
        mark_late(&d, d.readers.at + i, left < AT_A_TIME ? left : AT_A_TIME, before, copied);
    }
    return copied;
}
