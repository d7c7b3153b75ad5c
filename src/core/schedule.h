// Schedules: an ordered list of tactics apart from the model, as a file (docs/schedule.md has the grammar).
//
//     mesh batch=4, model=2
//     tie params -> out/0
//     tactic BP on batch { x : 0 }
//     tactic Z3 on batch { params/** if rank >= 2 : first_divisible }
#ifndef PARTIR_CORE_SCHEDULE_H
#define PARTIR_CORE_SCHEDULE_H

#include "core/mesh.h"
#include "core/rule.h"

typedef enum LineValue {
    LINE_DIM,             // tile this dimension
    LINE_FIRST_DIVISIBLE, // tile the first dimension that divides
    LINE_REPLICATED,      // atomic on the axis
    LINE_UNKNOWN          // no decision: takes back what an earlier line of the tactic said
} LineValue;

typedef enum FilterKind { FILTER_RANK, FILTER_BYTES, FILTER_TYPE } FilterKind;
typedef enum FilterOp { FILTER_LT, FILTER_LE, FILTER_EQ, FILTER_NE, FILTER_GE, FILTER_GT } FilterOp;

// `if rank >= 2`, `if bytes >= 1MiB`, `if type == bf16`; several are joined by `and`.
typedef struct Filter {
    FilterKind kind;
    FilterOp op;
    int64_t number;
    Span type;
} Filter;

typedef struct TacticLine {
    Span pattern;
    uint32_t n_filters;
    const Filter *filters;
    LineValue value;
    int64_t dim;
    size_t source; // offset of the pattern in the schedule's source
} TacticLine;

typedef struct Tactic {
    Span name;
    bool automatic;
    uint32_t n_axes; // one for a manual tactic
    const Span *axes;
    const size_t *axis_source;
    uint32_t n_lines;
    const TacticLine *lines;
    double budget_seconds; // automatic; 0: default
    int64_t memory_bytes;  // automatic; 0: the device's
    uint64_t seed;
    size_t source;
} Tactic;

typedef struct TieLine {
    Span argument, result; // path prefixes: params -> out/0
    size_t source;
} TieLine;

typedef struct Schedule {
    Source source;
    bool has_mesh;
    Mesh mesh;
    Span device; // empty if not named
    uint32_t n_ties, n_rules, n_tactics;
    const TieLine *ties;
    const UserRule *rules;
    const Tactic *tactics;
} Schedule;

// Reads s->source. False with caret errors.
bool schedule_read(Schedule *s, Context *ctx, Arena *a);
// One tactic from its text.
bool schedule_read_tactic(Tactic *t, Context *ctx, Arena *a, const Source *source);
void schedule_print(const Schedule *s, Buffer *out);

// `*` stands for one path component, `**` for any number, {a,b} for alternatives; a component may mix them: w*, {q,k}_proj.
bool pattern_match(Span pattern, const char *path);
// The candidate nearest in spelling, for hints; NULL if none is near.
const char *nearest_name(Span name, const char *const *candidates, uint32_t n);

#endif
