// Local ops that move: slice, pad, reverse and concatenate of a dimension that is tiled. A chunk of the result is made of
// what the device has and of what crosses the borders of chunks, which collective_permutes bring:
//
//     slice [2:10] of 12 elements on 2 devices         device 0 has 0..5 and wants 2..5, device 1 has 6..11 and wants 6..9
//     pad by 1 before and cut 1 behind, on 2 devices   device 1 gets the last element of device 0, and no more
//
// Each op comes down to pieces that lie in the result at some offset, with a fill elsewhere: a slice at a negative offset, a
// pad at its padding, the operands of a concatenate one behind the other. Strides and interior padding are local: a
// strided slice is taken from the region that it steps through, interior padding is added to each chunk first. Where the
// exchange would send more than gathering the operand, that is gathered.
#include "spmd/local.h"

bool moves(const Lowering *l, NodeId n) {
    if (!l->g->nodes[n].rule->moves) return false;
    uint32_t len;
    const NestEntry *nest = state_nest(l->s, n, &len);
    for (uint32_t k = 0; k < len; k++)
        if (l->g->nodes[n].rule->factors[nest[k].factor].kind == FACTOR_MOVE && l->mesh->axes[nest[k].axis].size > 1)
            return true;
    return false;
}

// One dimension under way: how it is tiled, on how many chunks.
typedef struct Move {
    Lowering *l;
    uint32_t dim;
    AxisId axes[MESH_MAX_AXES];
    uint32_t n_axes;
    int64_t chunks;
    ValueId chunk; // this device's
    int64_t size;  // of a chunk of the result
    ValueId fill;  // a scalar
} Move;

// Source index i of a piece is result index i + at; the piece is there from `from` up to `to`.
typedef struct Piece {
    ValueId v;
    int64_t size; // of the whole dimension
    int64_t at, from, to;
    bool whole; // on each device
} Piece;

// What comes from one buffer, by chunk: result index t of the chunk, from lo up to hi, is buffer[t + start].
typedef struct MovePart {
    ValueId buffer;
    int64_t *start, *lo, *hi;
} MovePart;

typedef VEC(MovePart) MoveParts;

// ---- Single ops along the dimension ---------------------------------------------------------------------------------

static int64_t size_along(const Move *m, ValueId v) { return type_get(m->l->out, lowered_type(m->l, v))->dims[m->dim]; }

static TypeId resized(const Move *m, ValueId v, int64_t size) {
    const Type *t = type_get(m->l->out, lowered_type(m->l, v));
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[m->dim] = size;
    return type_like(m->l->out, lowered_type(m->l, v), dims);
}

static ValueId take_slice(const Move *m, ValueId v, int64_t start, int64_t limit, int64_t stride) {
    const Type *t = type_get(m->l->out, lowered_type(m->l, v));
    uint32_t rank = t->rank;
    int64_t starts[MAX_RANK] = {0}, limits[MAX_RANK], strides[MAX_RANK];
    for (uint32_t d = 0; d < rank; d++) limits[d] = t->dims[d], strides[d] = 1;
    if (start == 0 && limit == limits[m->dim] && stride == 1) return v;
    starts[m->dim] = start;
    limits[m->dim] = limit;
    strides[m->dim] = stride;
    Module *out = m->l->out;
    NamedAttr attrs[] = {{A_start_indices, attr_ints(out, starts, rank)},
                         {A_limit_indices, attr_ints(out, limits, rank)},
                         {A_strides, attr_ints(out, strides, rank)}};
    TypeId type = resized(m, v, (limit - start + stride - 1) / stride);
    return emit(m->l, OP_slice, &v, 1, type, attrs, 3, NULL);
}

static ValueId pad_along(const Move *m, ValueId v, int64_t low, int64_t high, int64_t inner, ValueId fill) {
    uint32_t rank = type_get(m->l->out, lowered_type(m->l, v))->rank;
    int64_t lows[MAX_RANK] = {0}, highs[MAX_RANK] = {0}, inners[MAX_RANK] = {0}, n = size_along(m, v);
    lows[m->dim] = low;
    highs[m->dim] = high;
    inners[m->dim] = inner;
    Module *out = m->l->out;
    NamedAttr attrs[] = {{A_edge_padding_low, attr_ints(out, lows, rank)},
                         {A_edge_padding_high, attr_ints(out, highs, rank)},
                         {A_interior_padding, attr_ints(out, inners, rank)}};
    ValueId operands[] = {v, fill};
    return emit(m->l, OP_pad, operands, 2, resized(m, v, low + n + (n - 1) * inner + high), attrs, 3, NULL);
}

