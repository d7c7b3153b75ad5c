// Exposed time: kernels run one after another, so the part of a collective's time that they cover is the difference of two
// prefix sums.
#include "sim/report/sim_report.h"
#include "support/sort.h"

Busy busy_times(const SimResult *r, Arena *a) {
    Busy b = {0, arena_new(a, double, r->n_slices), arena_new(a, double, r->n_slices),
              arena_new(a, double, r->n_slices)};
    double sum = 0;
    for (uint32_t i = 0; i < r->n_slices; i++) {
        if (r->slices[i].axes) continue;
        b.start[b.n] = r->slices[i].start;
        b.before[b.n] = sum;
        b.seconds[b.n++] = r->slices[i].seconds;
        sum += r->slices[i].seconds;
    }
    return b;
}

static bool has_started(const double *start, double t) { return *start <= t; }
DEFINE_LOWER_BOUND(count_started, double, double, has_started)

static double busy_until(const Busy *b, double t) {
    uint32_t n = count_started(b->start, b->n, t);
    if (n == 0) return 0;
    double in = t - b->start[n - 1];
    return b->before[n - 1] + (in < b->seconds[n - 1] ? in : b->seconds[n - 1]);
}

double exposed_seconds(const Busy *b, const Slice *e) {
    double hidden = busy_until(b, e->start + e->seconds) - busy_until(b, e->start);
    return hidden < e->seconds ? e->seconds - hidden : 0;
}

Attributed **attributed_by_op(const Attribution *all, const Lowered *l, Arena *a) {
    Attributed **by_op = arena_zalloc(a, l->m->ops.n * sizeof *by_op);
    for (uint32_t i = 0; i < all->n; i++) by_op[all->at[i].op] = &all->at[i];
    return by_op;
}

void time_collectives(Attribution *all, const Lowered *l, const SimResult *r, Arena *a) {
    Attributed **by_op = attributed_by_op(all, l, a);
    Busy busy = busy_times(r, a);
    for (uint32_t i = 0; i < r->n_slices; i++) {
        Attributed *c = by_op[r->slices[i].op];
        if (!c) continue;
        c->seconds += r->slices[i].seconds;
        c->exposed += exposed_seconds(&busy, &r->slices[i]);
    }
}
