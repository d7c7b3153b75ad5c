// Monoids: how partial results are put together when a dimension that an op sums over is tiled.
//
//     stablehlo.reduce(%x init: %z) applies stablehlo.maximum  ->  MONOID_MAX
//
// A region is a monoid only if it is exactly `op(a, b); return` on its two arguments (either way round), or the
// comparator of an argmax or argmin. Anything else may depend on the order or the grouping, and is none.
#ifndef PARTIR_CORE_MONOID_H
#define PARTIR_CORE_MONOID_H

#include "ir/module.h"

typedef enum Monoid {
    MONOID_ADD,
    MONOID_MUL,
    MONOID_MAX,
    MONOID_MIN,
    MONOID_AND,
    MONOID_OR,
    MONOID_XOR,
    MONOID_BODY // only the op's own region says how (argmax pairs): partial results are gathered on a new dimension and
                // reduced locally
} Monoid;

const char *monoid_name(Monoid m); // "sum", "product", "max", …, "body", as in #sum
bool monoid_named(Span name, Monoid *out);
// The op that combines two elements, or'ing and and'ing booleans for sum and product.
OpKind monoid_op(Monoid m, Elem e);

// What StableHLO's add, multiply, maximum and minimum mean on booleans: or, and, or, and. Other monoids and elements
// are themselves.
Monoid monoid_on(Monoid m, Elem elem);

// The monoid of a region with arguments (a0 … an-1, b0 … bn-1) and n results. False if it is none that we know.
// MONOID_BODY regions are idempotent, so that it does no harm to combine an initial value more than once.
bool monoid_of_region(const Module *m, RegionId region, Monoid *out);

#endif