// `size` elements from a start that only the device knows.
static ValueId take_at(const Move *m, ValueId v, ValueId start, int64_t size) {
    Lowering *l = m->l;
    uint32_t rank = type_get(l->out, lowered_type(l, v))->rank;
    ValueId operands[MAX_RANK + 1] = {v}, zero = emit_splat(l, lowered_type(l, start), 0);
    for (uint32_t d = 0; d < rank; d++) operands[d + 1] = d == m->dim ? start : zero;
    TypeId type = resized(m, v, size);
    NamedAttr attr = {A_slice_sizes, attr_ints(l->out, type_get(l->out, type)->dims, rank)};
    return emit(l, OP_dynamic_slice, operands, rank + 1, type, &attr, 1, NULL);
}

static bool is_constant_table(const int64_t *table, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (table[i] != table[0]) return false;
    return true;
}

// The entry of this device's chunk, as a scalar.
static ValueId table_entry(Move *m, const int64_t *table) {
    Lowering *l = m->l;
    TypeId scalar = type_tensor(l->out, EL_I64, 0, NULL);
    if (is_constant_table(table, m->chunks)) return emit_splat(l, scalar, table[0]);
    int64_t one = 1, *bytes = arena_new(&l->out->arena, int64_t, m->chunks);
    memcpy(bytes, table, (size_t)m->chunks * sizeof *bytes);
    TypeId type = type_tensor(l->out, EL_I64, 1, &m->chunks);
    NamedAttr value = {A_value, attr_dense_bytes(l->out, type, bytes, (size_t)m->chunks * sizeof *bytes)};
    if (m->chunk == NO_ID) m->chunk = emit_chunk_index(l, m->axes, m->n_axes);
    ValueId operands[] = {emit(l, OP_constant, NULL, 0, type, &value, 1, NULL), m->chunk};
    NamedAttr sizes = {A_slice_sizes, attr_ints(l->out, &one, 1)};
    ValueId entry = emit(l, OP_dynamic_slice, operands, 2, type_tensor(l->out, EL_I64, 1, &one), &sizes, 1, NULL);
    return emit(l, OP_reshape, &entry, 1, scalar, NULL, 0, NULL);
}

static ValueId fill_like(const Move *m, TypeId type) { return emit_broadcast_scalar(m->l, m->fill, type); }

// ---- Which device gets what -----------------------------------------------------------------------------------------

// One collective_permute: what each chunk gets, from which chunk (-1: nothing).
typedef struct Round {
    ValueId v;
    int64_t *from, *offset, *lo, *hi; // by receiving chunk; offset: in the chunk that it is from
    bool *sends;
    int64_t longest;
} Round;

typedef VEC(Round) Rounds;

static int64_t *new_table(const Move *m) { return arena_zalloc(m->l->a, (size_t)m->chunks * sizeof(int64_t)); }

static MovePart new_part(const Move *m, ValueId buffer) {
    return (MovePart){buffer, new_table(m), new_table(m), new_table(m)};
}

