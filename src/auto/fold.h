// Folding: the same program with fewer of its repeated layers, on which a plan costs less to try.
//
//     embed, layer 0 … layer 31, loss, backward 31 … 0, update 0 … 31     becomes
//     embed, layer 0, layer 1, loss, backward 1, 0, update 0, 1
#ifndef PARTIR_AUTO_FOLD_H
#define PARTIR_AUTO_FOLD_H

#include "auto/choice.h"
#include "auto/layers.h"

typedef struct Folded {
    Module *m;
    Graph graph;
    State state;
    const Site *sites;  // by target of the whole program
    const NodeId *node; // by node of the whole program: this one's, or NO_ID
    uint32_t n_places;
    const uint32_t *place; // by op: 0 in layers; otherwise a number for what stands between the same stretches
} Folded;

// Makes the program without the last `remove` removable layers of each family that has more than `most` of them, with the nests
// of `whole`. It borrows the texts of the source. False if the program cannot be cut in this way; then there is nothing to
// free.
bool fold_program(const Layers *l, const State *whole, const Targets *targets, const UserRule *rules, uint32_t n_rules,
                  uint32_t remove, uint32_t most, Folded *out, Arena *a);
void folded_free(Folded *f);

#endif
