// Ranking of fixes: a fix that makes no figure worse comes first. With a device the figures are whether a step fits and its time.
// Without one they are the bytes that a step sends (or its FLOPs, if the question is about FLOPs) and the bytes of the arguments.
#include "explain/fix.h"
#include "support/sort.h"


static void judge(Fix *f, const Fixes *x, const Device *d) {
    const Figures *now = &f->now, *before = &x->before;
    bool keeps_no_more = now->arguments <= before->arguments * SLACK, no_more_work = now->flops <= before->flops * SLACK;
    if (d) {
        bool fits = now->peak <= (double)d->memory || now->peak <= before->peak;
        f->better = fits && now->seconds <= before->seconds;
        return;
    }
    bool sends_no_more = now->bytes <= before->bytes || x->problem.kind == PROBLEM_REPLICATED;
    f->better = sends_no_more && no_more_work && keeps_no_more;
    f->trade = sends_no_more && no_more_work && !keeps_no_more;
}

static double in_thousandths(double x, double of) { return of > 0 ? (double)(int64_t)(x / of * 1000 + 0.5) : x; }

typedef struct Ranked {
    Fix fix;
    bool whole;      // it removes all
    double keys[4];  // less is better
    uint32_t number; // in the order in which they were tried
} Ranked;

static bool fix_ranks_before(const Ranked *a, const Ranked *b) {
    int of_a = a->fix.better ? 0 : a->fix.trade ? 1 : 2, of_b = b->fix.better ? 0 : b->fix.trade ? 1 : 2;
    if (of_a != of_b) return of_a < of_b;
    if (a->whole != b->whole) return a->whole;
    for (int i = 0; i < 4; i++)
        if (a->keys[i] != b->keys[i]) return a->keys[i] < b->keys[i];
    return a->number < b->number;
}

DEFINE_SORT(sort_ranked, Ranked, fix_ranks_before)

static bool same_figures(const Fix *a, const Fix *b) {
    return a->left == b->left && a->now.bytes == b->now.bytes && a->now.flops == b->now.flops &&
           a->now.arguments == b->now.arguments && a->now.seconds == b->now.seconds && a->now.peak == b->now.peak;
}

void fixes_rank(Fixes *x, Fix *at, uint32_t n, const Device *d, Arena *a) {
    Ranked *ranked = arena_new(a, Ranked, n);
    for (uint32_t i = 0; i < n; i++) {
        judge(&at[i], x, d);
        const Figures *now = &at[i].now, *before = &x->before;
        Ranked r = {.fix = at[i], .whole = at[i].left == 0, .number = i};
        double keys[4] = {in_thousandths(now->seconds, before->seconds), in_thousandths(now->flops, before->flops),
                          in_thousandths(now->bytes, before->bytes), d ? now->peak : now->arguments};
        memcpy(r.keys, keys, sizeof keys);
        ranked[i] = r;
    }
    sort_ranked(ranked, n, a);
    Fix *kept = arena_new(a, Fix, n);
    for (uint32_t i = 0; i < n; i++) { // of those that come to the same, the first
        bool again = false;
        for (uint32_t k = 0; k < x->n && !again; k++) again = same_figures(&kept[k], &ranked[i].fix);
        if (!again) kept[x->n++] = ranked[i].fix;
    }
    x->at = kept;
}