// In the first round of the value in which neither of the two is busy.
static void add_transfer(const Move *m, Rounds *rounds, ValueId v, int64_t from, int64_t to, int64_t offset, int64_t lo,
                         int64_t hi) {
    uint32_t r = 0;
    while (r < rounds->n && (rounds->at[r].v != v || rounds->at[r].from[to] >= 0 || rounds->at[r].sends[from])) r++;
    if (r == rounds->n) {
        Round fresh = {v, new_table(m), new_table(m), new_table(m), new_table(m),
                       arena_zalloc(m->l->a, (size_t)m->chunks), 0};
        for (int64_t c = 0; c < m->chunks; c++) fresh.from[c] = -1;
        vec_push(m->l->a, rounds, fresh);
    }
    Round *x = &rounds->at[r];
    x->from[to] = from;
    x->offset[to] = offset;
    x->lo[to] = lo;
    x->hi[to] = hi;
    x->sends[from] = true;
    if (hi - lo > x->longest) x->longest = hi - lo;
}

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// A piece that is tiled as the result is: of each chunk what stays, and what goes elsewhere.
static void place_chunks(const Move *m, const Piece *p, MovePart *stays, Rounds *rounds) {
    int64_t have = p->size / m->chunks;
    for (int64_t c = 0; c < m->chunks; c++) {
        int64_t first = most(p->from, c * m->size), last = least(p->to, (c + 1) * m->size);
        while (first < last) {
            int64_t source = first - p->at, j = source / have, offset = source - j * have;
            int64_t end = least(last, (j + 1) * have + p->at), lo = first - c * m->size, hi = end - c * m->size;
            if (j == c) {
                stays->start[c] = offset - lo;
                stays->lo[c] = lo;
                stays->hi[c] = hi;
            } else {
                add_transfer(m, rounds, p->v, j, c, offset, lo, hi);
            }
            first = end;
        }
    }
}

static MovePart place_whole(const Move *m, const Piece *p, ValueId whole) {
    MovePart part = new_part(m, whole);
    for (int64_t c = 0; c < m->chunks; c++) {
        part.lo[c] = least(most(p->from - c * m->size, 0), m->size);
        part.hi[c] = most(least(p->to - c * m->size, m->size), part.lo[c]);
        part.start[c] = c * m->size - p->at;
    }
    return part;
}

// ---- Sending, and putting together ----------------------------------------------------------------------------------

static MovePart send(Move *m, const Round *r) {
    int64_t have = size_along(m, r->v), *at = new_table(m), *pairs = arena_new(m->l->a, int64_t, 2 * m->chunks);
    uint32_t n = 0;
    MovePart part = new_part(m, NO_ID);
    int64_t usual = -1; // devices that send nothing may cut anything
    for (int64_t c = 0; c < m->chunks; c++) {
        if (r->from[c] < 0) continue;
        int64_t begin = least(r->offset[c], have - r->longest);
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
    ValueId v = is_constant_table(at, m->chunks) ? take_slice(m, r->v, at[0], at[0] + r->longest, 1)
                                                 : take_at(m, r->v, table_entry(m, at), r->longest);
    part.buffer = emit_exchange(m->l, v, m->axes, m->n_axes, pairs, n);
    return part;
}

// Chunks that have something of a part have it alike.
static bool is_uniform(const Move *m, const MovePart *p, int64_t *any) {
    *any = -1;
    for (int64_t c = 0; c < m->chunks; c++) {
        if (p->lo[c] == p->hi[c]) continue;
        if (*any < 0) *any = c;
        if (p->lo[c] != p->lo[*any] || p->hi[c] != p->hi[*any] || p->start[c] != p->start[*any]) return false;
    }
    return true;
}

// On all devices the same places: a concatenation, with the fill where a device gets nothing. NO_ID if it is not so.
static ValueId glue(Move *m, const MoveParts *parts) {
    Lowering *l = m->l;
    int64_t any, at = 0;
    uint32_t *order = arena_new(l->a, uint32_t, parts->n + 1), n = 0;
    for (uint32_t i = 0; i < parts->n; i++) {
        if (!is_uniform(m, &parts->at[i], &any)) return NO_ID;
        if (any < 0) continue;
        uint32_t j = n++;
        for (; j > 0; j--) {
            int64_t other;
            is_uniform(m, &parts->at[order[j - 1]], &other);
            if (parts->at[order[j - 1]].lo[other] <= parts->at[i].lo[any]) break;
            order[j] = order[j - 1];
        }
        order[j] = i;
    }
    if (n == 0) return NO_ID;
    for (uint32_t i = 0; i < n; i++) {
        const MovePart *p = &parts->at[order[i]];
        is_uniform(m, p, &any);
        if (p->lo[any] < at) return NO_ID;
        at = p->hi[any];
    }
    ValueId *values = arena_new(l->a, ValueId, 2 * n + 1);
    uint32_t count = 0;
    at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const MovePart *p = &parts->at[order[i]];
        is_uniform(m, p, &any);
        if (p->lo[any] > at) values[count++] = fill_like(m, resized(m, p->buffer, p->lo[any] - at));
        ValueId v = take_slice(m, p->buffer, p->lo[any] + p->start[any], p->hi[any] + p->start[any], 1);
        int64_t *has = new_table(m);
        for (int64_t c = 0; c < m->chunks; c++) has[c] = p->lo[c] != p->hi[c];
        if (!is_constant_table(has, m->chunks)) {
            ValueId one = emit_splat(l, type_tensor(l->out, EL_I64, 0, NULL), 1);
            ValueId fill = fill_like(m, lowered_type(l, v));
            v = emit_select(l, emit_compare(l, "EQ", table_entry(m, has), one), v, fill);
        }
        values[count++] = v;
        at = p->hi[any];
    }
    if (at < m->size) values[count++] = fill_like(m, resized(m, values[0], m->size - at));
    if (count == 1) return values[0];
    NamedAttr attr = {A_dimension, attr_int(l->out, m->dim, EL_I64)};
    return emit(l, OP_concatenate, values, count, resized(m, values[0], m->size), &attr, 1, NULL);
}

