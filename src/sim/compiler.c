// Compilers: XLA's backends.
#include "sim/compiler.h"

static const Compiler cpu = {.reductions_apart = true,
                             .breadth_first = true,
                             .dots_in_order = true,
                             .gathers_fused = true,
                             .windows_indexed = true,
                             .sums_together = true,
                             .copies_donated = true,
                             .loops_hoisted = true};
static const Compiler tpu = {
    .dots_fused = true, .costly_again = true, .loops_hoisted = true, .dots_read_bf16 = true, .sums_in_place = true};
static const Compiler gpu = {.loops_hoisted = true};

// Reductions apart are a mark of CPUs, and a torus is one of TPUs.
const Compiler *device_compiler(const Device *d) {
    if (d->reductions_apart) return &cpu;
    return d->links[0].torus ? &tpu : &gpu;
}
