// Search: starts from plans that an expert would write. They come in waves; after each the search improves the best few by single
// changes, and in the end it varies the best by annealing. What it tries does not depend on the budget, which only says where that
// ends: a larger one gives no worse answer. Memory is a hard limit: a plan that fits comes before one that does not, then time decides.
#ifndef PARTIR_AUTO_SEARCH_H
#define PARTIR_AUTO_SEARCH_H

#include "auto/archive.h"

typedef struct SearchOptions {
    const char *name;    // of the tactic, for progress
    double memory;       // bytes for each device
    bool least_memory;   // the objective; otherwise time
    double seconds;      // of search and confirmation; 0: as many evaluations as follow
    uint64_t evaluations;
    uint64_t seed;
} SearchOptions;

enum { FINALISTS = 8, STARTS_KEPT = 3 }; // kept: so many starts of each wave are improved
// A plan that is slower than the best by this factor, or needs more memory by it, is not evaluated further.
#define SLOWEST 1.5

// The best few plans, the best first, no two of equal figures.
typedef struct Leaders {
    uint32_t n;
    Archived at[FINALISTS];
} Leaders;

// A plan on its way up: single changes are tried in turn, and taken over if they make it better.
typedef struct Climb {
    Plan plan;
    Score score;
    uint32_t next, failed; // the change to try next; how many in a row were in vain
    bool simplified;       // choices without use were dropped
    bool completed;        // the best of all choices was added, as long as one is worth it
} Climb;

typedef struct Search {
    Evaluator *e;
    SearchOptions options;
    AxisSet axes;
    Archive archive;
    Leaders finalists;
    VEC(Plan) starts;
    uint32_t n_tried;   // of them
    uint32_t n_leanest; // of them, with which to find out how to gather
    uint16_t gathers;   // of starts, a GatherPolicy
    Leaders fresh;      // of the last wave's starts those that split differently
    VEC(Climb) climbs;
    uint64_t random;
    double began;
    double largest;       // bytes of a plan that may turn out to fit
    double whole_seconds; // that one evaluation of the whole program takes
    uint32_t n_in_a_row; // plans, one after another, whose state was known
    uint64_t until;      // this part of the search ends when so many plans have been evaluated
    bool starting;       // starts are evaluated
    bool started;        // those of the first wave were
    bool cancelled;
} Search;

// The caller has set the evaluator up.
void search_run(Search *s, Evaluator *e, const SearchOptions *options, AxisSet axes, Arena *a);
// Whether x is a better answer than y: a plan that surely fits beats one that may fit, depending on layouts, which beats all others.
bool search_is_better(const SearchOptions *o, const Score *x, const Score *y);
FitVerdict search_fit(const SearchOptions *o, const Score *x);
static inline bool search_fits(const SearchOptions *o, const Score *x) { return search_fit(o, x) == FITS_SURELY; }

// For the files of the search: evaluates a plan and adds it to the archive. It stops evaluating a plan that takes longer than
// `longest`. False once the search must stop.
bool search_try(Search *s, Plan *plan, double longest, Score *score);
// Lists what an expert would try.
void starts_find(Search *s, Arena *a);
// Evaluates the next ones, until so many plans were. False if there are no more, or the search must stop.
bool starts_try(Search *s, uint64_t until);

#endif
