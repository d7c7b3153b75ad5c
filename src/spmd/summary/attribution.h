// Attribution: says what each collective of a device-local program serves, by the user's names.
//
//     all_gather on batch   of params/layers/3/up/kernel   for loc/layers/3/up/dot_general at model.py:41   by Z3
//
// A collective moves a value of the array program. The value is named by the argument that it is a form of (with converts,
// reshapes, transposes and slices between), by its tag, by the result that it goes into elementwise (a gradient goes into the
// next state of its parameter), or by the op that computes it.
#ifndef PARTIR_SPMD_SUMMARY_ATTRIBUTION_H
#define PARTIR_SPMD_SUMMARY_ATTRIBUTION_H

#include "core/tactic/value_names.h"
#include "spmd/summary/summary.h"

typedef struct Attributed {
    OpId op; // of the device-local program
    CollectiveKind kind;
    AxisSet axes;
    double runs, bytes; // in one step: loops multiplied by their trip counts
    double seconds, exposed; // on a device: whoever simulates writes them
    ValueRole what;
    const char *serves; // a path, a tag, or "dot_general at model.py:12"
    const char *path;   // of the op that it is for: loc/layers/3/up/dot_general; "" if the program has no name stacks
    const char *place;  // of the innermost frame in the user's own code: model.py:41
    const char *spares; // the table or weight that stays in chunks since this is moved instead; NULL as a rule
    int tactic;         // number of the tactic that it is there for; -1 if no tactic was applied
    ValueId source;     // the array program's value that it moves; NO_ID if it is none
    OpId user;          // the array program's op that it is for
} Attributed;

typedef struct Attribution {
    uint32_t n;
    Attributed *at; // in program order
} Attribution;

// The program was lowered from the state.
Attribution attribute(const Lowered *l, const State *s, Arena *a);

// Collectives that differ in the numbers of their layers alone are one group.
typedef struct AttributedGroup {
    const Attributed *first;
    const char *serves, *path; // numbers that differ are `*`
    uint32_t n, n_served;      // collectives; values that they serve
    double runs, bytes, seconds, exposed;
} AttributedGroup;

typedef struct AttributedGroups {
    uint32_t n;
    AttributedGroup *at; // most bytes first
} AttributedGroups;

// A path with each number a `*`, layers/*/up; with `like`, a path that is the same but for numbers, only those that differ.
const char *without_numbers(const char *text, const char *like, Arena *a);
AttributedGroups attribution_groups(const Attribution *x, Arena *a);

#endif
