// Type lists: one walk from the last thing to the first puts each in front of those of its type.
#include "ir/type_lists.h"

TypeLists type_lists_build(const Module *m, const TypeId *types, uint32_t n, Arena *a) {
    TypeLists l = {.first = arena_new(a, uint32_t, m->types.n), .next = arena_new(a, uint32_t, n)};
    memset(l.first, 0xff, m->types.n * sizeof *l.first);
    for (uint32_t i = n; i-- > 0;) {
        l.next[i] = l.first[types[i]];
        l.first[types[i]] = i;
    }
    return l;
}
