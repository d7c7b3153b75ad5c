// Breadth-first scheduling: a queue of ready kernels. A fused op or one without a kernel does not enter the queue: its users are
// notified at once.
//
// Copies of operands are kernels too. A copy is ready as soon as its operand is; a weight is ready at the start of the step.
#include "sim/schedule/schedulers.h"

typedef struct Bfs {
    const Module *m;
    const Fusion *f;
    OpSchedule *out;
    Users u;
    uint32_t *pending; // by op: users_pending
    uint32_t *queue;   // ops; or the use to copy for, plus the number of ops. A region inside uses what is behind the
                       // outer one's part
    OpId *passing;     // fused ops that are ready, a stack
    uint32_t tail, n_passing;
    const OpId *sums; // by op: of combined sums, the next in a ring; NO_ID for all else
    OpId *ring;       // by op of a ring: the first of it
    uint32_t *waits;  // by first op of a ring: how many of it are not ready
} Bfs;

// ---- The queue -----------------------------------------------------------------------------------------------------

// All that the op waited for is there.
static void enqueue_ready(Bfs *b, OpId op) {
    if (is_inside_kernels(b->m, b->f, op)) {
        b->passing[b->n_passing++] = op;
        return;
    }
    OpId first = op;
    if (b->sums[op] != NO_ID && --b->waits[b->ring[op]] > 0) return; // one of the sums is not ready
    do b->queue[b->tail++] = op;
    while (b->sums[op] != NO_ID && (op = b->sums[op]) != first);
}

static void find_rings(Bfs *b, Arena *a) {
    uint32_t n = b->m->ops.n;
    b->ring = arena_new(a, OpId, n);
    b->waits = arena_zalloc(a, n * sizeof *b->waits);
    memset(b->ring, 0xff, n * sizeof *b->ring);
    for (OpId first = 0; first < n; first++)
        for (OpId op = first; b->sums[op] != NO_ID && b->ring[op] == NO_ID; op = b->sums[op]) {
            b->ring[op] = first;
            b->waits[first]++;
        }
}

#define MAX_ORDERS 64 // of dimensions that copies of one value are remembered in

// Whether an earlier use needs the same copy. Each order of dimensions is met first by its first use.
static bool is_copied_before(const Bfs *b, ValueId v, uint32_t k, uint32_t *orders, uint32_t *n) {
    uint32_t order = b->f->copied[b->u.slot[k]];
    for (uint32_t i = 0; i < *n; i++)
        if (orders[i] == order) return true;
    if (*n < MAX_ORDERS) return orders[(*n)++] = order, false;
    for (uint32_t i = b->u.first[v]; i < k; i++)
        if (b->f->copied[b->u.slot[i]] == order) return true;
    return false;
}

// Who waits for the value goes on, or waits for a copy of it: one for all that need the same order.
static void release_value(Bfs *b, ValueId v) {
    const uint32_t *slot = b->u.slot, *copied = b->f->copied;
    const OpId *op = b->u.op;
    uint32_t *pending = b->pending, orders[MAX_ORDERS], n_orders = 0;
    for (uint32_t k = b->u.first[v], end = b->u.first[v + 1]; k < end; k++) {
        if (!copied || !copied[slot[k]]) {
            if (--pending[op[k]] == 0) enqueue_ready(b, op[k]);
        } else if (!is_copied_before(b, v, k, orders, &n_orders)) {
            b->queue[b->tail++] = b->m->ops.n + k;
        }
    }
}

static void release_results(Bfs *b, OpId op) {
    for (uint32_t i = 0; i < op_get(b->m, op)->n_results; i++) release_value(b, op_result(b->m, op, i));
}

static void forward_ready(Bfs *b) {
    while (b->n_passing) {
        OpId op = b->passing[--b->n_passing];
        op_schedule_add(b->out, op);
        release_results(b, op);
    }
}

static void emit_copy(Bfs *b, uint32_t k) {
    ValueId v = b->m->operands.at[b->u.slot[k]];
    uint32_t how = b->f->copied[b->u.slot[k]], position = b->out->n;
    b->out->at[b->out->n++] = b->u.op[k];
    for (uint32_t i = k; i < b->u.first[v + 1]; i++) {
        if (b->f->copied[b->u.slot[i]] != how) continue;
        b->out->copied[b->u.slot[i]] = position;
        if (--b->pending[b->u.op[i]] == 0) enqueue_ready(b, b->u.op[i]);
    }
}

// Combined sums stand one right after another, and all of them read their operands up to the last.
static void note_sums(const Bfs *b, OpId op) {
    OpSchedule *out = b->out;
    if (b->sums[op] == NO_ID || out->position[b->sums[op]] == NO_ID) return;
    for (OpId other = b->sums[op]; other != op; other = b->sums[other]) out->until[other] = out->position[op];
}

static void bfs_region(Bfs *b, RegionId r) {
    const Module *m = b->m;
    uint32_t head = b->tail, begin = b->tail;
    OpId last = region_terminator(m, r);
    b->pending[last]++;                                                           // runs at the end
    for (OpId op = m->regions.at[r].first; op != NO_ID; op = op_get(m, op)->next) // what needs nothing of this region
        if (b->pending[op] == 0) enqueue_ready(b, op);
    forward_ready(b);
    for (uint32_t i = 0; i < m->regions.at[r].n_args; i++) release_value(b, m->regions.at[r].first_arg + i);
    for (forward_ready(b); head < b->tail; forward_ready(b)) {
        uint32_t item = b->queue[head++];
        if (item >= m->ops.n) {
            emit_copy(b, item - m->ops.n);
            continue;
        }
        if (runs_regions(op_kind(m, item))) {
            b->out->first[item] = b->out->n;
            for (uint32_t i = 0; i < op_get(m, item)->n_regions; i++) bfs_region(b, op_region(m, item, i));
        }
        op_schedule_add(b->out, item);
        note_sums(b, item);
        release_results(b, item);
    }
    op_schedule_add(b->out, last);
    b->tail = begin;
}

OpSchedule schedule_bfs(const Module *m, const ProgramOrder *written, const Fusion *f, const OpId *combined,
                        Arena *a) {
    OpSchedule out = op_schedule_new(m, a);
    out.copied = memset(arena_new(a, uint32_t, m->operands.n), 0xff, m->operands.n * sizeof *out.copied);
    out.until = memset(arena_new(a, uint32_t, m->ops.n), 0xff, m->ops.n * sizeof *out.until);
    Bfs b = {.m = m,
             .f = f,
             .out = &out,
             .u = f->users,
             .pending = users_pending(m, written, &f->users, a),
             .queue = arena_new(a, uint32_t, m->ops.n + m->operands.n),
             .passing = arena_new(a, OpId, m->ops.n),
             .sums = combined};
    find_rings(&b, a);
    bfs_region(&b, op_region(m, module_main(m), 0));
    return out;
}
