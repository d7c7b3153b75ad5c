// Cost of a kernel: general devices, and the TPU as its compiler estimates it.
#include "sim/cost/cost.h"
#include <math.h>

static double slower_of(double a, double b) { return a > b ? a : b; }

// Seen in the compiler's estimates for v5e and v5p (libtpu 0.0.42): kernels stream 0.70 to 0.81 of the bandwidth of the memory, the
// least where two cores share it, and arithmetic has the same rate for tensors in VMEM; a reduction takes as long as two passes over
// what it reads; moving elements to other places of their tiles (a transpose, a slice or a pad along rows or lanes) half as long again.
#define TPU_STREAM(cores) ((cores) > 1 ? 0.70 : 0.75)
#define TPU_REDUCE 2.0
#define TPU_MOVE   1.5
// Blocks of a matrix come in short runs: seen at 0.51 to 0.57 of the bandwidth on v5e, 0.45 on v5p.
#define TPU_BLOCKS 0.7 // of what whole tensors stream at
// The matrix and the vector unit work at the same time (one instruction word has slots for both), and so does memory.
static double tpu_seconds(const Device *d, const KernelWork *w, bool *bound_by_memory) {
    double rate = TPU_STREAM(d->cores) * d->bandwidth, memory;
    if (w->matrix_seconds > 0) {
        memory = (w->read_far + w->read_blocks / TPU_BLOCKS + w->written) / rate;
    } else {
        double read = (w->read_far + w->read_near) * (w->reduces ? TPU_REDUCE : 1);
        memory = (read + w->written) / rate * (w->moves ? TPU_MOVE : 1);
    }
    double units = slower_of(w->matrix_seconds, w->vector / d->vector);
    *bound_by_memory = (w->read_far + w->read_near + w->read_blocks + w->written) / d->bandwidth > units;
    return slower_of(memory, units) + w->drain;
}

void add_kernel_work(KernelWork *to, const KernelWork *more) {
    to->matrix_seconds += more->matrix_seconds, to->drain += more->drain;
    to->vector += more->vector, to->strided += more->strided, to->flops += more->flops;
    to->read_far += more->read_far, to->read_near += more->read_near, to->read_blocks += more->read_blocks;
    to->written += more->written;
    to->reduces |= more->reduces, to->moves |= more->moves;
}

double kernel_seconds(const Device *d, const KernelWork *w, bool *bound_by_memory) {
    if (d->backend == BACKEND_TPU) return tpu_seconds(d, w, bound_by_memory);
    double compute = w->matrix_seconds + w->vector / d->vector;
    double memory = (w->read_far + w->written) / d->bandwidth;
    if (d->cache) memory += w->read_near / d->cache_bandwidth;
    *bound_by_memory = memory > compute;
    return slower_of(memory, compute) + (d->strided > 0 ? w->strided / d->strided : 0);
}

// A kernel has a part of VMEM for itself: for the sum of a square block of the result in f32, and twice, as one is in use while the other is
// on its way, for what becomes of that, for a square of each operand, all in bf16, and for what is read with the result; or for an
// operand that takes half of it, and stays there while the other one streams past.
static double block_side(double own, const Cost *c, double with_result) {
    double elements = c->matrix / (2 * c->k);
    return sqrt(own / (4 + 2 * 2 + 2 * 2 * 2 + 2 * with_result / elements));
}

// Else each block of the result reads rows and columns of its own, in steps of half a block's depth; and for each block the units fill and
// drain, which takes as long as a step.
void read_product(const Device *d, const Cost *c, double lhs, double rhs, KernelWork *work) {
    double own = device_backend(d)->vmem_reserved, block = INFINITY;
    if (d->backend == BACKEND_TPU && c->k > 0 && lhs > own / 2 && rhs > own / 2) block = block_side(own, c, work->read_far);
    if (c->m <= block && c->n <= block) {
        work->read_far += lhs + rhs;
        return;
    }
    work->read_blocks += lhs * slower_of(1, c->n / block) + rhs * slower_of(1, c->m / block);
    if (c->k > 2 * block) work->drain += work->matrix_seconds * (block / 2) / c->k;
}

bool runs_on_vector_unit(const Device *d, const Cost *product) {
    return d->backend == BACKEND_TPU && product->k > 0 && (product->m <= 1 || product->n <= 1);
}
