// Search: greedy completion, polishing, annealing.
#include "auto/search.h"
#include "support/bytes.h"
#include "support/platform.h"
#include <math.h>
#include <stdio.h>

// Up to so many times the memory of the device, rematerialization may make a plan fit.
#define REMATERIALIZED 5.0
// So many plans in a row that lead to known states: there is little left to find.
enum { EXHAUSTED = 4000, ROUND = 160 };
// Of the budget, what starts may use: with three axes there are hundreds.
#define STARTS_SHARE 0.5
// Evaluations of the whole program for which there is time left at the end: a few plans, in several axis orders.
enum { CONFIRMED_ANYWAY = 6 };

FitVerdict search_fit(const SearchOptions *o, const Score *x) {
    if (!x->possible || !x->complete || x->least > o->memory) return FITS_NOT;
    return x->peak > o->memory ? FITS_UNSURE : FITS_SURELY;
}

bool search_is_better(const SearchOptions *o, const Score *x, const Score *y) {
    if (x->possible != y->possible) return x->possible;
    if (x->complete != y->complete) return x->complete;
    FitVerdict fits = search_fit(o, x), other = search_fit(o, y);
    if (fits != other) return fits > other;
    if (fits == FITS_NOT && x->least != y->least) return x->least < y->least;
    if (fits == FITS_NOT || o->least_memory) return x->peak != y->peak ? x->peak < y->peak : x->seconds < y->seconds;
    return x->seconds != y->seconds ? x->seconds < y->seconds : x->peak < y->peak;
}

// ---- One plan -------------------------------------------------------------------------------------------------------

static uint64_t next_random(Search *s) {
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static uint32_t random_below(Search *s, uint32_t n) { return (uint32_t)(next_random(s) % n); }
static double random_unit(Search *s) { return (double)(next_random(s) >> 11) * 0x1p-53; }

static bool is_store(const Choices *c, uint16_t choice) {
    ChoiceKind kind = c->at.at[choice].kind;
    return kind == CHOICE_STORE_2 || kind == CHOICE_STORE_3;
}

// Whether two plans split the same, apart from what is stored and how they gather.
static bool split_equally(const Choices *c, const Plan *p, const Plan *q) {
    uint32_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < p->n && is_store(c, p->at[i])) i++;
        while (k < q->n && is_store(c, q->at[k])) k++;
        if (i == p->n || k == q->n || p->at[i] != q->at[k]) return i == p->n && k == q->n;
    }
}

static void enter_finalist(Search *s, const Plan *plan, Score score, StateHash key) {
    uint32_t n = s->n_finalists, i = n;
    for (uint32_t k = 0; k < n; k++)
        if (s->finalists[k].score.seconds == score.seconds && s->finalists[k].score.peak == score.peak) {
            if (plan->n >= s->finalists[k].plan.n) return;
            s->finalists[k] = (Archived){*plan, score, key, !s->started}; // as good by fewer choices
            return;
        }
    for (uint32_t k = 0; k < n && !s->started; k++) { // of starts that split alike, the best
        if (!split_equally(s->e->choices, &s->finalists[k].plan, plan)) continue;
        if (!search_is_better(&s->options, &score, &s->finalists[k].score)) return;
        n = i = --s->n_finalists;
        memmove(s->finalists + k, s->finalists + k + 1, (n - k) * sizeof *s->finalists);
    }
    while (i > 0 && search_is_better(&s->options, &score, &s->finalists[i - 1].score)) i--;
    if (i == FINALISTS) return;
    if (n == FINALISTS) n--;
    memmove(s->finalists + i + 1, s->finalists + i, (n - i) * sizeof *s->finalists);
    s->finalists[i] = (Archived){*plan, score, key, !s->started};
    s->n_finalists = n + 1;
}

// Tells how far the search is, now and then, and asks whether to go on.
static bool go_on(Search *s) {
    const SearchOptions *o = &s->options;
    partir_options *caller = &s->e->ctx->options;
    if (s->cancelled || s->n_in_a_row > EXHAUSTED) return false;
    double elapsed = platform_seconds() - s->began, reserve = CONFIRMED_ANYWAY * s->whole_seconds;
    if (reserve > o->seconds / 4) reserve = o->seconds / 4;
    if (o->seconds > 0 ? elapsed + reserve >= s->share * o->seconds
                       : (double)s->e->n_evaluated >= s->share * (double)o->evaluations)
        return false;
    if (!caller->progress) return true;
    char what[160], peak[32];
    const Archived *best = s->finalists;
    if (s->n_finalists) {
        bytes_text(best->score.peak, 2, peak);
        snprintf(what, sizeof what, "%.60s: best so far %.4g ms, %s", o->name, best->score.seconds * 1e3, peak);
    } else {
        snprintf(what, sizeof what, "%.60s", o->name);
    }
    uint64_t done = o->seconds > 0 ? (uint64_t)(elapsed * 1e3) : s->e->n_evaluated;
    uint64_t total = o->seconds > 0 ? (uint64_t)(o->seconds * 1e3) : o->evaluations;
    s->cancelled = !caller->progress(caller->user, what, done, total);
    return !s->cancelled;
}

