// Why: where a collective, a value or a line of the user's program got its tiling, or its lack of one.
//
//     #3 all_gather on batch of params/up/kernel, 64 B in 1 run, by Z3
//        for loc/decoder/up/dot_general at model.py:41
//        made as    [{model}, {batch}]: batch by Z3 (params/** : first_divisible)
//        needed as  [{model}, {}]: it has batch on factor i (8) by BP (x : 0), 3 steps from x
#ifndef PARTIR_EXPLAIN_WHY_H
#define PARTIR_EXPLAIN_WHY_H

#include "explain/chain.h"

// At most one of the three; none: the list of all collectives with their numbers.
typedef struct WhyQuery {
    uint32_t collective; // its number in program order; NO_ID: not asked for
    const char *value;   // an argument, a result, a tag or a loc/… path; may be a pattern
    const char *line;    // FILE:LINE, or the end of it
    bool full;           // each step of each chain
} WhyQuery;

// False with a diagnostic if there is no such thing.
bool why_print(Partition *p, const WhyQuery *query, Buffer *out);
// "#3 all_gather on batch of params/up/kernel, 64 B in 1 run, by Z3", and the end of the line.
void why_head(const Partition *p, const Attributed *c, uint32_t number, Buffer *out);
// The user wrote the op at this place, FILE:LINE or the end of it.
bool why_is_at(Partition *p, OpId op, const char *line);
// One collective, as `why_print` has it.
void why_collective(Partition *p, const Attributed *c, uint32_t number, bool full, Buffer *out);

#endif
