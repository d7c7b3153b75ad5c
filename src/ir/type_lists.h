// Type lists: things listed by type, so that the first free one of a type is found without a look at all others.
#ifndef PARTIR_IR_TYPE_LISTS_H
#define PARTIR_IR_TYPE_LISTS_H

#include "ir/module.h"

typedef struct TypeLists {
    uint32_t *first; // by type: the first that is left, or NO_ID
    uint32_t *next;  // by thing: the next of its type, or NO_ID
} TypeLists;

// Of `n` things that have these types of the module, in their order.
TypeLists type_lists_build(const Module *m, const TypeId *types, uint32_t n, Arena *a);

// The first of a type, which nobody gets again; NO_ID if none is left.
static inline uint32_t type_lists_take(TypeLists *l, TypeId type) {
    uint32_t first = l->first[type];
    if (first != NO_ID) l->first[type] = l->next[first];
    return first;
}

#endif