// Whether a plan of a folded score may be the best so far on the whole program, where it may also need less memory, the more so
// while nothing fits; or none beats it in both time and memory.
static bool may_lead(const Search *s, const Score *score) {
    if (score->exact || !score->possible || !score->complete) return false;
    const Score *best = &s->finalists->score, least = estimate_whole(s->e, score);
    if (!s->n_finalists || search_is_better(&s->options, &least, best)) return true;
    if (!search_fit(&s->options, best) && score->least < s->largest && least_rematerialized(s->e, score) < best->least) return true;
    if (least.peak <= (double)s->e->real.memory && archive_takes(&s->archive, &least)) return true;
    return search_fit(&s->options, best) && !s->options.least_memory && least.seconds < best->seconds && score->least < s->largest;
}

bool search_try(Search *s, Plan *plan, double longest, Score *score) {
    *score = (Score){0};
    if (!go_on(s)) return false;
    uint64_t before = s->e->n_evaluated;
    StateHash key;
    bool folded = s->e->n_subjects > 1;
    double start = folded ? 0 : platform_seconds();
    *score = evaluate(s->e, plan, longest, &key);
    if (!folded && score->complete && s->e->n_evaluated > before) s->whole_seconds = platform_seconds() - start;
    if (s->started && may_lead(s, score)) *score = evaluate_whole(s->e, plan, key);
    s->n_in_a_row = s->e->n_evaluated > before ? 0 : s->n_in_a_row + 1;
    if (score->possible && score->complete) {
        if (score->exact || !s->started) archive_enter(&s->archive, plan, *score, key);
        enter_finalist(s, plan, *score, key);
    }
    return true;
}

// The front of the starts, the leanest first, on the whole program: from then on all that is archived has been evaluated
// there. Of those that are too large, rematerialization may make some fit.
static void confirm_front(Search *s, Arena *a) {
    uint32_t n = s->archive.at.n;
    Archived *entries = arena_new(a, Archived, n);
    if (n) memcpy(entries, s->archive.at.at, n * sizeof *entries);
    s->archive.at.n = 0;
    for (uint32_t i = n; i-- > 0 && go_on(s);) {
        Archived *x = &entries[i];
        if (!x->score.exact && x->score.least < s->largest) x->score = evaluate_whole(s->e, &x->plan, x->key);
        if (!x->score.exact || !x->score.possible) continue;
        archive_enter(&s->archive, &x->plan, x->score, x->key);
        enter_finalist(s, &x->plan, x->score, x->key);
    }
    const Archived *leader = s->finalists; // is there even if no time was left
    if (s->n_finalists && leader->score.exact) archive_enter(&s->archive, &leader->plan, leader->score, leader->key);
}

// The best so far on the whole program, until one leads that has been evaluated there.
static void confirm_leader(Search *s) {
    while (s->n_finalists && !s->finalists->score.exact) {
        Archived leader = *s->finalists;
        s->n_finalists--;
        memmove(s->finalists, s->finalists + 1, s->n_finalists * sizeof leader);
        double start = platform_seconds();
        leader.score = evaluate_whole(s->e, &leader.plan, leader.key);
        s->whole_seconds = platform_seconds() - start;
        if (leader.score.possible) enter_finalist(s, &leader.plan, leader.score, leader.key);
    }
}

// Of plans that are to be better than one of this score: how long they may take.
static double longest_better(const SearchOptions *o, const Score *than) {
    return search_fits(o, than) && !o->least_memory ? than->seconds : INFINITY;
}

// ---- Greedy ---------------------------------------------------------------------------------------------------------

static Plan with_inserted(const Plan *p, uint32_t at, uint16_t choice) {
    Plan q = *p;
    if (q.n == PLAN_MAX) return q;
    memmove(q.at + at + 1, q.at + at, (q.n - at) * sizeof *q.at);
    q.at[at] = choice;
    q.n++;
    return q;
}

