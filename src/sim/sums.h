// Sums that run together: all_reduces over the same axes of which none needs another are one collective.
#ifndef PARTIR_SIM_SUMS_H
#define PARTIR_SIM_SUMS_H

#include "sim/order.h"

// Of each sum in @main that runs together with others, `next` becomes the next of them in a ring. Together they have at
// most `limit` bytes. All of `next` must be NO_ID before.
void find_sums(const Module *m, const Written *written, double limit, OpId *next, Arena *a);

#endif
