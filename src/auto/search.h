// Search: starts from plans that an expert would write. It completes the best few greedily, polishes them, and varies them by
// annealing until the budget ends. Memory is a hard limit: a plan that fits comes before one that does not, then time decides.
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

enum { FINALISTS = 8 };
// A plan that is slower than the best by this factor, or needs more memory by it, is not evaluated further.
#define SLOWEST 1.5

typedef struct Search {
    Evaluator *e;
    SearchOptions options;
    AxisSet axes;
    Archive archive;
    uint32_t n_finalists;
    Archived finalists[FINALISTS]; // the best first, no two of equal figures
    uint32_t n_starts;
    uint16_t gathers; // of starts, a GatherPolicy
    uint64_t random;
    double began;
    double largest;       // bytes of a plan that may turn out to fit
    double whole_seconds; // that one evaluation of the whole program takes
    uint32_t n_in_a_row; // plans, one after another, whose state was known
    double share; // of the budget that may be used now
    bool started; // starts were evaluated
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
void search_starts(Search *s);

#endif
