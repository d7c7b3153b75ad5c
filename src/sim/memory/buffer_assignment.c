// Buffer assignment: finds what is alive at each moment, and places temporaries.
#include "sim/backend/rules.h"
#include "sim/memory/buffers.h"
#include <math.h>
#include <stdlib.h>

static int larger_resident_first(const void *a, const void *b) {
    const Resident *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

void sort_residents(MemoryUse *use) {
    if (use->n_residents) qsort(use->residents, use->n_residents, sizeof *use->residents, larger_resident_first);
}

#define SPARE 0.002 // of the peak: what small buffers may have together for their places not to be looked for

// As they come, if that leaves this part of the memory, which it cannot if what is alive at the peak takes more; else, or as far as the
// compiler knows no other way, the largest first.
static double pack_temporaries(Liveness *l, uint32_t n_args, double peak, double kept, double memory) {
    double filled = l->backend->pack_by_time_fill * memory;
    HeapBlock *blocks = arena_new(l->a, HeapBlock, l->all.n);
    FreeWindow *windows = arena_new(l->a, FreeWindow, l->all.n);
    uint32_t n = 0, n_windows = 0;
    for (uint32_t i = 0; i < l->all.n; i++) {
        const Alive *b = &l->all.at[i];
        if (b->bytes == 0) continue;
        uint32_t from = b->home == NO_ID ? 0 : l->all.at[b->home].end + 1;
        if (!b->kept)
            blocks[n++] = (HeapBlock){b->bytes, b->start, b->end, i};
        else if (i >= n_args && b->start > from + 1)
            windows[n_windows++] = (FreeWindow){.bytes = b->bytes, .start = from, .end = b->start - 1};
    }
    double in_time = peak <= filled ? pack_by_time(blocks, n, windows, n_windows, filled - kept, l->a) : INFINITY;
    return in_time < INFINITY ? in_time : pack_by_size(blocks, n, windows, n_windows, SPARE * peak, l->a);
}

// Whether all cores of a device compute all of a value: loops over elements and reductions. Products, with what follows them in their
// kernels, gathers, scatters, sorts and copies are shared out among the cores.
static bool is_made_by_each_core(const Liveness *l, ValueId v) {
    const Module *m = l->m;
    const Value *val = &m->values.at[v];
    if (val->is_arg) return false;
    OpKind kind = op_kind(m, val->owner);
    return !l->f->has_product[val->owner] && (op_is_elementwise(kind) || kind == OP_reduce || kind == OP_broadcast_in_dim);
}

// Whether products and gathers from it alone read an argument, as it lies and as it is: XLA takes all else for activations, of which the
// next run has others.
static bool looks_like_weight(const Liveness *l, ValueId arg) {
    const Module *m = l->m;
    const Users *u = &l->f->users;
    for (uint32_t k = u->first[arg]; k < u->first[arg + 1]; k++) {
        const Op *o = op_get(m, u->op[k]);
        bool table = o->kind == OP_gather && u->slot[k] == o->first_operand;
        if (!(IS_PRODUCT(o->kind) || table) || (l->f->relaid && l->f->relaid[u->slot[k]] > 0)) return false;
    }
    return count_users(u, arg) > 0;
}

// Cross-program prefetch: the largest argument of these that fits.
static void prefetch_argument(const Liveness *l, MemorySpace *vmem) {
    uint32_t n_args = l->m->regions.at[l->body].n_args, best = NO_ID;
    for (uint32_t i = 0; i < n_args; i++) {
        const Alive *b = &l->all.at[i];
        bool larger = best == NO_ID || b->bytes > l->all.at[best].bytes;
        if (larger && b->bytes <= vmem->bytes && !b->writable && looks_like_weight(l, b->value)) best = i;
    }
    if (best == NO_ID) return;
    vmem->candidates[best].matters = false; // its uses find it there
    memory_space_prefetch(vmem, best, l->of[l->all.at[best].value].last);
}

double assign_memory_space(Liveness *l, MemorySpace *vmem) {
    memory_space_begin(vmem, l->all.n);
    for (uint32_t i = 0; i < l->all.n; i++) {
        const Alive *b = &l->all.at[i];
        bool matters = memory_space_considers(vmem, b->bytes) &&
                       (vmem->cores < 2 || b->kept || is_made_by_each_core(l, b->value));
        vmem->candidates[i] =
            (VmemCandidate){b->bytes, b->start, b->end, .used = NO_ID, .kept = b->kept, .matters = matters};
    }
    prefetch_argument(l, vmem);
    for (const ValueUse *use = l->uses, *end = use + l->n_uses; use < end; use++) {
        uint32_t buffer = l->of[use->value].buffer;
        if (buffer == NO_ID || !vmem->candidates[buffer].matters) continue;
        if (2 * use->position <= vmem->candidates[buffer].end) memory_space_use(vmem, buffer, use->position);
    }
    for (uint32_t i = 0; i < l->all.n; i++)
        if ((l->all.at[i].moved || l->all.at[i].hoisted) && vmem->candidates[i].matters) {
            memory_space_use(vmem, i, l->all.at[i].start / 2);
            memory_space_use(vmem, i, (l->all.at[i].end + 1) / 2);
        }
    double most = memory_space_assign(vmem, l->all.n);
    for (uint32_t i = 0; i < l->all.n; i++)
        if (vmem->candidates[i].lives) l->all.at[i].bytes = 0;
    return most;
}

// What a temporary may take beyond what it is given, if the compiler has a reason to leave it in the order in which it is written.
static double layout_slack(const Liveness *l, const Alive *b) {
    if (!l->f->tiled_layout || b->kept || b->bytes == 0) return 0;
    const Type *t = value_tensor(l->m, b->value);
    double now = l->f->tiled_layout[b->value], written = tile_padding_as_written(t);
    return written > now && now == tile_padding(t) ? b->bytes * (written / now - 1) : 0;
}

static MemoryUse find_peak(Liveness *l) {
    uint32_t n = 2 * l->order->n + 2;
    double *change = arena_zalloc(l->a, (n + 1) * sizeof *change),
           *over_time = arena_new(l->a, double, l->order->n + 1);
    MemoryUse out = {.peak_op = NO_ID, .n_steps = l->order->n, .over_time = over_time, .ops = l->order->at};
    uint32_t n_args = l->m->regions.at[l->body].n_args, when = 0;
    for (uint32_t i = 0; i < l->all.n; i++) {
        change[l->all.at[i].start] += l->all.at[i].bytes;
        change[l->all.at[i].end + 1] -= l->all.at[i].bytes;
        if (i < n_args) out.arguments += l->all.at[i].bytes;
    }
    double now = 0;
    for (uint32_t p = 0; p <= l->order->n; p++) {
        double begin = now += change[2 * p], end = now += change[2 * p + 1];
        if (begin > out.peak) out.peak = begin, when = 2 * p;
        if (end > out.peak) out.peak = end, when = 2 * p + 1;
        over_time[p] = begin > end ? begin : end;
    }
    if (when / 2 < l->order->n) out.peak_op = l->order->at[when / 2];
    Resident *residents = arena_new(l->a, Resident, l->all.n);
    for (uint32_t i = 0; i < l->all.n; i++) {
        const Alive *b = &l->all.at[i];
        if (b->start > when || when > b->end || b->bytes == 0) continue;
        bool padded = l->f->tiled_layout && b->bytes == kept_bytes(l->m, l->f, b->value); // not what an op keeps for itself
        residents[out.n_residents++] =
            (Resident){b->value, b->bytes, padded ? b->bytes / l->f->tiled_layout[b->value] : b->bytes, b->hoisted};
        out.most += layout_slack(l, b);
    }
    out.most += out.peak;
    out.residents = residents;
    return out;
}

static void add_gaps(Liveness *l, double memory, MemoryUse *use) {
    double kept = use->arguments + l->results;
    double packed = kept + pack_temporaries(l, l->m->regions.at[l->body].n_args, use->peak, kept, memory);
    if (packed <= use->peak) return;
    use->gaps = packed - use->peak, use->most += use->gaps;
    use->peak = packed;
}

// Gaps make no difference if all does not fit without them: then something is rematerialized first.
MemoryUse assign_buffers(Liveness *l, double memory) {
    MemoryUse use = find_peak(l);
    if (l->rematerialized || use.peak <= remat_limit(l, memory)) add_gaps(l, memory, &use);
    return use;
}
