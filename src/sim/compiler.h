// Compilers: what the compiler behind a device does to a program before it runs, as far as memory shows it.
#ifndef PARTIR_SIM_COMPILER_H
#define PARTIR_SIM_COMPILER_H

#include "sim/device.h"

typedef struct Compiler {
    bool reductions_apart; // a reduction is a library's kernel: it reads from memory what it would otherwise compute on the way
    bool breadth_first;    // kernels run in the order in which they become ready, so that several can run side by side; else as written
    bool dots_in_order;    // operands of a dot lie as (batch, rows, depth) and (batch, depth, columns), or are copied so
} Compiler;

const Compiler *device_compiler(const Device *d);

#endif
