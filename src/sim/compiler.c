// Compilers: XLA's backends.
#include "sim/compiler.h"

static const Compiler cpu = {.library = true,
                             .bf16_as_f32 = true,
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

const Compiler *device_compiler(const Device *d) {
    static const Compiler *const compilers[] = {[COMPILER_GPU] = &gpu, [COMPILER_CPU] = &cpu, [COMPILER_TPU] = &tpu};
    return compilers[d->compiler];
}
