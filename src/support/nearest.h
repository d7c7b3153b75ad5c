// The name that was meant: for "did you mean …".
#ifndef PARTIR_SUPPORT_NEAREST_H
#define PARTIR_SUPPORT_NEAREST_H

#include "support/text.h"

// Steps from one name to another: insertions, deletions and replacements of a byte. limit + 1 for more than `limit`, or if
// one of them is longer than names are.
uint32_t edit_distance(Span a, Span b, uint32_t limit);

// The name most like `wanted`, of equally near ones the first that begins with it; else the first that holds it (tpu_v5e for
// v5e); NULL if none does.
const char *nearest_name(Span wanted, const char *const *names, uint32_t n);

#endif
