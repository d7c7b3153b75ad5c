// Edits: in what a program differs from one that has been looked at, its base, whose ops and values have the same numbers
// in both. What was found in the base holds but for what the edits touch, which each pass finds again:
//
//     base    %0 = dot %x, %w     %1 = tanh %0                        of %1 it was found that …
//     now     %0 = dot %x, %w     %1 = tanh %2     %2 = gather %0     made: %2, reread: %1, read: %0 and %2
#ifndef PARTIR_SIM_INCREMENTAL_DELTA_H
#define PARTIR_SIM_INCREMENTAL_DELTA_H

#include "sim/incremental/undo_log.h"
#include "sim/schedule/schedule.h"

typedef struct Edits {
    const OpId *made;    // ops that are new, or read other numbers of values
    const OpId *reread;  // that read other values, as many as before
    const ValueId *read; // values that other ops read now, or fewer
    uint32_t n_made, n_reread, n_read;
    Journal *journal; // what is written over of the base is kept here
} Edits;

// Arrays by op, value and operand have room for so many.
typedef struct Sizes {
    uint32_t ops, values, operands;
} Sizes;

#endif
