// Evaluation: the time and memory of a plan, an ordered list of choices, as the simulator sees it.
//
// The simulator's answer for the whole program decides between plans. Most plans need no simulation of the whole program: two
// programs with a few of the repeated layers (fold.h) show that they are too slow. Each further layer adds the same time of kernels
// and of communication. The hidden part of the communication does not grow so evenly, because a compiler orders many layers in
// another way than few and combines their collectives in other groups. So the score of the folded programs only rules plans out,
// with a margin: the ratio by which recent whole programs were faster than their folded scores. The remaining plans are evaluated
// on the whole program. The score of a state is kept and found again by its hash.
#ifndef PARTIR_AUTO_EVALUATE_H
#define PARTIR_AUTO_EVALUATE_H

#include "auto/fold.h"
#include "session/partition.h"
#include "sim/pipeline.h"

enum { PLAN_MAX = 24 };

typedef struct Plan {
    uint16_t n;
    uint16_t at[PLAN_MAX]; // numbers of choices
    uint16_t gathers;      // a GatherPolicy
} Plan;

typedef struct Score {
    bool possible; // false: a tactic that follows cannot be applied
    bool complete; // false: it takes longer than was asked for, and its memory is not known
    bool exact;    // of the whole program, with what is rematerialized for it to fit; otherwise extrapolated from a few layers
    double seconds;
    double peak;  // where nothing decides the layout of a temporary: with the default one, in padded tiles
    double least; // with the one of least memory
} Score;

// The last few values of a figure. The search tries similar plans one after another, so recent values predict the next.
enum { RECENT = 16 };
typedef struct Recent {
    uint64_t n; // of all that ever were
    double at[RECENT];
} Recent;

// A program that plans are tried on.
typedef struct Subject {
    State *state;
    const Site *sites; // by target
    const Folded *folded; // NULL for the whole program
    Plan applied;         // as it is now
    uint32_t marks[PLAN_MAX + 1];
} Subject;

typedef struct Evaluator {
    Context *ctx;
    Device device; // with unlimited memory, so that nothing is rematerialized
    Device real;
    LowerOptions lower;
    bool gathers_decided; // by the schedule, not by plans
    const Choices *choices;
    uint32_t n_after;
    const Choice *after; // tactics that follow in the schedule
    uint32_t n_subjects; // 1: the whole program; 2: with some layers, and with a few more
    Subject subjects[2];
    double more;   // how often the difference of the two must be added to the second one to give the whole program
    Subject whole; // the whole program
    Recent growth;        // of a step's time to that of the first subject, where both were evaluated
    Recent whole_seconds; // of the whole program, to what was extrapolated
    Recent whole_peak, whole_least;
    Arena arena, lowering, simulation;
    IdMap known_map;
    VEC(struct KnownScore {
        StateHash key;
        Score score;
    })
    known;
    VEC(struct ExtrapolatedScore {
        Score folded;
        Score whole;
    })
    extrapolated; // plans that were evaluated whole
    uint64_t n_evaluated, n_known;
    uint64_t n_whole; // of those that were evaluated, also on the whole program
} Evaluator;

void evaluator_init(Evaluator *e, Context *ctx, const Device *d);
void evaluator_free(Evaluator *e);
// Adds a folded program as a subject.
void evaluator_add(Evaluator *e, Folded *f);
// Adds the whole program, after all folded ones. Without any, plans are tried on the whole program.
void evaluator_add_whole(Evaluator *e, State *s, const Site *sites);
// Evaluates a plan on the subjects. If a step surely takes longer than `longest`, its memory is not computed. Choices that change
// nothing are removed from the plan. `key` is the hash of the resulting state.
Score evaluate(Evaluator *e, Plan *plan, double longest, StateHash *key);
// Evaluates a plan, after `evaluate`, on the whole program with rematerialization.
Score evaluate_whole(Evaluator *e, const Plan *plan, StateHash key);
// Records the ratios of a plan's whole score to its folded score.
void compare_whole(Evaluator *e, const Score *folded, const Score *whole);
// A lower estimate of the time and memory of the whole program, by the ratios of earlier plans.
Score estimate_whole(const Evaluator *e, const Score *folded);
// An estimate of the least memory after rematerialization, by the savings of recent plans with a margin.
double least_rematerialized(const Evaluator *e, const Score *folded);
// Undoes all choices.
void evaluator_rewind(Evaluator *e);

#endif
