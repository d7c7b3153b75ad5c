// IdMap: open addressing with linear probing; at most half full.
#include "support/hash.h"
#include <string.h>

void idmap_init(IdMap *m, Arena *a) { *m = (IdMap){.arena = a}; }

uint32_t idmap_probe(const IdMap *m, uint32_t hash, uint32_t *pos) {
    if (!m->slots) return IDMAP_END;
    for (uint32_t p = *pos;; p++) {
        const struct IdMapSlot *s = &m->slots[p & m->mask];
        if (!s->id_plus_1) return IDMAP_END;
        if (s->hash == hash) {
            *pos = p + 1;
            return s->id_plus_1 - 1;
        }
    }
}

static void place(IdMap *m, struct IdMapSlot slot) {
    uint32_t p = slot.hash & m->mask;
    while (m->slots[p].id_plus_1) p = (p + 1) & m->mask;
    m->slots[p] = slot;
}

static void grow_map(IdMap *m, uint32_t size) {
    struct IdMapSlot *old = m->slots;
    uint32_t old_size = old ? m->mask + 1 : 0;
    m->slots = arena_zalloc(m->arena, (size_t)size * sizeof *old);
    m->mask = size - 1;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i].id_plus_1) place(m, old[i]);
}

void idmap_reserve(IdMap *m, uint32_t n) {
    uint32_t size = 16;
    while (size / 2 < n) size *= 2;
    if (!m->slots || size > m->mask + 1) grow_map(m, size);
}

void idmap_add(IdMap *m, uint32_t hash, uint32_t id) {
    if (!m->slots || m->n > m->mask / 2) grow_map(m, m->slots ? 2 * (m->mask + 1) : 16);
    place(m, (struct IdMapSlot){hash, id + 1});
    m->n++;
}

void idmap_clear(IdMap *m) {
    if (m->slots) memset(m->slots, 0, ((size_t)m->mask + 1) * sizeof *m->slots);
    m->n = 0;
}
