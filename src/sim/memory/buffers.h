// Buffers as liveness builds them during its walk over the program.
#ifndef PARTIR_SIM_MEMORY_BUFFERS_H
#define PARTIR_SIM_MEMORY_BUFFERS_H

#include "sim/backend/rules.h"
#include "sim/cost/cost.h"
#include "sim/memory/liveness.h"
#include "sim/packing/heap_packing.h"
#include <math.h>

typedef struct Alive {
    ValueId value;
    double bytes;
    uint32_t start, end;   // half steps
    bool writable;         // not an argument that the caller keeps
    bool summed;           // an all_reduce has written it
    bool rematerializable; // could be recomputed instead of being kept
    bool hoisted;          // computed before the loop that reads it
    bool moved;            // only made for a copy to be made of it
    bool kept;             // in memory that is there all the time: of an argument, or of a result
    uint32_t home;         // the argument's buffer that a kept one is in, or NO_ID
    OpId bent;             // the last kernel that reads other elements of it than it writes at the same time, or NO_ID
} Alive;

typedef struct ValueUse {
    ValueId value;
    uint32_t position;
} ValueUse;

typedef struct ValueLife {   // NO_ID where there is none
    uint32_t last;           // the position of its last use, through fused and aliased values
    uint32_t last_duplicate; // the position of the last kernel that computes it once more
    uint32_t buffer;         // into Liveness.all
    uint32_t home;           // the buffer it is to end up in: a donated argument's, a carried value's
} ValueLife;

struct Liveness {
    const Module *m;
    RegionId body; // of @main
    const OpSchedule *order;
    const Fusion *f;
    Arena *a;
    ValueLife *of;       // by value
    uint32_t *home_free; // by value: the position after which its home may be overwritten
    uint32_t *shared;    // by op: a buffer of which its kernel has the last, elementwise use, or NO_ID
    uint32_t *bf16_copy; // by value: the buffer of the bf16 of it that loops read, or NO_ID; NULL where there are none
    uint32_t *relaid;    // by value: the buffer of the copy of it in another layout, or NO_ID; NULL where there are none
    uint32_t first_collective; // its position, where there are some
    uint32_t *copy;            // by position: the buffer of the copy made there, or NO_ID; NULL if none is made
    ValueUse *uses;            // of values in memory by kernels, as they run; NULL where nobody asks for them
    uint32_t n_uses;
    VEC(Alive) all;
    const Backend *backend;
    double prefetched;               // what is sorted is brought to VMEM if it has at most so many bytes, so that it is not overwritten
    bool shares_iotas;               // among several cores, so that they are in memory
    OpId loop;                       // the loop under way, or NO_ID
    uint32_t converted_before;       // by ops before loops so far
    double results;                  // bytes of those that did not take over the memory of an argument
    bool rematerialized;             // what can be was, if all did not fit
};

#define MAX_OPEN 64 // ops that a kernel computes on the way

uint32_t new_buffer(Liveness *l, ValueId v, uint32_t start, uint32_t end); // gives its place in `all`
static inline void extend_buffer(Liveness *l, uint32_t buffer, uint32_t position) {
    if (l->all.at[buffer].end < 2 * position) l->all.at[buffer].end = 2 * position;
}
// What an op needs beside its operands and results (scratch_buffers.c).
void place_scratch(Liveness *l, OpId op, uint32_t position);

// Of each value, through fused and aliased ones (last_uses.c).
void find_last_uses(Liveness *l);
// A conversion that runs before the loop it stands in.
bool is_converted_before_loop(const Liveness *l, OpId op);
// Carried unchanged by a loop that only reads it as f32, to which it is converted before the loop.
bool is_copied_before_loop(const Liveness *l, OpId loop, uint32_t i);
// Not the op itself, but a copy of an operand for it.
static inline bool is_operand_copy(const OpSchedule *order, uint32_t p) {
    return order->copied && order->position[order->at[p]] != p;
}

// The half step from which on a value is there that is read before all loops (hoisting.c).
uint32_t ready_at(const Liveness *l, ValueId v);
// Results of an op that do not change in loops around it are there before these.
void hoist_results(Liveness *l, OpId op);

// Gives how many of the `n` blocks, all that is alive at some time, are given up so that not more than `limit` bytes are alive, as
// far as that is possible: they come to the front, and end where they are given up. Only the first `n_candidates` can be.
uint32_t choose_rematerialized(HeapBlock *blocks, uint32_t n_candidates, uint32_t n, uint32_t n_half_steps,
                               double limit, Arena *a);

// Results of @main lie as compactly as they can: another layout is copied as soon as the value is there.
static inline double compact_bytes(const Liveness *l, ValueId v) {
    return value_bytes(l->m, v) * (l->f->tiled_layout ? tile_padding(value_tensor(l->m, v)) : 1);
}
static inline bool is_relaid(const Liveness *l, ValueId v) {
    bool padded = l->f->tiled_layout && l->f->tiled_layout[v] > 1;
    return padded && !l->m->values.at[v].is_arg && compact_bytes(l, v) < kept_bytes(l->m, l->f, v);
}

// Bytes of memory in use above which values are rematerialized.
static inline double remat_limit(const Liveness *l, double memory) {
    return l->backend->remat_fill > 0 ? l->backend->remat_fill * memory : (double)INFINITY;
}

#endif
