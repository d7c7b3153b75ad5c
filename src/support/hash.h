// IdMap: a hash table from 32-bit hashes to 32-bit ids; the caller compares keys. Iteration order is never exposed.
#ifndef PARTIR_SUPPORT_HASH_H
#define PARTIR_SUPPORT_HASH_H

#include "support/arena.h"

typedef struct IdMap {
    Arena *arena;
    struct IdMapSlot {
        uint32_t hash, id_plus_1;
    } * slots;
    uint32_t mask, n;
} IdMap;

void idmap_init(IdMap *m, Arena *a);
void idmap_reserve(IdMap *m, uint32_t n); // room for so many in all
// Walk the candidates of a hash:  for (uint32_t p = hash, id; (id = idmap_probe(m, hash, &p)) != IDMAP_END;) if (equal(id)) …
#define IDMAP_END UINT32_MAX
uint32_t idmap_probe(const IdMap *m, uint32_t hash, uint32_t *pos);
void idmap_add(IdMap *m, uint32_t hash, uint32_t id); // the key must not be present
void idmap_clear(IdMap *m);

static inline uint32_t hash_u32(uint32_t h, uint32_t x) {
    h ^= x + 0x9e3779b9u + (h << 6) + (h >> 2);
    h *= 0x85ebca6bu;
    return h ^ (h >> 13);
}

#endif
