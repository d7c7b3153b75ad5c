// Assembles a chunk of the result from the elements that stay and from those that rounds of collective_permutes bring. If the
// parts have the same places on all devices, it concatenates them; otherwise a mask selects each part.
#include "spmd/local/move.h"
#include "support/sort.h"

static MovePart send(Move *m, const MoveRound *r) {
    int64_t have = move_size_along(m, r->v), *at = move_table(m), *pairs = arena_new(m->l->a, int64_t, 2 * m->chunks);
    uint32_t n = 0;
    MovePart part = move_new_part(m, NO_ID);
    int64_t usual = -1; // devices that send nothing may cut anything
    for (int64_t c = 0; c < m->chunks; c++) {
        if (r->from[c] < 0) continue;
        int64_t begin = smaller_of(r->offset[c], have - r->longest);
        at[r->from[c]] = begin;
        usual = begin;
        part.lo[c] = r->lo[c];
        part.hi[c] = r->hi[c];
        part.start[c] = r->offset[c] - begin - r->lo[c];
        pairs[2 * n] = r->from[c];
        pairs[2 * n++ + 1] = c;
    }
    for (int64_t c = 0; c < m->chunks; c++)
        if (!r->sends[c]) at[c] = usual;
    ValueId v = move_same_everywhere(at, m->chunks) ? move_take(m, r->v, at[0], at[0] + r->longest, 1)
                                                 : move_take_at(m, r->v, move_table_entry(m, at), r->longest);
    part.buffer = emit_exchange(m->l, v, m->axes, m->n_axes, pairs, n);
    return part;
}

// Whether all chunks that have something of a part have it at the same place.
static bool is_uniform(const Move *m, const MovePart *p, int64_t *any) {
    *any = -1;
    for (int64_t c = 0; c < m->chunks; c++) {
        if (p->lo[c] == p->hi[c]) continue;
        if (*any < 0) *any = c;
        if (p->lo[c] != p->lo[*any] || p->hi[c] != p->hi[*any] || p->start[c] != p->start[*any]) return false;
    }
    return true;
}

// A part that lies at the same place on all devices that have it; `has`: one of them.
typedef struct UniformPart {
    const MovePart *part;
    int64_t has;
} UniformPart;

static bool begins_before(const UniformPart *x, const UniformPart *y) {
    return x->part->lo[x->has] < y->part->lo[y->has];
}

DEFINE_SORT(sort_uniform_parts, UniformPart, begins_before)

// On all devices the same places: a concatenation, with the fill where a device gets nothing. NO_ID if it is not so.
static ValueId glue(Move *m, const MoveParts *parts) {
    Lowering *l = m->l;
    int64_t at = 0;
    UniformPart *uniform = arena_new(l->a, UniformPart, parts->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < parts->n; i++) {
        uniform[n].part = &parts->at[i];
        if (!is_uniform(m, &parts->at[i], &uniform[n].has)) return NO_ID;
        n += uniform[n].has >= 0;
    }
    if (n == 0) return NO_ID;
    sort_uniform_parts(uniform, n, l->a);
    for (uint32_t i = 0; i < n; i++) {
        if (uniform[i].part->lo[uniform[i].has] < at) return NO_ID;
        at = uniform[i].part->hi[uniform[i].has];
    }
    ValueId *values = arena_new(l->a, ValueId, 2 * n + 1);
    uint32_t count = 0;
    at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const MovePart *p = uniform[i].part;
        int64_t any = uniform[i].has;
        if (p->lo[any] > at) values[count++] = move_fill(m, move_resized(m, p->buffer, p->lo[any] - at));
        ValueId v = move_take(m, p->buffer, p->lo[any] + p->start[any], p->hi[any] + p->start[any], 1);
        int64_t *has = move_table(m);
        for (int64_t c = 0; c < m->chunks; c++) has[c] = p->lo[c] != p->hi[c];
        if (!move_same_everywhere(has, m->chunks)) {
            ValueId one = emit_splat(l, type_tensor(l->out, EL_I64, 0, NULL), 1);
            ValueId fill = move_fill(m, lowered_type(l, v));
            v = emit_select(l, emit_compare(l, "EQ", move_table_entry(m, has), one), v, fill);
        }
        values[count++] = v;
        at = p->hi[any];
    }
    if (at < m->size) values[count++] = move_fill(m, move_resized(m, values[0], m->size - at));
    if (count == 1) return values[0];
    NamedAttr attr = {A_dimension, attr_int(l->out, m->dim, EL_I64)};
    return emit(l, OP_concatenate, values, count, move_resized(m, values[0], m->size), &attr, 1, NULL);
}