// The part over the whole chunk, at its place; outside of [lo, hi) it is anything.
static ValueId spread_part(Move *m, const MovePart *p) {
    int64_t have = size_along(m, p->buffer), *start = new_table(m), usual = 0;
    for (int64_t c = 0; c < m->chunks; c++)
        if (p->lo[c] != p->hi[c]) usual = p->start[c];
    for (int64_t c = 0; c < m->chunks; c++) {
        int64_t at = p->lo[c] != p->hi[c] ? p->start[c] : usual;
        start[c] = least(most(at + m->size, 0), have + m->size);
    }
    ValueId zero = emit_zero(
        m->l, type_tensor(m->l->out, (Elem)type_get(m->l->out, lowered_type(m->l, p->buffer))->elem, 0, NULL));
    ValueId padded = pad_along(m, p->buffer, m->size, m->size, 0, zero);
    return is_constant_table(start, m->chunks) ? take_slice(m, padded, start[0], start[0] + m->size, 1)
                                               : take_at(m, padded, table_entry(m, start), m->size);
}

static ValueId mask(Move *m, const MovePart *p, TypeId like) {
    Lowering *l = m->l;
    const Type *t = type_get(l->out, like);
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    TypeId type = type_tensor(l->out, EL_I64, t->rank, dims);
    NamedAttr attr = {A_iota_dimension, attr_int(l->out, m->dim, EL_I64)};
    ValueId i = emit(l, OP_iota, NULL, 0, type, &attr, 1, NULL);
    ValueId low = emit_compare(l, "GE", i, emit_broadcast_scalar(l, table_entry(m, p->lo), type));
    return emit_binary(l, OP_and, low, emit_compare(l, "LT", i, emit_broadcast_scalar(l, table_entry(m, p->hi), type)));
}

