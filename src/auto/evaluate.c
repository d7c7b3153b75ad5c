// Evaluation: applies a plan's choices to each subject, lowers and simulates the result, and undoes the choices.
#include "auto/evaluate.h"
#include "sim/backend/backend.h"
#include <math.h>

// A plan is given up on its first subject if even this part of what others grow by would make it too slow.
#define HOPELESS 0.95
// How much faster than lately seen the whole program may be than a few layers say.
#define FOLD_SPARE 0.99
// How much less than lately seen rematerialization may leave.
#define REMATERIALIZED_SPARE 0.9

static void recent_add(Recent *r, double x) { r->at[r->n++ % RECENT] = x; }

// `first`: as if it had been there before all others.
static double recent_least(const Recent *r, double first) {
    double least = r->n < RECENT ? first : INFINITY;
    for (uint32_t i = 0; i < RECENT && i < r->n; i++) least = fmin(least, r->at[i]);
    return least;
}

// ---- States ---------------------------------------------------------------------------------------------------------

static struct KnownScore *find_known(Evaluator *e, StateHash key) {
    uint32_t hash = (uint32_t)key.a;
    for (uint32_t p = hash, id; (id = idmap_probe(&e->known_map, hash, &p)) != IDMAP_END;)
        if (same_state(e->known.at[id].key, key)) return &e->known.at[id];
    return NULL;
}

static void remember(Evaluator *e, StateHash key, Score score) {
    struct KnownScore *known = find_known(e, key);
    if (known) {
        known->score = score;
        return;
    }
    idmap_add(&e->known_map, (uint32_t)key.a, e->known.n);
    vec_push(&e->arena, &e->known, ((struct KnownScore){key, score}));
}

// ---- Plans ----------------------------------------------------------------------------------------------------------

void evaluator_init(Evaluator *e, Context *ctx, const Device *d) {
    *e = (Evaluator){.ctx = ctx, .device = *d, .real = *d};
    e->device.memory = INT64_MAX / 2;
    arena_init(&e->arena, ctx);
    arena_init(&e->lowering, ctx);
    arena_init(&e->simulation, ctx);
    idmap_init(&e->known_map, &e->arena);
}

void evaluator_free(Evaluator *e) {
    arena_free(&e->simulation);
    arena_free(&e->lowering);
    arena_free(&e->arena);
}

void evaluator_add(Evaluator *e, Folded *f) {
    e->subjects[e->n_subjects++] =
        (Subject){.state = &f->state, .sites = f->sites, .folded = f, .marks = {state_mark(&f->state)}};
}

void evaluator_add_whole(Evaluator *e, State *s, const Site *sites) {
    e->whole = (Subject){.state = s, .sites = sites, .marks = {state_mark(s)}};
    if (e->n_subjects == 0) e->subjects[e->n_subjects++] = e->whole;
}

// Of one state there is one subject.
static Subject *whole_subject(Evaluator *e) { return e->n_subjects == 1 ? &e->subjects[0] : &e->whole; }

static void rewind_to(Subject *s, uint32_t n) {
    if (s->applied.n < n) return;
    state_undo(s->state, s->marks[n]);
    s->applied.n = (uint16_t)n;
}

void evaluator_rewind(Evaluator *e) {
    for (uint32_t k = 0; k < e->n_subjects; k++) rewind_to(&e->subjects[k], 0);
    if (e->whole.state) rewind_to(whole_subject(e), 0);
}

// The subject gets the plan; what it shares with the last one stays. A choice that changes nothing leaves the plan.
static void apply_plan(const Evaluator *e, Subject *s, Plan *plan) {
    uint32_t same = 0;
    while (same < plan->n && same < s->applied.n && plan->at[same] == s->applied.at[same]) same++;
    rewind_to(s, same);
    uint16_t n = (uint16_t)same;
    for (uint32_t i = same; i < plan->n; i++) {
        s->state->tactic = n;
        if (choice_take(s->state, s->sites, e->choices, &e->choices->at.at[plan->at[i]], NULL, NULL) != TAKEN) continue;
        s->marks[n + 1] = state_mark(s->state);
        s->applied.at[n] = plan->at[n] = plan->at[i];
        n++;
    }
    s->applied.n = plan->n = n;
}

static bool apply_after(const Evaluator *e, const Subject *s) {
    for (uint32_t i = 0; i < e->n_after; i++) {
        s->state->tactic = (uint16_t)(PLAN_MAX + i);
        if (choice_take(s->state, s->sites, e->choices, &e->after[i], NULL, NULL) == TAKEN_ILLEGAL) return false;
    }
    return true;
}

// A subject with a plan and what follows, lowered and timed; what is not there yet has no lowered program.
typedef struct Timed {
    Lowered *lowered;
    SimRun *run;
    SimResult result;
} Timed;

// ---- Memory ---------------------------------------------------------------------------------------------------------

