// Exec: a run of a program. Each device has an environment (value -> tensor); ops are evaluated one after the other,
// each on all devices that have got there, and a tensor is released after its last use.
//
//     %0 = stablehlo.add %a, %b             kernel_binary runs once a device: exec_in(e, op, 0), … -> exec_out
//     %1 = stablehlo.all_reduce(%0)         kernel_all_reduce runs once for all devices in e->active
//
// A kernel returns false after a diagnostic. What runs out (memory, steps) does not return at all: it reports and
// leaves through the guard, and the heap owns everything there is to free.
#ifndef PARTIR_INTERP_EXEC_H
#define PARTIR_INTERP_EXEC_H

#include "core/mesh.h"
#include "interp/tensor/tensor.h"
#include "ir/module.h"

typedef struct Exec Exec;
typedef bool (*KernelFn)(Exec *e, OpId op);

// Some devices, by ascending id.
typedef struct Devices {
    uint32_t n;
    const uint32_t *at;
} Devices;

// What is known of the program before it runs: where each value dies, and what each region is.
typedef struct RunPlan {
    OpId *last_use;  // by value: the op of its own region in (or under) which it is used last; NO_ID if never
    bool *captured;  // by value: used inside a region of another op, not only by ops of its own region
    uint32_t *first; // by op: dying[first[op] .. first[op + 1]) have their last use in op
    ValueId *dying;
    uint8_t *quantized; // by op: an operand or result is quantized
    uint8_t *monoid;    // by region: what body_monoid has found, 0 = not looked at yet
    Tensor **constants; // by op: a decoded constant, once asked for
    bool *running;      // by region: a function's body in which a call is under way
} RunPlan;

typedef struct Scratch Scratch;

struct Exec {
    Module *m;
    Context *ctx;
    Arena *arena; // lives as long as the run
    Heap heap;
    RunPlan plan;
    uint32_t n_devices, n_replicas, n_partitions; // device = replica * n_partitions + partition
    Tensor **env;                                 // [device * number of values + value]
    size_t n_values;
    Devices active;   // the devices that execute the current op
    uint32_t device;  // whose turn it is in a kernel that runs once a device
    OpId op;          // being executed, for diagnostics
    bool dequantized; // quantized operands stand as floats, results are to be made as floats (interp/elementwise/quant.c)
    uint32_t depth;
    uint64_t steps, max_steps;
    uint64_t rng_state; // of stablehlo.rng
    bool left_out;      // a callback was, and the warning given
    Mesh mesh;          // of PartIR:HLO; no axes until asked for
    Scratch *scratch;
};

// ---- For kernels ---------------------------------------------------------------------------------------------------
bool exec_error(Exec *e, OpId op, const char *hint, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

Tensor *exec_get(const Exec *e, uint32_t device, ValueId v); // borrowed
static inline Tensor *exec_in(const Exec *e, OpId op, uint32_t i) {
    return exec_get(e, e->device, op_operand(e->m, op, i));
}
// An owned reference; the environment's own is given up if the operand dies here, so that it may turn out unshared.
Tensor *exec_take(Exec *e, OpId op, uint32_t i);
// The same, but its elements may be changed: the operand itself if nobody shares it, else a copy.
Tensor *exec_take_writable(Exec *e, OpId op, uint32_t i);
void exec_put(Exec *e, uint32_t device, ValueId v, Tensor *t); // takes the reference
static inline void exec_set(Exec *e, OpId op, uint32_t i, Tensor *t) {
    exec_put(e, e->device, op_result(e->m, op, i), t);
}

Elem exec_elem(const Exec *e, OpId op, uint32_t i);                        // of result i
Tensor *exec_new(Exec *e, Elem elem, uint32_t rank, const int64_t *dims);  // never NULL
Tensor *exec_view(Exec *e, Tensor *t, uint32_t rank, const int64_t *dims); // never NULL; borrows t
Tensor *exec_tuple(Exec *e, uint32_t n, Tensor *const *parts);             // never NULL; borrows the parts
Tensor *exec_token(Exec *e);
// A new tensor for result i, already in the environment.
Tensor *exec_out(Exec *e, OpId op, uint32_t i, uint32_t rank, const int64_t *dims);
// Bytes that live until the op is done; not cleared.
void *exec_scratch(Exec *e, uint64_t bytes);
void *exec_scratch_array(Exec *e, int64_t n, size_t size);
// Charges the step cap for `units` scalar operations beyond one for each element made: a million count as a step.
void exec_work(Exec *e, OpId op, double units);

// ---- Regions -------------------------------------------------------------------------------------------------------
// Executes the ops of a region, without its terminator, on `devices`; its arguments have been put into the environment.
bool exec_region(Exec *e, RegionId r, Devices devices);
// Owned references to what the terminator yields on a device; ends the region there.
void exec_yield(Exec *e, uint32_t device, RegionId r, Tensor **results);
// One call of a region on e->device alone: `args` are borrowed, `results` owned.
bool exec_apply(Exec *e, RegionId r, Tensor *const *args, Tensor **results);
void exec_bind(Exec *e, uint32_t device, RegionId r, uint32_t i, Tensor *t); // takes the reference

// ---- Running -------------------------------------------------------------------------------------------------------
void exec_reset(Exec *e); // after a run that did not end well
void exec_init(Exec *e, Module *m, Arena *a, uint64_t max_memory, uint64_t max_steps, uint32_t replicas,
               uint32_t partitions);

#endif