// A part that is all of a chunk, or nothing of it, on each device: pieces that are as long as a chunk. NO_ID if it is not so.
// `has`: where it is; not asked for if NULL.
static ValueId whole_chunk(Move *m, const MovePart *p, ValueId *has) {
    int64_t *start = new_table(m), *present = new_table(m), usual = 0;
    for (int64_t c = 0; c < m->chunks; c++) {
        if (p->lo[c] == p->hi[c]) continue;
        if (p->hi[c] - p->lo[c] != m->size) return NO_ID;
        usual = p->start[c];
        present[c] = 1;
    }
    for (int64_t c = 0; c < m->chunks; c++) start[c] = present[c] ? p->start[c] : usual;
    if (has) {
        ValueId one = emit_splat(m->l, type_tensor(m->l->out, EL_I64, 0, NULL), 1);
        *has = emit_compare(m->l, "EQ", table_entry(m, present), one);
    }
    return is_constant_table(start, m->chunks) ? take_slice(m, p->buffer, start[0], start[0] + m->size, 1)
                                               : take_at(m, p->buffer, table_entry(m, start), m->size);
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
    ValueId result = covers(m, parts) ? NO_ID : fill_like(m, resized(m, like, m->size));
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

// What exchanging the value sends, against what gathering it would.
static bool gathering_sends_less(const Move *m, const Rounds *rounds, ValueId v) {
    int64_t sent = 0;
    for (uint32_t r = 0; r < rounds->n; r++) sent += rounds->at[r].v == v ? rounds->at[r].longest : 0;
    return sent > size_along(m, v) * (m->chunks - 1);
}

static ValueId assemble(Move *m, const Piece *pieces, uint32_t n, int64_t size) {
    Lowering *l = m->l;
    MoveParts parts = {0};
    Rounds rounds = {0};
    m->size = size / m->chunks;
    for (uint32_t i = 0; i < n; i++) {
        MovePart stays = pieces[i].whole ? place_whole(m, &pieces[i], pieces[i].v) : new_part(m, pieces[i].v);
        if (!pieces[i].whole) place_chunks(m, &pieces[i], &stays, &rounds);
        vec_push(l->a, &parts, stays);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (pieces[i].whole || !gathering_sends_less(m, &rounds, pieces[i].v)) continue;
        ValueId whole = emit_gathered(l, pieces[i].v, m->dim, m->axes, m->n_axes);
        parts.at[i] = place_whole(m, &pieces[i], whole);
        for (uint32_t k = i + 1; k < n; k++)
            if (pieces[k].v == pieces[i].v) parts.at[k] = place_whole(m, &pieces[k], whole);
        uint32_t kept = 0;
        for (uint32_t r = 0; r < rounds.n; r++)
            if (rounds.at[r].v != pieces[i].v) rounds.at[kept++] = rounds.at[r];
        rounds.n = kept;
    }
    for (uint32_t r = 0; r < rounds.n; r++) vec_push(l->a, &parts, send(m, &rounds.at[r]));
    ValueId glued = glue(m, &parts);
    return glued != NO_ID ? glued : overlay(m, &parts, pieces[0].v);
}

// ---- The ops --------------------------------------------------------------------------------------------------------

static ValueId zero_like(const LocalOp *o) {
    return emit_zero(o->l, type_tensor(o->l->out, (Elem)type_get(o->l->out, o->types[0])->elem, 0, NULL));
}

static int64_t entry(const LocalOp *o, AttrName name, uint32_t d, int64_t absent) {
    uint32_t n;
    const int64_t *at = op_attr_ints(o->l->src, o->op, name, &n);
    return d < n ? at[d] : absent;
}

// Where in its source an operand begins that is a slice of it; 0 if it is none.
static int64_t sliced_from(const LocalOp *o, uint32_t operand, uint32_t dim) {
    const Module *src = o->l->src;
    ValueId v = op_operand(src, o->op, operand);
    if (rule_operand(src, o->op, operand) == v) return 0;
    uint32_t n;
    return op_attr_ints(src, src->values.at[v].owner, A_start_indices, &n)[dim];
}

static void through_slice(const LocalOp *o, uint32_t operand, uint32_t dim, Piece *p) {
    const Module *src = o->l->src;
    if (rule_operand(src, o->op, operand) == op_operand(src, o->op, operand)) return;
    p->size = value_tensor(src, rule_operand(src, o->op, operand))->dims[dim];
    p->at -= sliced_from(o, operand, dim);
}

void local_slice_operands(LocalOp *o) {
    const Module *src = o->l->src;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = op_operand(src, o->op, i), source = rule_operand(src, o->op, i);
        if (v == source) continue;
        const Type *from = value_tensor(src, source), *to = value_tensor(src, v);
        uint32_t dim = 0;
        while (from->dims[dim] == to->dims[dim]) dim++;
        Move m = {.l = o->l, .dim = dim};
        int64_t start = sliced_from(o, i, dim);
        const Dist *d = o->l->out_dist.at[o->operands[i]];
        o->operands[i] = take_slice(&m, o->operands[i], start, start + to->dims[dim], 1);
        o->l->out_dist.at[o->operands[i]] = d;
    }
}

// What is cut is the region that the slice steps through; a step of it is local.
static ValueId move_slice(LocalOp *o, Move *m, ValueId v) {
    int64_t start = entry(o, A_start_indices, m->dim, 0), stride = entry(o, A_strides, m->dim, 1);
    int64_t whole = operand_type(o->l->src, o->op, 0)->dims[m->dim], size = result_type(o->l->src, o->op, 0)->dims[m->dim];
    Piece p = {v, whole, -start, 0, least(size * stride, whole - start), false};
    m->fill = zero_like(o);
    v = assemble(m, &p, 1, size * stride);
    return stride == 1 ? v : take_slice(m, v, 0, m->size, stride);
}

