// Colours: sets of dimensions that propagation tiles together. Two dimensions have the same colour if an op gives both
// the same factor and this factor can be tiled: propagation carries a tile of one to the other.
//
//     y = dot(x, w): ([i, k], [k, j])->([i, j])      x.0 and y.0 one colour, x.1 and w.0 another, w.1 and y.1 a third
#ifndef PARTIR_AUTO_COLOUR_H
#define PARTIR_AUTO_COLOUR_H

#include "core/propagation/graph.h"

typedef struct Colours {
    uint32_t *first; // by value of the graph: where its dimension 0 stands in `of`
    uint32_t *of;    // by dimension of a value: the colour, a number below n
    uint32_t n;
} Colours;

Colours colours_find(const Graph *g, Arena *a);
static inline uint32_t colour_of(const Colours *c, ValueId v, uint32_t dim) { return c->of[c->first[v] + dim]; }

#endif
