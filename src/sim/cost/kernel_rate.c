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
// The matrix and the vector unit work at the same time (one instruction word has slots for both), and so does memory.
static double tpu_seconds(const Device *d, const KernelWork *w, bool *bound_by_memory) {
    double rate = TPU_STREAM(d->cores) * d->bandwidth, memory;
    if (w->matrix_seconds > 0) {
        memory = (w->read_far + w->written) / rate;
    } else {
        double read = (w->read_far + w->read_near) * (w->reduces ? TPU_REDUCE : 1);
        memory = (read + w->written) / rate * (w->moves ? TPU_MOVE : 1);
    }
    double units = slower_of(w->matrix_seconds, w->vector / d->vector);
    *bound_by_memory = (w->read_far + w->read_near + w->written) / d->bandwidth > units;
    return slower_of(memory, units);
}

void add_kernel_work(KernelWork *to, const KernelWork *more) {
    to->matrix_seconds += more->matrix_seconds;
    to->vector += more->vector, to->strided += more->strided, to->flops += more->flops;
    to->read_far += more->read_far, to->read_near += more->read_near, to->written += more->written;
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

// A kernel has a part of VMEM for itself: for two square blocks of f32 of each operand and of the result, one in use while the other is on
// its way; or for an operand that takes half of it, and stays there while the other one streams past.
double product_reads(const Device *d, const Cost *c, double lhs, double rhs) {
    double own = device_backend(d)->vmem_reserved, block = sqrt(own / (2 * 3 * sizeof(float)));
    bool once = d->backend != BACKEND_TPU || lhs <= own / 2 || rhs <= own / 2;
    return once ? lhs + rhs : lhs * slower_of(1, c->n / block) + rhs * slower_of(1, c->m / block);
}

bool runs_on_vector_unit(const Device *d, const Cost *product) {
    return d->backend == BACKEND_TPU && product->k > 0 && (product->m <= 1 || product->n <= 1);
}