static double most_bytes_alive(const MemoryUse *use) {
    double most = 0;
    for (uint32_t p = 0; p < use->n_steps; p++) most = fmax(most, use->over_time[p]);
    return most;
}

// By place: the most bytes that are alive there.
static double *most_by_place(Evaluator *e, const Subject *s, const Timed *t) {
    const MemoryUse *use = &t->result.memory;
    double *most = arena_zalloc(&e->simulation, s->folded->n_places * sizeof *most);
    for (uint32_t p = 0; p < use->n_steps; p++) {
        OpId op = t->lowered->origin[use->ops[p]];
        if (op == NO_ID) continue;
        uint32_t place = s->folded->place[op];
        most[place] = fmax(most[place], use->over_time[p]);
    }
    return most;
}

// What grows with layers grows by the same with each.
static double extrapolated(const Evaluator *e, double less, double last) {
    return last + e->more * fmax(0, last - less);
}

// The most of all places, each of which grows by the same with each layer: where few layers need most, all of them may not. Far below
// the peak a place may grow by what else runs there now.
#define NEAR_PEAK 0.6
static double extrapolate_alive(Evaluator *e, const Timed *t) {
    const double *less = most_by_place(e, &e->subjects[0], &t[0]), *last = most_by_place(e, &e->subjects[1], &t[1]);
    double most = 0, near = NEAR_PEAK * most_bytes_alive(&t[0].result.memory);
    for (uint32_t k = 0; k < e->subjects[1].folded->n_places; k++)
        most = fmax(most, less[k] >= near ? extrapolated(e, less[k], last[k]) : last[k]);
    return most;
}

// With gaps between buffers, and padding. Both programs are looked at without memory on chip, where few layers would find
// room for nearly all; what it takes of the larger one it takes of all layers too.
static void extrapolate_peak(Evaluator *e, const Timed *t, Score *score) {
    const MemoryUse *less = &t[0].result.memory, *last = &t[1].result.memory;
    run_passes(t[1].run, PASS_LIVENESS, PASS_BUFFERS);
    double with_vmem = most_bytes_alive(last);
    int64_t vmem = e->device.vmem;
    e->device.vmem = 0;
    for (uint32_t k = 0; k < 2; k++) simulate_memory(t[k].run);
    e->device.vmem = vmem;
    double saved = most_bytes_alive(last) - with_vmem;
    score->least = extrapolate_alive(e, t) - saved + extrapolated(e, less->gaps, last->gaps);
    score->peak = score->least + extrapolated(e, less->most - less->peak, last->most - last->peak);
}

// ---- Scores ---------------------------------------------------------------------------------------------------------

// A plan that is extrapolated to take longer than this takes longer than `longest`.
static double longest_extrapolated(const Evaluator *e, double longest) {
    return longest / (FOLD_SPARE * recent_least(&e->whole_seconds, 1));
}

// With axis orders tried, or without.
static bool time_subject(Evaluator *e, const Subject *s, bool orders, const Device *d, Timed *out) {
    out->lowered = orders ? lower_state(s->state, e->lower.gathers, &e->lowering) : lower(s->state, &e->lower, &e->lowering);
    if (out->lowered) out->run = simulate_time(out->lowered, d, &e->simulation, &out->result);
    return out->lowered != NULL;
}

static Score score_whole(Timed *t, double longest) {
    Score score = {.possible = true, .seconds = t->result.seconds};
    score.complete = score.seconds <= longest;
    if (!score.complete) return score;
    simulate_memory(t->run);
    score.seconds = t->result.seconds;
    score.peak = t->result.memory.most;
    score.least = t->result.memory.peak;
    return score;
}

// Of two programs, the second of which has some layers more.
static Score score_folded(Evaluator *e, Timed *t, double longest) {
    const SimResult *less = &t[0].result, *last = &t[1].result;
    Score score = {.possible = true, .seconds = last->seconds + e->more * (last->seconds - less->seconds)};
    recent_add(&e->growth, score.seconds / less->seconds);
    score.complete = score.seconds <= longest;
    if (!score.complete) return score;
    extrapolate_peak(e, t, &score);
    score.seconds = last->seconds + e->more * (last->seconds - less->seconds);
    return score;
}

// The first subject has the plan. If it is so slow already that the second cannot help, that one is left out.
static Score score_subjects(Evaluator *e, Plan *plan, double longest) {
    if (e->n_subjects > 1) longest = longest_extrapolated(e, longest);
    Timed t[2] = {0};
    arena_reset(&e->lowering);
    arena_reset(&e->simulation);
    Score score = {0};
    if (time_subject(e, &e->subjects[0], false, &e->device, &t[0])) {
        double guess = HOPELESS * recent_least(&e->growth, e->growth.n ? INFINITY : 0) * t[0].result.seconds;
        if (e->n_subjects == 1) {
            score = score_whole(&t[0], longest);
            score.exact = score.complete && score.peak < 0.5 * (double)e->real.memory;
        } else if (guess > longest) {
            score = (Score){.possible = true, .seconds = guess};
        } else {
            Plan same = *plan;
            apply_plan(e, &e->subjects[1], &same);
            if (apply_after(e, &e->subjects[1]) && time_subject(e, &e->subjects[1], false, &e->device, &t[1]))
                score = score_folded(e, t, longest);
            state_undo(e->subjects[1].state, e->subjects[1].marks[same.n]);
        }
    }
    for (uint32_t k = 0; k < 2; k++)
        if (t[k].lowered) lowered_free(t[k].lowered);
    return score;
}