// Interior padding makes each chunk longer; the last of it belongs to what follows.
static ValueId move_pad(LocalOp *o, Move *m, ValueId v) {
    int64_t low = entry(o, A_edge_padding_low, m->dim, 0), inner = entry(o, A_interior_padding, m->dim, 0);
    int64_t whole = operand_type(o->l->src, o->op, 0)->dims[m->dim], size = result_type(o->l->src, o->op, 0)->dims[m->dim];
    m->fill = o->operands[1];
    if (inner > 0) v = pad_along(m, v, 0, inner, inner, m->fill);
    whole *= inner + 1;
    Piece p = {v, whole, low, most(low, 0), least(low + whole, size), false};
    through_slice(o, 0, m->dim, &p);
    return assemble(m, &p, 1, size);
}

static ValueId move_reverse(LocalOp *o, Move *m, ValueId v) {
    int64_t dim = m->dim, *pairs = arena_new(o->l->a, int64_t, 2 * m->chunks);
    for (int64_t c = 0; c < m->chunks; c++) pairs[2 * c] = m->chunks - 1 - c, pairs[2 * c + 1] = c;
    NamedAttr attr = {A_dimensions, attr_ints(o->l->out, &dim, 1)};
    v = emit(o->l, OP_reverse, &v, 1, lowered_type(o->l, v), &attr, 1, NULL);
    return emit_exchange(o->l, v, m->axes, m->n_axes, pairs, (uint32_t)m->chunks);
}

static ValueId move_concatenate(LocalOp *o, Move *m) {
    Piece *pieces = arena_new(o->l->a, Piece, o->n_operands);
    int64_t at = 0;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        int64_t size = operand_type(o->l->src, o->op, i)->dims[m->dim];
        uint32_t n;
        bool whole = o->rule->factors[rule_dim(o->rule, i, m->dim, &n)[0]].kind != FACTOR_MOVE;
        pieces[i] = (Piece){o->operands[i], size, at, at, at + size, whole};
        through_slice(o, i, m->dim, &pieces[i]);
        at += size;
    }
    m->fill = zero_like(o);
    return assemble(m, pieces, o->n_operands, at);
}

// The op along one dimension of the value as it is now.
static ValueId move_one(LocalOp *o, Move *m, ValueId v) {
    int64_t start, limit, stride, dim = m->dim;
    switch (op_kind(o->l->src, o->op)) {
    case OP_slice:
        if (m->n_axes) return move_slice(o, m, v);
        start = entry(o, A_start_indices, m->dim, 0), stride = entry(o, A_strides, m->dim, 1);
        limit = entry(o, A_limit_indices, m->dim, 0);
        return take_slice(m, v, start, limit, stride);
    case OP_pad:
        if (m->n_axes) return move_pad(o, m, v);
        return pad_along(m, v, entry(o, A_edge_padding_low, m->dim, 0), entry(o, A_edge_padding_high, m->dim, 0),
                         entry(o, A_interior_padding, m->dim, 0), o->operands[1]);
    case OP_reverse: {
        if (m->n_axes) return move_reverse(o, m, v);
        NamedAttr attr = {A_dimensions, attr_ints(o->l->out, &dim, 1)};
        return emit(o->l, OP_reverse, &v, 1, lowered_type(o->l, v), &attr, 1, NULL);
    }
    default: return move_concatenate(o, m);
    }
}

// Dimension by dimension: those that the op leaves as they are have a factor that passes.
ValueId local_move(LocalOp *o) {
    ValueId v = o->operands[0];
    uint32_t rank = rule_rank(o->rule, 0);
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t n;
        uint8_t factor = rule_dim(o->rule, o->rule->n_operands, d, &n)[0];
        if (o->rule->factors[factor].kind == FACTOR_PASS) continue;
        Move m = {.l = o->l, .dim = d, .chunks = 1, .chunk = NO_ID};
        m.n_axes = factor_axes(o->l, o->n, factor, m.axes);
        for (uint32_t i = 0; i < m.n_axes; i++) m.chunks *= o->l->mesh->axes[m.axes[i]].size;
        v = move_one(o, &m, v);
    }
    return v;
}
