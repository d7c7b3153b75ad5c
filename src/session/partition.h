// Partition: a program on its way through a schedule. After each tactic it can be lowered, summarised and printed.
#ifndef PARTIR_SESSION_PARTITION_H
#define PARTIR_SESSION_PARTITION_H

#include "core/annotation/annotations.h"
#include "core/annotation/manual.h"
#include "spmd/export/to_stablehlo.h"
#include "spmd/lower/lower.h"
#include "core/propagation/stops.h"
#include "spmd/summary/summary.h"

typedef struct Applied {
    Span name;
    const Tactic *tactic;
    uint32_t n_axes;
    const AxisId *axes; // major first
    TacticCounts counts;
    uint32_t mark;   // of the state before it
    Summary summary; // of the program after the tactic
    Stops stops;
} Applied;

typedef struct Partition {
    Context *ctx;
    Module *m;     // as it was given, or with manual computations flattened: then it is the partition's own
    Manual manual;
    Arena arena;   // lives as long as the partition
    Arena scratch; // the caller opens it before a call and frees it after
    const Schedule *schedule;
    GatherPolicy gathers; // the schedule's, or what an automatic tactic chose
    bool gathers_decided;
    Mesh mesh;
    Graph graph;
    State state;
    Targets targets;
    bool locations; // they are named by loc/… too
    VEC(Applied) applied;
    uint32_t n_annotations; // of those: the program's own, which come first
    Lowered *lowered;     // of the state as it is now, or NULL
    Module *stablehlo[EXPORT_TARGETS]; // of that, for each compiler
    uint32_t next;        // tactic of the schedule
} Partition;

// Prepares the module in place. False with diagnostics; the caller frees the partition in any case.
bool partition_init(Partition *p, Module *m, const Schedule *s, const char *mesh);
void partition_free(Partition *p);
void partition_forget(Partition *p); // what was lowered so far
// The program's own annotations as tactics, before any other. The scratch arena is open.
bool partition_annotate(Partition *p);
bool partition_apply(Partition *p, const Tactic *t, const Source *source);
// Lowers a state in the order of axes that needs the fewest permutes, and checks the types. The caller frees it. NULL with a diagnostic.
Lowered *lower_state(const State *s, GatherPolicy gathers, Arena *scratch);
Lowered *partition_lowered(Partition *p); // NULL with a diagnostic
// The program after the first `tactics` tactics, which the caller frees. NULL with a diagnostic.
Lowered *partition_lowered_after(Partition *p, uint32_t tactics);
void partition_name_locations(Partition *p); // from now on, targets by loc/… too
// The k-th alternative order of the axes, for nests whose own order needs permutes; false if there is none.
bool partition_order(uint32_t n_axes, uint32_t k, AxisId *order);
Module *partition_stablehlo(Partition *p, ExportTarget target); // NULL with a diagnostic

#endif
