// Search: waves of starts, climbing, annealing.
#include "auto/search.h"
#include "support/bytes.h"
#include "support/platform.h"
#include <math.h>
#include <stdio.h>

// Up to so many times the memory of the device, rematerialization may make a plan fit.
#define REMATERIALIZED 5.0
// So many plans in a row that lead to known states: there is little left to find.
enum { EXHAUSTED = 4000, ROUND = 160 };
// How many plans are evaluated for the first wave's starts; as many then for climbing, and twice as many for the next one.
enum { FIRST_WAVE = 64 };
// From each start in turn until so many changes in a row were in vain.
enum { PATIENCE = 50 };
// A choice that is added to a plan that fits must save this much, for others to be looked for at once.
#define WORTH 0.995
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

// How promising a plan is to climb from: one that is too large may be made to fit, for time.
static double promise(const SearchOptions *o, const Score *x) {
    if (o->least_memory) return x->peak;
    return x->seconds * fmax(1, x->least / o->memory);
}

static bool comes_before_in(const Search *s, const Leaders *l, const Score *x, const Score *y) {
    if (l == &s->finalists) return search_is_better(&s->options, x, y);
    return promise(&s->options, x) < promise(&s->options, y);
}

// `apart`: of plans that split equally only the best.
static void enter_leader(const Search *s, Leaders *l, Archived x, bool apart) {
    uint32_t n = l->n, i = n;
    for (uint32_t k = 0; k < n; k++)
        if (l->at[k].score.seconds == x.score.seconds && l->at[k].score.peak == x.score.peak) {
            if (x.plan.n < l->at[k].plan.n) l->at[k] = x; // as good by fewer choices
            return;
        }
    for (uint32_t k = 0; k < n && apart; k++) {
        if (!split_equally(s->e->choices, &l->at[k].plan, &x.plan)) continue;
        if (!comes_before_in(s, l, &x.score, &l->at[k].score)) return;
        n = i = --l->n;
        memmove(l->at + k, l->at + k + 1, (n - k) * sizeof x);
    }
    while (i > 0 && comes_before_in(s, l, &x.score, &l->at[i - 1].score)) i--;
    if (i == FINALISTS) return;
    if (n == FINALISTS) n--;
    memmove(l->at + i + 1, l->at + i, (n - i) * sizeof x);
    l->at[i] = x;
    l->n = n + 1;
}

// Tells how far the search is, now and then, and asks whether to go on.
static bool go_on(Search *s) {
    const SearchOptions *o = &s->options;
    partir_options *caller = &s->e->ctx->options;
    if (s->cancelled || s->n_in_a_row > EXHAUSTED) return false;
    double elapsed = platform_seconds() - s->began, reserve = CONFIRMED_ANYWAY * s->whole_seconds;
    if (reserve > o->seconds / 4) reserve = o->seconds / 4;
    if (o->seconds > 0 ? elapsed + reserve >= o->seconds : s->e->n_evaluated >= o->evaluations) return false;
    if (s->e->n_evaluated >= s->until) return false;
    if (!caller->progress) return true;
    char what[160], peak[32];
    const Archived *best = s->finalists.at;
    if (s->finalists.n) {
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
    const Score *best = &s->finalists.at->score, least = estimate_whole(s->e, score);
    if (!s->finalists.n || search_is_better(&s->options, &least, best)) return true;
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
        Archived found = {*plan, *score, key, s->starting};
        if (score->exact || !s->started) archive_enter(&s->archive, plan, *score, key);
        enter_leader(s, &s->finalists, found, !s->started);
        if (s->starting) enter_leader(s, &s->fresh, found, true);
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
        x->start = true;
        enter_leader(s, &s->finalists, *x, true);
    }
    const Archived *leader = s->finalists.at; // is there even if no time was left
    if (s->finalists.n && leader->score.exact) archive_enter(&s->archive, &leader->plan, leader->score, leader->key);
}

// The best so far on the whole program, until one leads that has been evaluated there.
static void confirm_leader(Search *s) {
    Leaders *l = &s->finalists;
    while (l->n && !l->at->score.exact) {
        Archived leader = *l->at;
        l->n--;
        memmove(l->at, l->at + 1, l->n * sizeof leader);
        double start = platform_seconds();
        leader.score = evaluate_whole(s->e, &leader.plan, leader.key);
        s->whole_seconds = platform_seconds() - start;
        if (leader.score.possible) enter_leader(s, l, leader, true);
    }
}

// Of plans that are to be better than one of this score: how long they may take.
static double longest_better(const SearchOptions *o, const Score *than) {
    return search_fits(o, than) && !o->least_memory ? than->seconds : INFINITY;
}

