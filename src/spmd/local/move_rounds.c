// Rounds: the search for a free round starts behind those in which sender and receiver are known to be busy.
#include "spmd/local/move_rounds.h"

MoveRounds move_rounds_new(int64_t chunks, Arena *a) {
    MoveRounds rounds = {.a = a, .chunks = chunks};
    idmap_init(&rounds.by_value, a);
    return rounds;
}

SentValue *move_rounds_of(const MoveRounds *rounds, ValueId v) {
    uint32_t hash = hash_u32(0, v);
    for (uint32_t p = hash, id; (id = idmap_probe(&rounds->by_value, hash, &p)) != IDMAP_END;)
        if (rounds->values.at[id].v == v) return &rounds->values.at[id];
    return NULL;
}

static SentValue *add_sent_value(MoveRounds *rounds, ValueId v) {
    SentValue fresh = {.v = v, .whole = NO_ID};
    fresh.next_to = arena_zalloc(rounds->a, (size_t)rounds->chunks * sizeof *fresh.next_to);
    fresh.next_from = arena_zalloc(rounds->a, (size_t)rounds->chunks * sizeof *fresh.next_from);
    idmap_add(&rounds->by_value, hash_u32(0, v), rounds->values.n);
    vec_push(rounds->a, &rounds->values, fresh);
    return &rounds->values.at[rounds->values.n - 1];
}

static uint32_t add_round(MoveRounds *rounds, ValueId v) {
    size_t n = (size_t)rounds->chunks, size = n * sizeof(int64_t);
    MoveRound fresh = {.v = v, .from = arena_alloc(rounds->a, size), .sends = arena_zalloc(rounds->a, n)};
    fresh.offset = arena_zalloc(rounds->a, size);
    fresh.lo = arena_zalloc(rounds->a, size);
    fresh.hi = arena_zalloc(rounds->a, size);
    for (size_t c = 0; c < n; c++) fresh.from[c] = -1;
    vec_push(rounds->a, &rounds->list, fresh);
    return rounds->list.n - 1;
}

static bool is_busy(const MoveRounds *rounds, uint32_t round, const MoveTransfer *t) {
    const MoveRound *r = &rounds->list.at[round];
    return r->from[t->to] >= 0 || r->sends[t->from];
}

void move_rounds_add(MoveRounds *rounds, ValueId v, int64_t most_sent, MoveTransfer t) {
    SentValue *s = move_rounds_of(rounds, v);
    if (!s) s = add_sent_value(rounds, v);
    if (s->gathered) return;
    uint32_t *to = &s->next_to[t.to], *from = &s->next_from[t.from], i = *to > *from ? *to : *from;
    while (i < s->rounds.n && is_busy(rounds, s->rounds.at[i], &t)) i++;
    if (i == s->rounds.n) vec_push(rounds->a, &s->rounds, add_round(rounds, v));
    if (i == *to) ++*to;
    if (i == *from) ++*from;
    MoveRound *r = &rounds->list.at[s->rounds.at[i]];
    r->from[t.to] = t.from;
    r->offset[t.to] = t.offset;
    r->lo[t.to] = t.lo;
    r->hi[t.to] = t.hi;
    r->sends[t.from] = true;
    if (t.hi - t.lo <= r->longest) return;
    s->sent += t.hi - t.lo - r->longest;
    r->longest = t.hi - t.lo;
    s->gathered = s->sent > most_sent;
}
