// Tactics: turns patterns on names into actions, then propagates. A tactic is applied whole or not at all.
#ifndef PARTIR_CORE_TACTIC_TACTIC_H
#define PARTIR_CORE_TACTIC_TACTIC_H

#include "core/schedule/schedule.h"
#include "core/propagation/state.h"

// What a pattern can name: an argument, a result, or a tagged value inside the program.
typedef struct Target {
    const char *name;
    NodeId node;
    uint32_t tensor; // of the node
    ValueId value;   // made atomic by `replicated`
    TypeId type;
} Target;

// Arguments, results, tags; then, if asked for, values that the name stack of their debug location names: loc/decode/1/q/mul.
// Only patterns that begin with loc/ mean those.
typedef struct Targets {
    uint32_t n, n_without_locations;
    const Target *at;
    uint64_t *indexed; // by target: dimensions (bits) that the program indexes dynamically
    // What a line that spells a path out is about: an argument, a result, or all tags or locations of one name.
    uint32_t n_paths;
    uint32_t n_paths_without_locations;
    const uint32_t *first_member; // n_paths + 1 entries, into members
    const uint32_t *members;      // targets
} Targets;

// With locations, targets and paths come after those that are there without.
Targets targets_build(const Graph *g, bool locations, Arena *a);
bool line_names_location(const TacticLine *line);
bool tactic_names_locations(const Tactic *t);
uint32_t targets_find(const Targets *t, const char *path); // a path; NO_ID if there is none

static inline const Target *path_target(const Targets *t, uint32_t path) { // the first
    return &t->at[t->members[t->first_member[path]]];
}

typedef struct TacticCounts {
    uint32_t tiled, atomic;               // actions performed
    uint32_t already;                     // values that have the axis already, passed over by first_divisible
    uint32_t nothing_divides;             // values with no dimension to take
    uint32_t propagated;                  // nest entries that propagation added
    uint32_t first_conflict, n_conflicts; // into State.conflicts
} TacticCounts;

// A hint for whoever misses a name.
#define LISTS_NAMES "`partir check` lists all names; in Python, partir.jit(f, mesh=mesh).lower(...).paths()"

// Pairs of arguments and results that tie lines name. False with a diagnostic if a line names nothing.
bool ties_resolve(const Module *m, const Schedule *s, Arena *a, const TiedPair **ties, uint32_t *n);
// The mesh axes that the tactic names, major first. False with a diagnostic if the mesh has no such axis.
bool tactic_axes(Mesh *mesh, const Tactic *t, const Source *source, Context *ctx, Arena *a, AxisId *out);
// Tie lines that the names of arguments and results suggest.
void ties_suggest(const Module *m, Buffer *out);
// Applies a manual tactic; on error the state is as before.
bool tactic_apply(State *s, const Targets *targets, const Tactic *t, const Source *source, Arena *a,
                  TacticCounts *counts);

#endif