// ---- Climbing ---------------------------------------------------------------------------------------------------------

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
static bool improve(Search *s, Climb *c, Plan q, bool *better) {
    Score found;
    const SearchOptions *o = &s->options; // one that does not fit yet must not become slower than the best that does
    double longest = longest_better(o, search_fits(o, &c->score) || !s->finalists.n ? &c->score : &s->finalists.at->score);
    if (!search_try(s, &q, longest, &found)) return false;
    if (!search_is_better(o, &found, &c->score)) return true;
    c->plan = q;
    c->score = found;
    *better = true;
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
static bool simplify_plan(Search *s, Climb *c) {
    c->simplified = false;
    for (bool better = true; better;) {
        better = false;
        for (uint16_t g = 0; g < GATHERS_WHOLE_TABLES && !s->e->gathers_decided; g++) {
            Plan q = c->plan;
            q.gathers = g;
            if (g != c->plan.gathers && !improve(s, c, q, &better)) return false;
        }
        for (uint32_t i = 0; i < c->plan.n && !better; i++)
            if (!improve(s, c, without_choice(&c->plan, i), &better)) return false;
    }
    c->simplified = true;
    return true;
}

// The best of all choices is added, as long as one is worth it. What does not fit yet may be made to by many small ones.
static bool complete_greedily(Search *s, Climb *c) {
    for (bool better = true; better && c->plan.n < PLAN_MAX;) {
        better = false;
        Plan from = c->plan;
        Score before = c->score;
        for (uint32_t k = 0; k < s->e->choices->at.n; k++)
            if (!improve(s, c, with_inserted(&from, from.n, (uint16_t)k), &better)) return false;
        better &= !search_fits(&s->options, &before) || c->score.seconds < WORTH * before.seconds;
    }
    return c->completed = true;
}

static bool at_top(const Search *s, const Climb *c) {
    return c->failed >= count_neighbours(c->plan.n, s->e->choices->at.n);
}

// Whatever single change makes the plan better, until so many in a row did not. After one that does, the next ones are tried: those
// before would mostly fail again. False once the search must stop.
static bool climb(Search *s, Climb *c, uint32_t patience) {
    if (!c->simplified && !simplify_plan(s, c)) return false;
    if (!c->completed && !complete_greedily(s, c)) return false;
    for (uint32_t left = patience; left > 0 && !at_top(s, c); left--) {
        bool better = false;
        if (c->next >= count_neighbours(c->plan.n, s->e->choices->at.n)) c->next = 0;
        if (!improve(s, c, neighbour(s->e->choices, &c->plan, c->next), &better)) return false;
        c->next++;
        c->failed = better ? 0 : c->failed + 1;
        if (better) left = patience + 1;
        if (better && !simplify_plan(s, c)) return false;
    }
    return true;
}

// From the wave's starts that promise most.
static void add_climbs(Search *s, Arena *a) {
    for (uint32_t i = 0; i < s->fresh.n && i < STARTS_KEPT; i++) {
        Climb c = {.plan = s->fresh.at[i].plan};
        StateHash unused;
        c.score = evaluate(s->e, &c.plan, INFINITY, &unused); // known, maybe of the whole program by now
        vec_push(a, &s->climbs, c);
    }
}

static bool is_met(const Search *s, uint32_t climb) {
    const Score *x = &s->climbs.at[climb].score;
    bool met = false;
    for (uint32_t k = 0; k < climb && !met; k++)
        met = s->climbs.at[k].score.seconds == x->seconds && s->climbs.at[k].score.peak == x->peak;
    return met;
}

static void sort_climbs(Search *s) {
    Climb *at = s->climbs.at;
    for (uint32_t i = 1; i < s->climbs.n; i++) {
        Climb c = at[i];
        uint32_t k = i;
        for (; k > 0 && promise(&s->options, &c.score) < promise(&s->options, &at[k - 1].score); k--) at[k] = at[k - 1];
        at[k] = c;
    }
}

// All in turn, those that promise most first; of those that meet only one goes on.
static void climb_in_turn(Search *s) {
    for (uint32_t i = 0; i < s->climbs.n; i++)
        if (!s->climbs.at[i].simplified && !simplify_plan(s, &s->climbs.at[i])) return;
    for (bool any = true; any;) {
        any = false;
        sort_climbs(s);
        for (uint32_t i = 0; i < s->climbs.n; i++) {
            Climb *c = &s->climbs.at[i];
            if (at_top(s, c) || is_met(s, i)) continue;
            any = true;
            if (!climb(s, c, PATIENCE)) return;
        }
    }
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
        const Archived *from = pick < 2 || !s->archive.at.n ? &s->finalists.at[pick % s->finalists.n]
                                                            : &s->archive.at.at[random_below(s, s->archive.at.n)];
        Plan p = from->plan;
        double now = energy(o, &from->score);
        for (uint32_t i = 0; i < ROUND; i++) {
            double heat = 0.06 * pow(0.03, (double)i / ROUND);
            Plan q = vary(s, &p);
            // The longer nothing new was met, the further away.
            for (uint32_t more = random_below(s, 2 + s->n_in_a_row / 40); more > 0; more--) q = vary(s, &q);
            Score found;
            double longest = SLOWEST * longest_better(o, &s->finalists.at->score);
            if (!search_try(s, &q, longest, &found)) return false;
            double then = energy(o, &found);
            if (then <= now || random_unit(s) < exp((now - then) / heat)) p = q, now = then;
        }
        const Archived *best = s->finalists.at;
        Climb c = {.plan = best->plan, .score = best->score, .completed = true};
        if (from->score.seconds != c.score.seconds && !climb(s, &c, UINT32_MAX - 1)) return false;
    }
}

void search_run(Search *s, Evaluator *e, const SearchOptions *options, AxisSet axes, Arena *a) {
    *s = (Search){.e = e, .options = *options, .axes = axes, .random = options->seed, .archive = {.a = a}, .until = UINT64_MAX};
    s->began = platform_seconds();
    // The compiler rematerializes for the device's memory, not for a limit below it.
    s->largest = options->memory * (options->memory < 0.8 * (double)e->real.memory ? SLOWEST : REMATERIALIZED);
    starts_find(s, a);
    bool more = true;
    for (uint64_t wave = FIRST_WAVE; more; wave *= 2) {
        more = starts_try(s, e->n_evaluated + wave);
        if (!s->started) confirm_leader(s), confirm_front(s, a);
        add_climbs(s, a);
        s->started = true;
        if (more) s->until = e->n_evaluated + wave;
        climb_in_turn(s);
        s->until = UINT64_MAX;
    }
    if (s->finalists.n && e->choices->at.n) anneal(s);
}
