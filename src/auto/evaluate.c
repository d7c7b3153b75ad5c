// Evaluation: choices are taken and taken back on each subject; what follows is lowered and simulated afresh.
#include "auto/evaluate.h"
#include <math.h>

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
    *e = (Evaluator){.ctx = ctx, .device = *d};
    e->device.memory = INT64_MAX / 2; // all fits, so that nothing is rematerialized
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

void evaluator_add(Evaluator *e, State *s, const Site *sites) {
    Subject *subject = &e->subjects[e->n_subjects++];
    *subject = (Subject){.state = s, .sites = sites, .marks = {state_mark(s)}};
}

static void rewind_to(Evaluator *e, uint32_t n) {
    for (uint32_t k = 0; k < e->n_subjects; k++) state_undo(e->subjects[k].state, e->subjects[k].marks[n]);
    e->applied.n = (uint16_t)n;
}

void evaluator_rewind(Evaluator *e) { rewind_to(e, 0); }

// The subjects get the plan; what it shares with the last one stays. A choice that changes nothing leaves the plan.
static void apply_plan(Evaluator *e, Plan *plan) {
    uint32_t same = 0;
    while (same < plan->n && same < e->applied.n && plan->at[same] == e->applied.at[same]) same++;
    rewind_to(e, same);
    uint16_t n = (uint16_t)same;
    for (uint32_t i = same; i < plan->n; i++) {
        bool changed = false;
        for (uint32_t k = 0; k < e->n_subjects; k++) {
            Subject *s = &e->subjects[k];
            s->state->tactic = n;
            const Choice *choice = &e->choices->at.at[plan->at[i]];
            changed |= choice_take(s->state, s->sites, e->choices, choice, NULL, NULL) == TAKEN;
            s->marks[n + 1] = state_mark(s->state);
        }
        if (changed) e->applied.at[n] = plan->at[n] = plan->at[i], n++;
    }
    e->applied.n = plan->n = n;
}

static bool apply_after(const Evaluator *e, const Subject *s) {
    for (uint32_t i = 0; i < e->n_after; i++) {
        s->state->tactic = (uint16_t)(PLAN_MAX + i);
        if (choice_take(s->state, s->sites, e->choices, &e->after[i], NULL, NULL) == TAKEN_ILLEGAL) return false;
    }
    return true;
}

// ---- Scores ---------------------------------------------------------------------------------------------------------

// Of one program, or of two of which the second has one layer more.
static Score simulate_subjects(Evaluator *e, const Subject *subjects, uint32_t n_subjects, double more, double longest) {
    Score score = {0};
    Lowered *lowered[2] = {0};
    SimRun *runs[2];
    SimResult results[2];
    arena_reset(&e->lowering);
    arena_reset(&e->simulation);
    uint32_t n = 0;
    for (; n < n_subjects; n++) {
        lowered[n] = lower(subjects[n].state, &e->lower, &e->lowering);
        if (!lowered[n]) break;
        runs[n] = simulate_time(lowered[n], &e->device, &e->simulation, &results[n]);
    }
    if (n == n_subjects) {
        const SimResult *less = &results[0], *last = &results[n - 1];
        score.possible = true;
        score.seconds = last->seconds + more * (last->seconds - less->seconds);
        score.complete = score.seconds <= longest;
        for (uint32_t k = 0; score.complete && k < n; k++) simulate_memory(runs[k]);
        if (score.complete) {
            score.seconds = last->seconds + more * (last->seconds - less->seconds);
            double grows = last->memory.peak - less->memory.peak;
            score.peak = last->memory.peak + (grows > 0 ? more * grows : 0);
        }
    }
    for (uint32_t k = 0; k < n; k++) lowered_free(lowered[k]);
    return score;
}

// A program that cannot be lowered is no plan; the search goes on without a word.
static Score simulate_quietly(Evaluator *e, const Subject *subjects, uint32_t n, double more, double longest) {
    void (*diagnostic)(void *, const partir_diagnostic *) = e->ctx->options.diagnostic;
    uint32_t n_errors = e->ctx->n_errors;
    e->ctx->options.diagnostic = NULL;
    Score score = simulate_subjects(e, subjects, n, more, longest);
    e->ctx->options.diagnostic = diagnostic;
    e->ctx->n_errors = n_errors;
    return score;
}

Score evaluate(Evaluator *e, Plan *plan, double longest, StateHash *key) {
    apply_plan(e, plan);
    bool possible = true;
    for (uint32_t k = 0; k < e->n_subjects && possible; k++) possible = apply_after(e, &e->subjects[k]);
    *key = e->subjects[e->n_subjects - 1].state->nests;
    const struct KnownScore *known = find_known(e, *key);
    Score score = {0};
    if (known && possible && (known->score.complete || known->score.seconds > longest)) {
        e->n_known++;
        score = known->score;
    } else if (possible) {
        e->n_evaluated++;
        score = simulate_quietly(e, e->subjects, e->n_subjects, e->more, longest);
        score.exact = !e->whole.state;
        remember(e, *key, score);
    }
    rewind_to(e, plan->n);
    return score;
}

Score evaluate_whole(Evaluator *e, const Plan *plan, StateHash key) {
    State *s = e->whole.state;
    uint32_t mark = state_mark(s);
    for (uint32_t i = 0; i < plan->n; i++) {
        s->tactic = (uint16_t)i;
        choice_take(s, e->whole.sites, e->choices, &e->choices->at.at[plan->at[i]], NULL, NULL);
    }
    Score score = {0};
    if (apply_after(e, &e->whole)) score = simulate_quietly(e, &e->whole, 1, 0, INFINITY);
    state_undo(s, mark);
    score.exact = true;
    remember(e, key, score);
    return score;
}
