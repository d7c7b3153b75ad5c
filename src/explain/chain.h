// Chains: how an axis came to an op, step by step, from the line of the schedule that began it.
//
//     BP (x : 0) -> x -> convert -> dot_general at model.py:41
//
// Every entry of a nest has its cause: the tactic's own action, or the neighbour that it came from.
#ifndef PARTIR_EXPLAIN_CHAIN_H
#define PARTIR_EXPLAIN_CHAIN_H

#include "spmd/summary/attribution.h"
#include "session/partition.h"

typedef struct Chain {
    uint32_t n;
    const NodeId *nodes; // from the one asked about to the one that the tactic itself tiled
    AxisId axis;
    int tactic;             // number
    const TacticLine *line; // of the tactic; NULL if it is not known
} Chain;

// The chain of an axis in the node's nest; n is 0 if the nest does not have it.
Chain chain_find(const Partition *p, NodeId n, AxisId axis, Arena *a);
// "BP (x : 0), 3 steps away: x -> dot_general at model.py:41"; with `full` one line for each step, each indented.
void chain_print(const Partition *p, const Chain *c, bool full, int indent, Buffer *out);

// "params/w", "dot_general at model.py:41", "loc/decoder/up/dot_general at model.py:41".
void explain_node(const Partition *p, NodeId n, Buffer *out);
void explain_op(const Module *m, OpId op, Buffer *out);
// A factor by its letter and size: "k (64)".
void explain_factor(const Rule *r, uint8_t factor, Buffer *out);
void explain_tactic(const Partition *p, int tactic, Buffer *out);

#endif
