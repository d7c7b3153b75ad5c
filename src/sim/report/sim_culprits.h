// Culprits: who fills the memory at the peak, buffers that differ in the numbers of their layers alone as one.
//
//     8.70 GiB  32 × stablehlo.dot_general of loc/layers/*/attn/scores at model.py:41 [{batch}, {}, {}, {}], 4.35 GiB before padding
//     1.00 GiB  stablehlo.convert of params/embed at model.py:12 [{}, {}], hoisted out of its loop
#ifndef PARTIR_SIM_REPORT_SIM_CULPRITS_H
#define PARTIR_SIM_REPORT_SIM_CULPRITS_H

#include "sim/pipeline.h"
#include "session/partition.h"

typedef struct Culprit {
    ValueId value;    // the first of them
    const char *what;  // "argument params/*/w", "stablehlo.dot_general of loc/layers/*/attn"
    const char *place; // " at model.py:41"; empty if they have several
    uint32_t n;
    double bytes, unpadded;
    bool hoisted;
} Culprit;

typedef struct Culprits {
    uint32_t n;
    Culprit *at; // most bytes first
} Culprits;

Culprits find_culprits(const Partition *p, const MemoryUse *use, Arena *a);
// A value in the user's words: "argument params/w", "stablehlo.add at model.py:12".
void resident_print(const Partition *p, ValueId v, Buffer *out);
void could_split_json(const Partition *p, ValueId v, Buffer *out); // a key with a comma before it, if a tactic could
void culprits_table(const Partition *p, const MemoryUse *use, Arena *a, Buffer *out);
void culprits_json(const Partition *p, const MemoryUse *use, Arena *a, Buffer *out);

#endif