// A program that cannot be lowered is no plan; the search goes on without a word. That memory has ended is told all the same.
typedef struct Silence {
    bool quiet;
    uint32_t n_errors;
    partir_status status;
} Silence;

static Silence begin_silence(Context *ctx) {
    Silence s = {ctx->quiet, ctx->n_errors, ctx->status};
    ctx->quiet = true;
    return s;
}

static void end_silence(Context *ctx, Silence s) {
    ctx->quiet = s.quiet;
    ctx->n_errors = s.n_errors;
    ctx->status = s.status;
}

// States are told apart by the first subject: what differs with more layers differs there.
Score evaluate(Evaluator *e, Plan *plan, double longest, StateHash *key) {
    Subject *first = &e->subjects[0];
    apply_plan(e, first, plan);
    bool possible = apply_after(e, first);
    if (!e->gathers_decided) e->lower.gathers = (GatherPolicy)plan->gathers;
    *key = first->state->nests;
    key->a += e->lower.gathers * 0x9e3779b97f4a7c15u;
    const struct KnownScore *known = find_known(e, *key);
    Score score = {0};
    double too_long = e->n_subjects > 1 ? longest_extrapolated(e, longest) : longest;
    if (known && possible && (known->score.complete || known->score.seconds > too_long)) {
        e->n_known++;
        score = known->score;
    } else if (possible) {
        e->n_evaluated++;
        Silence silence = begin_silence(e->ctx);
        score = score_subjects(e, plan, longest);
        end_silence(e->ctx, silence);
        remember(e, *key, score);
    }
    state_undo(first->state, first->marks[plan->n]);
    return score;
}

// The whole score of a plan whose folded one is the same to the last bit: they do the same in another order.
static const Score *find_equal(const Evaluator *e, const Score *folded) {
    for (uint32_t i = 0; i < e->extrapolated.n; i++) {
        const struct ExtrapolatedScore *x = &e->extrapolated.at[i];
        if (x->folded.seconds == folded->seconds && x->folded.peak == folded->peak) return &x->whole;
    }
    return NULL;
}

static Score score_on_whole(Evaluator *e, const Plan *plan) {
    e->n_whole++;
    Subject *whole = whole_subject(e);
    Plan same = *plan;
    apply_plan(e, whole, &same);
    Score score = {0};
    Timed t = {0};
    if (!e->gathers_decided) e->lower.gathers = (GatherPolicy)plan->gathers;
    Silence silence = begin_silence(e->ctx);
    arena_reset(&e->lowering);
    arena_reset(&e->simulation);
    if (apply_after(e, whole) && time_subject(e, whole, true, &e->real, &t))
        score = score_whole(&t, INFINITY), score.exact = true;
    if (t.lowered) lowered_free(t.lowered);
    end_silence(e->ctx, silence);
    state_undo(whole->state, whole->marks[same.n]);
    return score;
}

void compare_whole(Evaluator *e, const Score *folded, const Score *whole) {
    recent_add(&e->whole_seconds, whole->seconds / folded->seconds);
    recent_add(&e->whole_peak, whole->peak / folded->peak);
    recent_add(&e->whole_least, whole->least / folded->least);
}

Score estimate_whole(const Evaluator *e, const Score *folded) {
    Score score = *folded;
    score.seconds *= recent_least(&e->whole_seconds, 1);
    score.peak *= fmax(1, recent_least(&e->whole_peak, 1)); // less if some is rematerialized, which is not foreseen
    score.least *= fmax(1, recent_least(&e->whole_least, 1));
    return score;
}

double least_rematerialized(const Evaluator *e, const Score *folded) {
    return folded->least * REMATERIALIZED_SPARE * recent_least(&e->whole_least, 1);
}

Score evaluate_whole(Evaluator *e, const Plan *plan, StateHash key) {
    const struct KnownScore *known = find_known(e, key);
    Score folded = known ? known->score : (Score){0};
    bool extrapolated = folded.complete && !folded.exact && e->n_subjects > 1;
    const Score *equal = extrapolated ? find_equal(e, &folded) : NULL;
    Score score = equal ? *equal : score_on_whole(e, plan);
    if (extrapolated && !equal) {
        if (score.possible) compare_whole(e, &folded, &score);
        vec_push(&e->arena, &e->extrapolated, ((struct ExtrapolatedScore){folded, score}));
    }
    remember(e, key, score);
    return score;
}
