// Callbacks with effects in the program for XLA: they run once, on the first device, in program order.
#ifndef PARTIR_SPMD_EXPORT_CALLBACKS_H
#define PARTIR_SPMD_EXPORT_CALLBACKS_H

#include "ir/module.h"

// `m` is device-local StableHLO on so many devices, whose collectives have channel handles up to `handle`.
void order_callbacks(Module *m, int64_t n_devices, int64_t handle);

#endif
