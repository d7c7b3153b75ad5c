// What is behind the handles of the public header, and the one way into a public call.
#ifndef PARTIR_API_HANDLES_H
#define PARTIR_API_HANDLES_H

#include "auto/auto.h"
#include "interp/interp.h"
#include "sim/report/sim_report.h"
#include "spmd/partition.h"

// Each handle lies in its own arena.
struct partir_text {
    Arena arena;
    const char *data; // NUL-terminated
    size_t size;
};

struct partir_module {
    Arena arena;
    Module *ir;
    uint32_t n_arguments, n_results;
    const partir_value_info *arguments, *results;
};

struct partir_schedule {
    Arena arena;
    Source source;
    Schedule schedule;
    const char **names; // of the tactics
};

// Plans of an automatic tactic, none of which another beats in both time and memory.
typedef struct AutoFront {
    Span name;
    uint32_t n;
    const FrontPoint *at;
} AutoFront;

struct partir_partition {
    Arena arena;
    Partition p;
    const Device *device;    // NULL until the first simulation
    const char *device_name; // as the caller named it
    double model_flops;
    VEC(SimRow) rows; // one for each tactic since
    VEC(Tactic) applied;   // an automatic one as what it found
    VEC(AutoFront) fronts; // of automatic tactics
};

struct partir_run {
    Arena arena;
    partir_module *module;
    Interp *interp;
    Mesh mesh; // of whole arrays and their parts; no axes if the module names none
    uint32_t n_inputs, n_outputs;
    Tensor **inputs, **outputs; // by device, then by place; NULL where not set
};

// Arguments of a run: their types, and tensors that become theirs.
const Type *run_argument_type(const partir_run *r, uint32_t i);
Elem run_argument_elem(const partir_run *r, uint32_t i);
bool run_shape_fits(const Type *t, uint32_t rank, const int64_t *dims);
void run_put_input(partir_run *r, uint32_t device, uint32_t index, Tensor *t);
void run_put_on_all(partir_run *r, uint32_t index, Tensor *t);

// What partir_module_argument and …_result tell, after @main has changed.
void module_describe(partir_module *p);

// Simulates the program as it is and adds a row; the scratch arena is open, and `now` lies in it.
bool simulation_record(partir_partition *h, SimResult *now);

// Applies a tactic and simulates it, if there is a device; the scratch arena is open.
bool apply_and_record(partir_partition *h, const Tactic *t, const Source *source);
bool apply_automatic(partir_partition *h, const Tactic *t, const Source *source);

// A built-in device, or the file of that name. NULL with a diagnostic.
const Device *device_open(Context *ctx, const char *name, Arena *a);

// Runs the body of a public call under a guard. On failure, for want of memory or because the body returned false,
// every arena that was made during the call is freed, so that the body cleans up nothing but what is no arena (open
// files).
bool api_call(Context *ctx, bool (*body)(void *), void *arg);

// A new text that is still empty; the body of a call fills `out`, which text_finish hands over.
partir_text *text_new(Context *ctx, Buffer *out);
void text_finish(partir_text *t, Buffer *out);

#endif