static Plan without_choice(const Plan *p, uint32_t at) {
    Plan q = *p;
    memmove(q.at + at, q.at + at + 1, (q.n - at - 1) * sizeof *q.at);
    q.n--;
    return q;
}

// Takes over `q` if it is better. False once the search must stop.
static bool improve(Search *s, Plan *p, Score *score, Plan q, bool *better) {
    Score found;
    const SearchOptions *o = &s->options; // one that does not fit yet must not become slower than the best that does
    double longest = longest_better(o, search_fits(o, score) || !s->n_finalists ? score : &s->finalists->score);
    if (!search_try(s, &q, longest, &found)) return false;
    if (!search_is_better(&s->options, &found, score)) return true;
    *p = q;
    *score = found;
    *better = true;
    return true;
}

// The best of all choices is added, as long as one makes the plan better.
static bool complete_greedily(Search *s, Plan *p, Score *score) {
    for (bool better = true; better && p->n < PLAN_MAX;) {
        better = false;
        Plan from = *p;
        for (uint32_t c = 0; c < s->e->choices->at.n; c++)
            if (!improve(s, p, score, with_inserted(&from, from.n, (uint16_t)c), &better)) return false;
    }
    return true;
}

// Two choices of a plan, each on the axis of the other.
static Plan with_axes_swapped(const Choices *c, const Plan *p, uint32_t i, uint32_t j) {
    Plan q = *p;
    uint32_t x = choice_on_axis(c, p->at[i], c->at.at[p->at[j]].axis), y = choice_on_axis(c, p->at[j], c->at.at[p->at[i]].axis);
    if (x != NO_ID && y != NO_ID) q.at[i] = (uint16_t)x, q.at[j] = (uint16_t)y;
    return q;
}

// How many plans differ from one of `n` choices in one of them, inserted, replaced or moved, or in the axes of two.
static uint32_t count_neighbours(uint32_t n, uint32_t n_choices) { return 2 * n * n + (2 * n + 1) * n_choices; }

// The k-th of them: what is inserted and replaced, place by place; then what is moved, which seldom leads to a new state; what swaps
// axes.
static Plan neighbour(const Choices *c, const Plan *p, uint32_t k) {
    uint32_t n_choices = c->at.n, n_others = (2u * p->n + 1) * n_choices;
    if (k >= n_others) {
        uint32_t from = (k - n_others) / p->n, to = (k - n_others) % p->n;
        if (from >= p->n) return with_axes_swapped(c, p, from - p->n, to);
        Plan rest = without_choice(p, from);
        return with_inserted(&rest, to, p->at[from]);
    }
    uint32_t at = k / (2 * n_choices), in_place = k % (2 * n_choices);
    uint16_t choice = (uint16_t)(at < p->n ? in_place / 2 : in_place);
    if (at == p->n || in_place % 2 == 0) return with_inserted(p, at, choice);
    Plan q = *p;
    q.at[at] = choice;
    return q;
}

// Other gathers, and fewer choices, as long as that makes the plan better.
static bool simplify_plan(Search *s, Plan *p, Score *score) {
    for (bool better = true; better;) {
        better = false;
        for (uint16_t g = 0; g < GATHERS_WHOLE_TABLES && !s->e->gathers_decided; g++) {
            Plan q = *p;
            q.gathers = g;
            if (g != p->gathers && !improve(s, p, score, q, &better)) return false;
        }
        for (uint32_t i = 0; i < p->n && !better; i++)
            if (!improve(s, p, score, without_choice(p, i), &better)) return false;
    }
    return true;
}

// Whatever single change makes the plan better. After one that does, the next ones are tried: those before would mostly fail again.
static bool polish(Search *s, Plan *p, Score *score) {
    uint32_t n_choices = s->e->choices->at.n;
    if (!simplify_plan(s, p, score)) return false;
    for (uint32_t k = 0, failed = 0; failed < count_neighbours(p->n, n_choices); k++) {
        bool better = false;
        if (k >= count_neighbours(p->n, n_choices)) k = 0;
        if (!improve(s, p, score, neighbour(s->e->choices, p, k), &better)) return false;
        failed = better ? 0 : failed + 1;
        if (better && !simplify_plan(s, p, score)) return false;
    }
    return true;
}

// ---- Annealing ------------------------------------------------------------------------------------------------------

// What annealing makes small: the logarithm of time, and far above it what does not fit.
static double energy(const SearchOptions *o, const Score *x) {
    if (!x->possible || !x->complete) return INFINITY;
    if (o->least_memory) return log(x->peak);
    FitVerdict fits = search_fit(o, x);
    double over = fits == FITS_SURELY ? 0 : fits == FITS_UNSURE ? 0.3 : 0.3 + 4 * log(x->least / o->memory);
    return log(x->seconds) + over;
}

