// Kernel work: what a kernel computes, reads and writes, found by a walk from its last op back through the ops fused into it. Only
// the files of this folder use it.
#ifndef PARTIR_SIM_TIMELINE_KERNEL_WORK_H
#define PARTIR_SIM_TIMELINE_KERNEL_WORK_H

#include "sim/backend/rules.h"
#include "sim/cost/cost.h"
#include "sim/timeline/kernel_cost.h"

typedef struct ValueMoment {
    double touched;  // all bytes that had been moved when it was read or written last
    uint32_t input;  // of the last kernel that read it
    uint32_t group;  // the group of kernels that read or wrote it last; 0 for none
    uint32_t inside; // ops of that group that read it
    uint32_t made;   // how many kernels there were when it was there
} ValueMoment;

// Kernels that one kernel of several results stands for: they go over the same elements, and none waits for a reduction of another.
typedef struct OutputGroup {
    const Type *over;
    uint32_t first_kernel;
    KernelWork work; // of all so far
    double seconds;
} OutputGroup;

// Not read for the product of the kernel but with its result, or for a product inside it, which is computed once: that is read once, however
// often the product reads its own operands.
#define OPERAND_OF_OTHERS 2

typedef struct KernelInput {
    ValueId value;
    uint32_t operand; // of the kernel's product, for which it is read, or OPERAND_OF_OTHERS
    uint32_t uses;    // ops in the kernel that read it
    double bytes;
} KernelInput;

typedef struct FusedOp { // computed on the way
    bool product, reads, reduces, moves;
    double vector, strided;
    double read; // bytes of its first operand
} FusedOp;

typedef struct OpenOp { // computed in the kernel under way, and not looked at yet
    OpId op;
    uint32_t operand;
} OpenOp;

// What is on the chip in the loop under way: the sums that it adds up in place if all of them fit, and what it gathers.
typedef struct LoopVmem {
    bool accumulators;
    double left; // bytes, for what is gathered
} LoopVmem;

typedef struct CostLoop {
    double runs; // of the loop as a whole
    const struct CostLoop *outer;
} CostLoop;

enum { N_PHASES = 8 };
#define IDLE NO_ID // made of nothing but constants, without any work: no kernel needs to look at it

typedef struct Emitted { // a producer that a kernel computes once more
    OpId kernel;
    ValueId value;
    uint32_t index; // which of its elements
} Emitted;

typedef struct CostWalk {
    const Module *program, *m; // as it was given, and as the compiler has it
    const ValueId *was;        // by value: the program's
    const Fusion *f;
    const ExpressionTrees *trees;
    Arena *a;
    OpId *reader; // where there is a cache, by value: the kernel that read it last, so that one kernel reads a buffer once; 0, the function, at first
    IdMap emitted_map; // where there is a cache: duplicated producers by kernel
    VEC(Emitted) emitted;
    const CostLoop *loop; // under way, the innermost; NULL outside of all, and where nothing is computed before them
    LoopVmem vmem;
    Phases phases[N_PHASES]; // of collectives so far, by the lowest bits of their axes
    // Where there is no cache, kernels are found from their last op on (kernel_work.c):
    ValueMoment *moments;  // by value that lies in memory, from when it is given
    ValueId *buffer;       // by value: the one whose memory it has
    FusedOp *fused;        // by op that is computed on the way
    OpId *fused_by;        // by op that is computed on the way: the kernel that computed it last; 0, the function, at first; or IDLE
    OpenOp *open;
    uint32_t n_open;
    VEC(KernelInput) inputs; // of the kernel under way
    VEC(OutputGroup) groups;
    uint32_t n_kernels; // so far
    double moved;       // bytes so far
    double near_bytes;  // of VMEM that holds tensors
    KernelCosts out;
} CostWalk;

// The sums of a loop that stay on the chip: an add reads its sum there, and leaves it there for the next turn.
static inline bool stays_in_vmem(const CostWalk *c, OpId op) {
    return c->vmem.accumulators && c->f->accumulation[op] == ACCUMULATES;
}

static inline bool is_in_vmem(const CostWalk *c, OpId op, ValueId v) {
    if (c->vmem.left <= 0) return false;
    const Value *val = &c->m->values.at[v];
    if (val->is_arg) return stays_in_vmem(c, op);
    return op_kind(c->m, val->owner) == OP_partir_all_gather &&
           op_get(c->m, val->owner)->parent == op_get(c->m, op)->parent && kept_bytes(c->m, c->f, v) <= c->vmem.left;
}

// Values that are given: by an op, after those that it reads, or to a region. An alias has the memory of the operand of the same number.
static inline void begin_values(CostWalk *c, ValueId first, uint32_t n, const ValueId *operands, uint32_t n_operands) {
    for (uint32_t i = 0; i < n; i++) {
        bool alias = i < n_operands && c->f->place[first + i] == PLACE_ALIAS;
        c->buffer[first + i] = alias ? c->buffer[operands[i]] : first + i;
        c->moments[first + i] = (ValueMoment){0};
    }
}

// What is computed on the way, by many kernels perhaps, is looked at once, before all of them.
void look_at_fused_op(CostWalk *c, OpId op);
// The cost of a kernel. Its FLOPs are added to those of the step.
void cost_kernel(CostWalk *c, OpId kernel, double runs, KernelCost *out);
// Its results are there from now on: no kernel that reads them is one with a kernel before it.
void note_made(CostWalk *c, OpId op);

#endif
