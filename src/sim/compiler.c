// Compilers: XLA's backends.
#include "sim/compiler.h"

static const Compiler cpu = {.reductions_apart = true,
                             .breadth_first = true,
                             .dots_in_order = true,
                             .gathers_fused = true,
                             .windows_indexed = true,
                             .sums_together = true,
                             .copies_donated = true};
static const Compiler accelerator = {0};

const Compiler *device_compiler(const Device *d) { return d->reductions_apart ? &cpu : &accelerator; }