static Plan vary(Search *s, const Plan *p) {
    Plan q = *p;
    uint16_t choice = (uint16_t)random_below(s, s->e->choices->at.n);
    if (!s->e->gathers_decided && random_below(s, 16) == 0)
        return q.gathers = (uint16_t)random_below(s, GATHERS_WHOLE_TABLES), q;
    uint32_t kind = p->n == 0 ? 0 : random_below(s, 4);
    if (kind == 0) return with_inserted(p, random_below(s, p->n + 1u), choice);
    uint32_t at = random_below(s, p->n);
    if (kind == 1) return without_choice(p, at);
    if (kind == 2) return q.at[at] = choice, q;
    uint16_t moved = p->at[at];
    q = without_choice(p, at);
    return with_inserted(&q, random_below(s, q.n + 1u), moved);
}

static bool anneal(Search *s) {
    const SearchOptions *o = &s->options;
    for (;;) {
        uint32_t pick = random_below(s, 4);
        const Archived *from = pick < 2 || !s->archive.at.n ? &s->finalists[pick % s->n_finalists]
                                                            : &s->archive.at.at[random_below(s, s->archive.at.n)];
        Plan p = from->plan;
        double now = energy(o, &from->score);
        for (uint32_t i = 0; i < ROUND; i++) {
            double heat = 0.06 * pow(0.03, (double)i / ROUND);
            Plan q = vary(s, &p);
            // The longer nothing new was met, the further away.
            for (uint32_t more = random_below(s, 2 + s->n_in_a_row / 40); more > 0; more--) q = vary(s, &q);
            Score found;
            double longest = SLOWEST * longest_better(o, &s->finalists->score);
            if (!search_try(s, &q, longest, &found)) return false;
            double then = energy(o, &found);
            if (then <= now || random_unit(s) < exp((now - then) / heat)) p = q, now = then;
        }
        Score score = {0};
        Plan best = s->finalists->plan;
        score = s->finalists->score;
        if (from->score.seconds != score.seconds && !polish(s, &best, &score)) return false;
    }
}

// Of those that are faster than the best but too large, the leanest; NULL if there is none.
static const Archived *nearly_fitting(const Search *s) {
    const Archived *found = NULL;
    if (!s->n_finalists || s->options.least_memory || !search_fits(&s->options, &s->finalists->score)) return NULL;
    for (uint32_t i = 0; i < s->archive.at.n && !search_fits(&s->options, &s->archive.at.at[i].score); i++)
        if (s->archive.at.at[i].score.seconds < s->finalists->score.seconds) found = &s->archive.at.at[i];
    return found;
}

// The best few that split differently, and before them one that nearly fits.
enum { STARTS_KEPT = 4 };
static uint32_t keep_best(const Search *s, Archived *kept) {
    uint32_t n = 0;
    const Archived *large = nearly_fitting(s);
    if (large) kept[n++] = *large;
    for (uint32_t i = 0; i < s->n_finalists && n < STARTS_KEPT; i++) {
        const Plan *p = &s->finalists[i].plan;
        bool again = false;
        for (uint32_t k = 0; k < n; k++) again |= split_equally(s->e->choices, &kept[k].plan, p);
        if (!again) kept[n++] = s->finalists[i];
    }
    return n;
}

void search_run(Search *s, Evaluator *e, const SearchOptions *options, AxisSet axes, Arena *a) {
    *s = (Search){.e = e, .options = *options, .axes = axes, .random = options->seed, .archive = {.a = a}};
    s->began = platform_seconds();
    // The compiler rematerializes for the device's memory, not for a limit below it.
    s->largest = options->memory * (options->memory < 0.8 * (double)e->real.memory ? SLOWEST : REMATERIALIZED);
    s->share = STARTS_SHARE;
    search_starts(s);
    s->share = 1;
    confirm_leader(s);
    confirm_front(s, a);
    s->started = true;
    Archived kept[STARTS_KEPT];
    uint32_t n = keep_best(s, kept);
    for (uint32_t i = 0; i < n; i++) {
        Plan *p = &kept[i].plan;
        Score *score = &kept[i].score;
        if (!simplify_plan(s, p, score) || !complete_greedily(s, p, score) || !polish(s, p, score)) return;
    }
    if (s->n_finalists && e->choices->at.n) anneal(s);
}