// The part over the whole chunk, at its place; outside of [lo, hi) it is anything.
static ValueId spread_part(Move *m, const MovePart *p) {
    int64_t have = move_size_along(m, p->buffer), *start = move_table(m), usual = 0;
    for (int64_t c = 0; c < m->chunks; c++)
        if (p->lo[c] != p->hi[c]) usual = p->start[c];
    for (int64_t c = 0; c < m->chunks; c++) {
        int64_t at = p->lo[c] != p->hi[c] ? p->start[c] : usual;
        start[c] = smaller_of(larger_of(at + m->size, 0), have + m->size);
    }
    ValueId zero = emit_zero(
        m->l, type_tensor(m->l->out, (Elem)type_get(m->l->out, lowered_type(m->l, p->buffer))->elem, 0, NULL));
    ValueId padded = move_pad_along(m, p->buffer, m->size, m->size, 0, zero);
    return move_same_everywhere(start, m->chunks) ? move_take(m, padded, start[0], start[0] + m->size, 1)
                                               : move_take_at(m, padded, move_table_entry(m, start), m->size);
}

static ValueId mask(Move *m, const MovePart *p, TypeId like) {
    Lowering *l = m->l;
    const Type *t = type_get(l->out, like);
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    TypeId type = type_tensor(l->out, EL_I64, t->rank, dims);
    NamedAttr attr = {A_iota_dimension, attr_int(l->out, m->dim, EL_I64)};
    ValueId i = emit(l, OP_iota, NULL, 0, type, &attr, 1, NULL);
    ValueId low = emit_compare(l, "GE", i, emit_broadcast_scalar(l, move_table_entry(m, p->lo), type));
    return emit_binary(l, OP_and, low, emit_compare(l, "LT", i, emit_broadcast_scalar(l, move_table_entry(m, p->hi), type)));
}

// A part that is all of a chunk, or nothing of it, on each device: pieces that are as long as a chunk. NO_ID if it is not so.
// `has`: where it is; not asked for if NULL.
static ValueId whole_chunk(Move *m, const MovePart *p, ValueId *has) {
    int64_t *start = move_table(m), *present = move_table(m), usual = 0;
    for (int64_t c = 0; c < m->chunks; c++) {
        if (p->lo[c] == p->hi[c]) continue;
        if (p->hi[c] - p->lo[c] != m->size) return NO_ID;
        usual = p->start[c];
        present[c] = 1;
    }
    for (int64_t c = 0; c < m->chunks; c++) start[c] = present[c] ? p->start[c] : usual;
    if (has) {
        ValueId one = emit_splat(m->l, type_tensor(m->l->out, EL_I64, 0, NULL), 1);
        *has = emit_compare(m->l, "EQ", move_table_entry(m, present), one);
    }
    return move_same_everywhere(start, m->chunks) ? move_take(m, p->buffer, start[0], start[0] + m->size, 1)
                                               : move_take_at(m, p->buffer, move_table_entry(m, start), m->size);
}

static bool has_any(const Move *m, const MovePart *p) {
    for (int64_t c = 0; c < m->chunks; c++)
        if (p->lo[c] != p->hi[c]) return true;
    return false;
}

// Every place of the result comes from some part, on all devices.
static bool covers(const Move *m, const MoveParts *parts) {
    for (int64_t c = 0; c < m->chunks; c++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < parts->n; i++) sum += parts->at[i].hi[c] - parts->at[i].lo[c];
        if (sum != m->size) return false;
    }
    return true;
}

static ValueId overlay(Move *m, const MoveParts *parts, ValueId like) {
    // What the others leave is the first one's.
    ValueId result = covers(m, parts) ? NO_ID : move_fill(m, move_resized(m, like, m->size));
    for (uint32_t i = 0; i < parts->n; i++) {
        const MovePart *p = &parts->at[i];
        if (!has_any(m, p)) continue;
        ValueId where = NO_ID, v = whole_chunk(m, p, result == NO_ID ? NULL : &where);
        if (v == NO_ID) {
            v = spread_part(m, p);
            if (result != NO_ID) where = mask(m, p, lowered_type(m->l, v));
        }
        result = result == NO_ID ? v : emit_select(m->l, where, v, result);
    }
    return result;
}


ValueId move_assemble(Move *m, const MovePiece *pieces, uint32_t n, int64_t size) {
    Lowering *l = m->l;
    MoveParts parts = {0};
    MoveRounds rounds = move_rounds_new(m->chunks, l->a);
    m->size = size / m->chunks;
    for (uint32_t i = 0; i < n; i++) {
        MovePart stays = pieces[i].whole ? move_place_whole(m, &pieces[i], pieces[i].v) : move_new_part(m, pieces[i].v);
        if (!pieces[i].whole) move_place_chunks(m, &pieces[i], &stays, &rounds);
        vec_push(l->a, &parts, stays);
    }
    for (uint32_t i = 0; i < n; i++) {
        SentValue *s = pieces[i].whole ? NULL : move_rounds_of(&rounds, pieces[i].v);
        if (!s || !s->gathered) continue;
        if (s->whole == NO_ID) s->whole = emit_gathered(l, s->v, m->dim, m->axes, m->n_axes);
        parts.at[i] = move_place_whole(m, &pieces[i], s->whole);
    }
    for (uint32_t r = 0; r < rounds.list.n; r++)
        if (!move_rounds_of(&rounds, rounds.list.at[r].v)->gathered) vec_push(l->a, &parts, send(m, &rounds.list.at[r]));
    ValueId glued = glue(m, &parts);
    return glued != NO_ID ? glued : overlay(m, &parts, pieces[0].v);
}
