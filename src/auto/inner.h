// Inner values: values on which the search may decide a conflict inside the program. Attention scores have the sequence in two
// dimensions, queries and keys, so propagation of a tile stops there. A tile of the scores themselves chooses one of the two.
//
//     scores [batch, heads, queries, keys]      loc/layers/*/attention/dot_general : 2      context parallelism
//
// A line can only name values that have a name: tags, and values whose name stacks differ.
#ifndef PARTIR_AUTO_INNER_H
#define PARTIR_AUTO_INNER_H

#include "auto/colour.h"
#include "core/tactic/tactic.h"

// Equal values of repeated layers, named by one pattern.
typedef struct Inner {
    uint32_t colour;      // that two of their dimensions have
    int16_t dims[2];
    uint32_t n;
    const uint32_t *targets;
} Inner;
typedef VEC(Inner) Inners;

// `left_alone`: by target. Of equal values that follow from each other, the first.
Inners inners_find(const Graph *g, const Colours *colours, const Targets *targets, const bool *left_alone, Arena *a);
// Which numbers of a path become `*`, a bit for each: layers/3/w1 as it is, layers/*/w1, layers/3/w*, or layers/*/w*.
enum { PATH_AS_IS, PATH_NUMBERS = 0xff };
// The path as a pattern: `*` replaces the chosen numbers, and characters that a pattern cannot hold. The last bit stands for all
// further numbers.
const char *path_pattern(const char *path, uint8_t numbers, Arena *a);

#endif
