// Schedules: the ordered list of tactics that a user writes beside the program, as a file or through the API.
//
//     mesh batch=4, model=2
//     tactic BP on batch { x : 0 }
//     tactic Z3 on batch { params/** if rank >= 2 : first_divisible   params/embed : replicated }
//
// This holds the text alone, with the offset of each word for diagnostics; core/tactic applies it to a program. The
// grammar is in docs/schedule.md.
#ifndef PARTIR_CORE_SCHEDULE_SCHEDULE_H
#define PARTIR_CORE_SCHEDULE_SCHEDULE_H

#include "core/mesh.h"
#include "core/schedule/pattern.h"
#include "core/rule/rule.h"

#define SCHEDULE_MAX_TACTICS 4096

typedef struct Word {
    Span text;
    uint32_t offset; // in the source
} Word;

typedef struct MeshAxis {
    Word name;
    int64_t size;
} MeshAxis;

typedef enum FilterKind { FILTER_RANK, FILTER_BYTES, FILTER_DTYPE, FILTER_NAME } FilterKind;
typedef enum FilterTest { TEST_EQ, TEST_NE, TEST_LT, TEST_LE, TEST_GT, TEST_GE } FilterTest;

typedef struct Filter {
    FilterKind kind;
    FilterTest test;
    int64_t number; // rank, bytes
    Word word;      // dtype; name: a pattern
} Filter;

typedef enum LineValue {
    LINE_DIM,             // tile this dimension; below 0: from the end, -1 is the last
    LINE_FIRST_DIVISIBLE, // the first dimension that divides
    LINE_REPLICATED,      // atomic: the axis never passes through
    LINE_UNKNOWN          // no decision: whatever propagation finds
} LineValue;

// One line of a manual tactic: `pattern if filter and … : value`.
typedef struct TacticLine {
    Word pattern;
    uint32_t n_filters;
    const Filter *filters;
    LineValue value;
    int64_t dim;
    uint32_t value_offset;
    Span comment; // printed behind it; empty: none
} TacticLine;

typedef struct Tactic {
    Word name;
    bool automatic;
    uint32_t n_axes;
    const Word *axes; // of a manual tactic: a dimension is tiled by all of them, the first is the major one
    Span comment; // printed above it; empty: none
    // manual
    uint32_t n_lines;
    const TacticLine *lines;
    // automatic; 0 = not given
    int64_t budget_ms, budget_evaluations, memory_bytes, seed;
    bool least_memory; // the objective; otherwise time
    uint32_t n_leave;
    const Word *leave; // patterns of what no action may name
} Tactic;

// `tie params -> out/0`: the result below `to` is the next state of the argument with the same tail below `from`.
typedef struct Tie {
    Word from, to;
} Tie;

// Whose gathers are made anew for each use, and whose once for all uses in a region. ORDER gather_policies
typedef enum GatherPolicy {
    GATHERS_PER_USE,         // all anew: a weight is not kept whole between its uses
    GATHERS_SHARED,          // all once
    GATHERS_WEIGHTS_PER_USE, // arguments, in whatever form, anew; what is computed once
    GATHERS_WHOLE_TABLES,    // all anew, also a table for a lookup that could be made in its chunks
    GATHERS_LEAST            // all anew, but products are made in the chunks of a weight where that sends less
} GatherPolicy;
enum { N_GATHER_POLICIES = 5 }; // a search tries those before whole_tables: the others only change where ops are split
extern const char *const gather_policies[N_GATHER_POLICIES];
extern const char *const annotation_modes[3]; // ORDER AnnotationMode

// What becomes of the shardings that the program itself carries (core/annotation/annotations.h).
typedef enum AnnotationMode { ANNOTATIONS_APPLY, ANNOTATIONS_IGNORE, ANNOTATIONS_ERROR } AnnotationMode;

typedef enum DemandKind {
    DENY_COLLECTIVE,   // none of this kind
    EXPECT_COLLECTIVE, // so many of this kind, loops multiplied by their trip counts
    DENY_CONFLICT,     // no conflict and no race
    DENY_REPLICATED    // no op that every device runs whole
} DemandKind;

// What must hold of the partitioned program: `deny all_gather on model in loc/decoder/** above 1MiB`, `expect all_reduce 418 on
// batch`. It is checked once all tactics are applied.
typedef struct Demand {
    DemandKind kind;
    Word collective; // all_gather, …; collective: of any kind
    uint32_t n_axes;
    const Word *axes; // it runs over all of them
    Word in;          // a pattern on the path or on what it serves; empty: anywhere
    int64_t above;    // bytes or FLOPs; 0: any
    int64_t count;
    uint32_t offset;
} Demand;

typedef struct Schedule {
    const Source *source;
    AnnotationMode annotations;
    bool trust_rules; // of custom calls themselves: sdy.sharding_rule
    uint32_t n_axes; // 0: no mesh line
    const MeshAxis *axes;
    Word device; // empty: none
    GatherPolicy gathers;
    bool gathers_given; // otherwise an automatic tactic may choose
    uint32_t n_ties;
    const Tie *ties;
    uint32_t n_rules;
    const UserRule *rules; // names are checked; whether they fit a call shows when its rule is built
    uint32_t n_tactics;
    const Tactic *tactics;
    uint32_t n_demands;
    const Demand *demands;
} Schedule;

// False with one caret error. The schedule borrows the source's text; all else is in `a`.
bool schedule_read(Context *ctx, Arena *a, const Source *source, Schedule *out);
// A line's left side alone: a pattern with its filters.
bool selector_read(Context *ctx, Arena *a, const Source *source, TacticLine *out);
// As text that reads back to the same schedule.
void schedule_print(const Schedule *s, Buffer *out);
void tactic_print(const Tactic *t, Buffer *out);
void demand_print(const Demand *d, Buffer *out); // deny all_gather on model above 1MiB
void line_print(const TacticLine *line, Buffer *out); // params/** if rank >= 2 : first_divisible
void user_rule_print(const UserRule *r, Buffer *out); // what follows the word `rule`

// The line's pattern and all its filters accept the value.
bool line_accepts(const TacticLine *line, const char *path, const Type *type);

#endif
