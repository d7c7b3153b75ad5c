// Post-order and depth-first scheduling: a stack of kernels that others wait for. Depth-first scheduling also sorts the operands of a
// kernel.
#include "sim/schedule/schedulers.h"
#include "sim/backend/rules.h"
#include "support/sort.h"

enum { NOT_MET, OPEN, DONE };

typedef struct Walk {
    PostorderDfs *b;
    uint32_t *order, n;
    bool sorted;
    uint32_t most; // that `shared` can be
    double so_far; // bytes of the kernels in the order
} Walk;

// ---- What is shared --------------------------------------------------------------------------------------------------

// As many instructions as XLA has: kernels give tuples to take their results from, arguments and what loops give count too.
static uint32_t count_instructions(const PostorderDfs *b, RegionId r) {
    uint32_t n = b->k->count[r];
    uint32_t count = 2 * n + b->m->regions.at[r].n_args;
    for (uint32_t i = 0; i < n; i++) {
        OpId op = b->k->op[b->k->from[r] + i];
        if (op_kind(b->m, op) == OP_while) count += op_get(b->m, op)->n_results;
    }
    return count;
}

static void measure_sharing(Walk *w, uint32_t kernel) {
    PostorderDfs *b = w->b;
    const KernelGraph *k = b->k;
    uint64_t shared = 0;
    double total = 0, written = 0;
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++)
        shared += b->shared[k->read[i].value], total += b->total[k->read[i].value];
    for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++)
        written += b->bytes[k->written[i]];
    if (op_kind(b->m, k->op[kernel]) == OP_chlo_top_k) written += top_k_sorts(b->m, k->op[kernel]);
    w->so_far += written;
    total += written;
    if (total > w->so_far) total = w->so_far;
    for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++) {
        ValueId v = k->written[i];
        uint64_t more = shared + (k->n_readers[v] ? k->n_readers[v] - 1 : 0);
        b->shared[v] = more > w->most ? w->most : (uint32_t)more;
        b->total[v] = total;
    }
}

typedef struct Rank Rank;
struct Rank {
    double total;
    uint32_t shared;
    uint32_t kernel;
    uint32_t at; // of what is read
};

static bool ranks_before(const Rank *x, const Rank *y) {
    if (x->shared != y->shared) return x->shared > y->shared;
    if (x->total != y->total) return x->total > y->total;
    return x->kernel != y->kernel ? x->kernel < y->kernel : x->at < y->at;
}

DEFINE_SORT(sort_ranks, Rank, ranks_before)

// Of what it reads, that of kernels that have not been met: how many, in `ranks`.
static uint32_t sort_read(const PostorderDfs *b, uint32_t kernel) {
    const KernelGraph *k = b->k;
    uint32_t n = 0;
    for (uint32_t i = k->first_read[kernel]; i < k->first_read[kernel + 1]; i++) {
        ValueId v = k->read[i].value;
        if (b->state[k->read[i].writer] == NOT_MET)
            b->ranks[n++] = (Rank){b->total[v], b->shared[v], k->read[i].writer, i};
    }
    if (n > 1) sort_ranks(b->ranks, n, b->a);
    return n;
}

// ---- The walk --------------------------------------------------------------------------------------------------------

// Reductions that waited for it alone come next. Gives the top of the stack.
static uint32_t *finish_kernel(Walk *w, uint32_t kernel, uint32_t *top) {
    PostorderDfs *b = w->b;
    const KernelGraph *k = b->k;
    b->state[kernel] = DONE;
    w->order[w->n++] = kernel;
    if (!w->sorted) measure_sharing(w, kernel);
    if (!b->reduced[kernel]) return top;
    for (uint32_t i = k->first_written[kernel]; i < k->first_written[kernel + 1]; i++)
        for (uint32_t at = k->first_reader[k->written[i]]; at != NO_ID; at = k->read[at].next) {
            uint32_t reader = k->read[at].reader, *waits = &b->waits[reader];
            if (*waits && --*waits == 0 && b->state[reader] != DONE) *top++ = reader;
        }
    return top;
}

static void visit_kernel(Walk *w, uint32_t root) {
    PostorderDfs *b = w->b;
    const KernelGraph *k = b->k;
    uint32_t *top = b->stack;
    for (*top++ = root; top > b->stack;) {
        uint32_t kernel = top[-1];
        uint8_t state = b->state[kernel];
        if (state != NOT_MET) {
            top--;
            if (state == OPEN) top = finish_kernel(w, kernel, top);
            continue;
        }
        b->state[kernel] = OPEN;
        if (w->sorted) {
            for (uint32_t i = sort_read(b, kernel); i-- > 0;) *top++ = b->ranks[i].kernel;
            continue;
        }
        for (uint32_t i = k->first_read[kernel + 1], first = k->first_read[kernel]; i-- > first;)
            if (b->state[k->read[i].writer] == NOT_MET) *top++ = k->read[i].writer;
    }
}

static bool is_read(const KernelGraph *k, uint32_t kernel) {
    uint32_t i = k->first_written[kernel], end = k->first_written[kernel + 1];
    while (i < end && k->first_reader[k->written[i]] == NO_ID) i++;
    return i < end;
}

static void postorder_walk(PostorderDfs *b, RegionId r, uint32_t *order, bool sorted) {
    const KernelGraph *k = b->k;
    Walk w = {.b = b, .order = order, .sorted = sorted, .most = sorted ? 0 : count_instructions(b, r)};
    uint32_t from = k->from[r], end = from + k->count[r] - 1;
    memset(b->state + from, NOT_MET, k->count[r]);
    memcpy(b->waits + from, b->reduces + from, k->count[r] * sizeof *b->waits);
    for (uint32_t i = from; i < end; i++) // what nobody needs
        if (b->state[i] == NOT_MET && !is_read(k, i)) visit_kernel(&w, i);
    visit_kernel(&w, end);
}

void schedule_postorder(PostorderDfs *b, RegionId r, uint32_t *order) { postorder_walk(b, r, order, false); }

void schedule_dfs(PostorderDfs *b, RegionId r, uint32_t *order) { postorder_walk(b, r, order, true); }

PostorderDfs postorder_dfs_new(const Module *m, const KernelGraph *k, const double *bytes, Arena *a) {
    uint32_t most = 0;
    PostorderDfs b = {.m = m,
                      .k = k,
                      .bytes = bytes,
                      .shared = arena_new(a, uint32_t, m->values.n),
                      .total = arena_new(a, double, m->values.n),
                      .stack = arena_new(a, uint32_t, 2 * (size_t)k->n + k->first_read[k->n] + 1),
                      .reduces = arena_zalloc(a, k->n * sizeof *b.reduces),
                      .waits = arena_new(a, uint32_t, k->n),
                      .state = arena_new(a, uint8_t, k->n),
                      .reduced = arena_zalloc(a, k->n),
                      .a = a};
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t first = k->first_read[i], end = k->first_read[i + 1];
        if (end - first > most) most = end - first;
        if (op_kind(m, k->op[i]) != OP_reduce) continue;
        b.reduces[i] = end - first;
        for (uint32_t at = first; at < end; at++) b.reduced[k->read[at].writer] = 1;
    }
    b.ranks = arena_new(a, Rank, most);
    return b;
}
