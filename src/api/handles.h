// What is behind the handles of the public header, and the one way into a public call.
#ifndef PARTIR_API_HANDLES_H
#define PARTIR_API_HANDLES_H

#include "auto/auto.h"
#include "core/tactic/tile_set.h"
#include "interp/interp.h"
#include "sim/incremental/trials.h"
#include "sim/report/sim_report.h"
#include "spmd/summary/attribution.h"
#include "session/partition.h"

// Each handle lies in its own arena.
struct partir_text {
    Arena arena;
    const char *data; // NUL-terminated
    size_t size;
};

struct partir_module {
    Arena arena;
    Module *ir;
    Module *written; // as the text has it, where `ir` lacks its tokens; else NULL
    uint32_t n_arguments, n_results;
    const partir_value_info *arguments, *results;
    uint32_t n_kinds; // of ops
    partir_op_count kinds[OP_COUNT];
};

struct partir_schedule {
    Arena arena;
    Source source;
    Schedule schedule;
    const partir_axis_info *axes;
    const partir_tie_info *ties;
    const char **rules, **demands;
    const partir_tactic_info *tactics;
    const char *device;
};

// Plans of an automatic tactic, none of which another beats in both time and memory.
typedef struct AutoFront {
    Span name;
    uint32_t n;
    const FrontPoint *at;
} AutoFront;

// A tactic that is being put together by calls.
typedef struct TacticDraft {
    bool open;
    Arena arena; // what it says, until it ends
    Span name, axis;
    VEC(PathTile) tiles;
} TacticDraft;

// What was simulated so far on one device: a row for the program before any tactic, and one after each.
typedef struct SimulatedRows {
    Arena arena;
    const char *device_text; // in the file form, which tells devices apart; NULL: none yet
    const Device *device;
    double model_flops;
    VEC(SimRow) rows;
    Arena last_arena; // of the program that was simulated last, all of the result
    bool has_last;
    StateHash last_of;
    SimResult last;
} SimulatedRows;

struct partir_partition {
    Arena arena;
    Partition p;
    Schedule schedule;  // as the options change it
    const char *device; // that the caller gave, or NULL
    Arena answer; // what the last question's answer points to
    TacticDraft draft;
    SimulatedRows simulated;
    struct {
        Arena arena;
        bool known;
        StateHash of;
        Attribution found;
    } collectives;
    VEC(AutoFront) fronts; // of automatic tactics
    partir_trials *trials; // under way, or NULL
};

// What was done in trials since the last commit, so that it can be done again as a tactic.
typedef struct TrialAction {
    uint32_t mark; // of the state before it
    AxisId axis;
    uint32_t first, n; // of the trials' tiles
} TrialAction;

struct partir_trials {
    Arena arena;
    partir_partition *partition;
    Trials trials;
    uint32_t mark; // where the partition stands without them
    VEC(TrialAction) actions;
    VEC(PathTile) tiles;
};

struct partir_run {
    Arena arena;
    partir_module *module;
    Interp *interp;
    Mesh mesh; // of whole arrays and their parts; no axes if the module names none
    uint32_t n_inputs, n_outputs;
    Tensor **inputs, **outputs; // by device, then by place; NULL where not set
};

// Runs the body of a public call under a guard. On failure, for want of memory or because the body returned false, every arena
// that was made during the call is freed, so that the body cleans up nothing but what is no arena (open files).
partir_status api_call(Context *ctx, bool (*body)(void *), void *arg);
// A call that may not be made so; ctx may be NULL.
partir_status api_misuse(Context *ctx, const char *message);
partir_status api_not_found(Context *ctx, const char *what, uint32_t index, uint32_t count);
// Gives the caller as much of a struct as there is room for; it begins with its size.
partir_status api_give(Context *ctx, void *to, const void *from, size_t size);
// Takes from the caller as much of a struct as was given; the rest of `to` stays as it is. NULL is nothing.
bool api_take(void *to, const void *from, size_t size);
const char *api_string(Arena *a, Span s); // NUL-terminated

// Arguments of a run: their types, and tensors that become theirs.
const Type *run_argument_type(const partir_run *r, uint32_t i);
Elem run_argument_elem(const partir_run *r, uint32_t i);
bool run_shape_fits(const Type *t, uint32_t rank, const int64_t *dims);
void run_put_input(partir_run *r, uint32_t device, uint32_t index, Tensor *t);
void run_put_on_all(partir_run *r, uint32_t index, Tensor *t);

// What partir_module_argument and …_result tell, after @main has changed.
void module_describe(partir_module *p);
partir_value_info value_describe(const Module *m, TypeId type, const char *name, Arena *a);

// Runs a call on a partition; on failure it is as it was. The body opens the scratch arena and frees it if all goes well.
partir_status partition_call(partir_partition *h, bool (*body)(void *), void *arg);
// The same for a question whose answer points into the answer arena, which is emptied first.
partir_status partition_ask(partir_partition *h, bool (*body)(void *), void *arg);
// Applies a tactic, or what the search of an automatic one finds, and simulates the program after it where the ones before were.
bool partition_apply_and_record(partir_partition *h, const Tactic *t, const Source *source);
bool partition_apply_automatic(partir_partition *h, const Tactic *t, const Source *source);
// A tactic whose lines name each tile's path.
Tactic *tactic_of_tiles(const Partition *p, Span name, Span axis, const PathTile *tiles, uint32_t n, Arena *a);

// Names of axes of a mesh that may be cut; digits of one axis that follow one another have one name: how many.
const char *const *axis_names(const Mesh *mesh, const AxisId *axes, uint32_t n, Arena *a, uint32_t *out_n);

bool simulation_record(partir_partition *h); // the program after the last tactic, if those before are recorded
// A built-in device, or the file of that name; NULL is the device that the partition was made with, or the schedule's.
const Device *device_of(const partir_partition *h, const char *name, Arena *a);
partir_cost cost_of(const TrialCost *found);

// A new text that is still empty; the body of a call fills `out`, which text_finish hands over.
partir_text *text_new(Context *ctx, Buffer *out);
void text_finish(partir_text *t, Buffer *out);

#endif
