// The interpreter: runs a function of a module on one device or on a grid of simulated devices, in lock-step.
//
//     InterpOptions options = {.partitions = 4};
//     Interp *it = interp_new(m, &options);
//     Tensor *x = interp_tensor(it, EL_F32, 2, dims);      …fill x->data…
//     interp_run(it, module_main(m), inputs, outputs);     inputs[device * n_inputs + i], outputs[device * n_results + i]
//     interp_free(it);                                     and with it all its tensors
#ifndef PARTIR_INTERP_INTERP_H
#define PARTIR_INTERP_INTERP_H

#include "interp/tensor/tensor.h"
#include "ir/module.h"

typedef struct Interp Interp;

typedef struct InterpOptions {
    uint64_t max_memory, max_steps; // 0: INTERP_MAX_MEMORY, INTERP_MAX_STEPS
    uint32_t replicas, partitions;  // 0: as the module says (mhlo.num_replicas, mhlo.num_partitions)
} InterpOptions;

#define INTERP_MAX_MEMORY  ((uint64_t)4 << 30)
#define INTERP_MAX_STEPS   ((uint64_t)100 * 1000 * 1000)
#define INTERP_MAX_DEVICES 65536

// How many replicas the module is made for.
uint32_t interp_module_replicas(const Module *m);
// The module must not change while the interpreter lives. NULL after a diagnostic. Memory that ends leaves through the
// guard.
Interp *interp_new(Module *m, const InterpOptions *options);
void interp_free(Interp *it);
uint32_t interp_devices(const Interp *it);

// A tensor of this interpreter, elements not set. NULL after a diagnostic if it would pass the memory cap.
Tensor *interp_tensor(Interp *it, Elem elem, uint32_t rank, const int64_t *dims);
void interp_release(Interp *it, Tensor *t);
Heap *interp_heap(Interp *it); // where its tensors are, and what files bring: the cap is of all

// Inputs stay the caller's; several devices may be given the same tensor. Outputs are new references.
// False after a diagnostic; a run can be followed by another.
bool interp_run(Interp *it, OpId function, Tensor *const *inputs, Tensor **outputs);

#endif
