// Names of values and ops for reports: a value is named by the argument, result or tag that it is a form of, an op by the place
// where the user wrote it.
//
//     %w16 = convert %w          params/up/kernel, an argument
//     %dw = dot_general …        out/0/up/kernel, a result: a gradient goes into the next state elementwise
#ifndef PARTIR_CORE_TACTIC_VALUE_NAMES_H
#define PARTIR_CORE_TACTIC_VALUE_NAMES_H

#include "ir/module.h"

typedef enum ValueRole { ROLE_ARGUMENT, ROLE_RESULT, ROLE_TAG, ROLE_ACTIVATION } ValueRole;
extern const char *const role_names[4]; // ORDER ValueRole

typedef struct ValueNames {
    const Module *m;
    Arena *arena;
    const ValueId *root; // what a value is a form of (ir/analysis/roots.h)
    ValueId *tagged;     // by value: the result of the tag that names it, or a form of it; NO_ID
    uint32_t *result;    // by value: the first result that it goes into elementwise; NO_ID
} ValueNames;

// Two walks over the program. All names are in `a`, or the module's.
ValueNames name_values(const Module *m, Arena *a);
// The argument that a value is a form of, else its tag, else the result that it goes into, else the op that computes it:
// its location's path, or "dot_general with params/up/kernel", or "add at model.py:12".
const char *value_name(const ValueNames *names, ValueId v, ValueRole *role);

// The name path of an op's location as JAX writes it, without its wrappers: "jit(step)/jvp(decode)/1/q/mul" is
// loc/decode/1/q/mul, and "jit(step)/transpose(jvp(decode))/1/q/mul" loc/decode/1/q/transpose(mul). NULL without one.
const char *location_path(const Module *m, OpId op, Arena *a);
// The innermost frame of an op's location that is not in a library's folder, else the innermost one, else its place in the
// module's text: model.py:41.
void frame_print(const Module *m, OpId op, Buffer *out);

#endif
