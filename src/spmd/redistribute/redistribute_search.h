// What the search for the cheapest redistribution (redistribute_search.c) and the problem that it solves
// (redistribute_problem.c) share: axes as units, distributions as layouts of them.
#ifndef PARTIR_SPMD_REDISTRIBUTE_REDISTRIBUTE_SEARCH_H
#define PARTIR_SPMD_REDISTRIBUTE_REDISTRIBUTE_SEARCH_H

#include "spmd/redistribute/redistribute.h"

enum { MAX_UNITS = 12, MAX_DIMS = 15, MANY_LAYOUTS = 2000, MOST_LAYOUTS = 1 << 15 };

typedef struct AxisLayout {
    uint16_t pending; // units whose sum is still to be taken, as bits
    uint8_t n;
    uint8_t at[MAX_UNITS]; // dim << 4 | unit, by dimension, major first
} AxisLayout;

// Sizes are integers: the whole value counts as the square of the number of devices involved, so that every step sends an integer.
typedef struct PlanCost {
    uint64_t bytes, peak;
    uint32_t collectives;
} PlanCost;

typedef struct PlanNode {
    AxisLayout layout;
    PlanCost cost;
    uint32_t parent, heap_at; // NO_ID: done
    uint8_t kind, split_dim, concat_dim;
} PlanNode;

typedef struct PlanSearch {
    Arena *arena;
    uint32_t n_units, n_dims;
    AxisId axis[MAX_UNITS];
    int64_t size[MAX_UNITS];
    uint8_t dim[MAX_DIMS];  // of the tensor
    int64_t room[MAX_DIMS]; // what the axes in common leave of the dimension
    uint64_t whole, devices;
    IdMap map;
    VEC(PlanNode) nodes;
    VEC(uint32_t) heap;
    uint32_t from;  // node being expanded
    uint64_t limit; // a plan that sends as much is of no use
} PlanSearch;

static inline uint32_t unit_of(uint8_t entry) { return entry & 15; }
static inline uint32_t dim_of(uint8_t entry) { return entry >> 4; }

static inline bool same_layout(const AxisLayout *a, const AxisLayout *b) {
    return a->n == b->n && a->pending == b->pending && memcmp(a->at, b->at, a->n) == 0;
}

// The cheapest way from one layout to another, below the limit: the node at its end, from which `parent` leads back to node 0. NO_ID if there is none.
uint32_t search_layouts(PlanSearch *s, const AxisLayout *start, const AxisLayout *end);

#endif
