// Types: element types as a table; tensors, tuples and functions interned, so that comparing types is comparing ids.
#include "ir/module.h"

static const struct {
    const char *text;
    uint8_t bits, bytes, cls;
} elems[EL_COUNT] = {
#define E(id, text, bits, bytes, cls) {text, bits, bytes, CLASS_##cls},
    ELEM_TYPES(E)
#undef E
};

const char *elem_text(Elem e) { return elems[e].text; }
uint32_t elem_bits(Elem e) { return elems[e].bits; }
uint32_t elem_bytes(Elem e) { return elems[e].bytes; }
ElemClass elem_class(Elem e) { return (ElemClass)elems[e].cls; }

Elem elem_from_text(Span s) {
    for (int e = 0; e < EL_COUNT; e++)
        if (e != EL_QUANT && span_is(s, elems[e].text)) return (Elem)e;
    return EL_COUNT;
}

static uint32_t hash_i64s(uint32_t h, const int64_t *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) h = hash_u32(hash_u32(h, (uint32_t)v[i]), (uint32_t)((uint64_t)v[i] >> 32));
    return h;
}

static bool has_dims(const Type *t) { return t->kind == TYPE_TENSOR; }
static bool has_parts(const Type *t) { return t->kind == TYPE_TUPLE || t->kind == TYPE_FUNCTION; }

static uint32_t hash_type(const Type *t) {
    uint32_t h = hash_u32(t->kind, t->elem);
    h = hash_u32(h, t->rank);
    h = hash_u32(h, t->n_inputs);
    h = hash_u32(h, t->encoding);
    h = hash_u32(h, t->quant);
    if (has_dims(t)) h = hash_i64s(h, t->dims, t->rank);
    if (has_parts(t))
        for (uint32_t i = 0; i < t->rank; i++) h = hash_u32(h, t->parts[i]);
    if (t->text.n) h = hash_u32(h, span_hash(t->text));
    return h;
}

static bool equal_types(const Type *a, const Type *b) {
    if (a->kind != b->kind || a->elem != b->elem || a->rank != b->rank || a->n_inputs != b->n_inputs ||
        a->encoding != b->encoding || a->quant != b->quant || !span_eq(a->text, b->text))
        return false;
    if (!a->rank) return true;
    if (has_dims(a)) return memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
    return memcmp(a->parts, b->parts, a->rank * sizeof *a->parts) == 0;
}

// Fields that mean nothing for its kind must not tell two types apart.
static Type normal_form(const Type *given) {
    Type t = {.kind = given->kind, .encoding = NO_ID, .quant = NO_ID};
    switch ((TypeKind)t.kind) {
    case TYPE_TENSOR:
        t.rank = given->rank;
        t.dims = given->dims;
        t.encoding = given->encoding;
        t.elem = given->elem;
        break;
    case TYPE_UNRANKED:
    case TYPE_SCALAR: t.elem = given->elem; break;
    case TYPE_FUNCTION: t.n_inputs = given->n_inputs; // fall through
    case TYPE_TUPLE:
        t.rank = given->rank;
        t.parts = given->parts;
        break;
    case TYPE_OPAQUE: t.text = given->text; break;
    case TYPE_TOKEN:
    case TYPE_NONE: break;
    }
    if (t.elem == EL_QUANT) t.quant = given->quant;
    return t;
}

TypeId type_intern(Module *m, const Type *given) {
    Type t = normal_form(given);
    uint32_t hash = hash_type(&t);
    for (uint32_t p = hash, id; (id = idmap_probe(&m->type_map, hash, &p)) != IDMAP_END;)
        if (equal_types(&m->types.at[id], &t)) return id;
    static const int64_t no_dims[1] = {0}; // so that a scalar's can be copied as any other's
    t.dims = t.rank && has_dims(&t) ? arena_copy(&m->arena, t.dims, t.rank * sizeof *t.dims) : no_dims;
    t.parts = arena_copy(&m->arena, t.parts, has_parts(&t) ? t.rank * sizeof *t.parts : 0);
    t.text.at = arena_copy(&m->arena, t.text.at, t.text.n);
    int64_t n;
    t.elements = type_elements(&t, &n) ? (double)n : 0;
    t.bytes = type_bytes(&t, &n) ? (double)n : 0;
    vec_push(&m->arena, &m->types, t);
    idmap_add(&m->type_map, hash, m->types.n - 1);
    return m->types.n - 1;
}

TypeId type_tensor(Module *m, Elem elem, uint32_t rank, const int64_t *dims) {
    return type_intern(
        m, &(Type){.kind = TYPE_TENSOR, .elem = (uint8_t)elem, .rank = rank, .dims = dims, .encoding = NO_ID});
}

TypeId type_scalar(Module *m, Elem elem) { return type_intern(m, &(Type){.kind = TYPE_SCALAR, .elem = (uint8_t)elem}); }

TypeId type_like(Module *m, TypeId like, const int64_t *dims) {
    Type t = *type_get(m, like);
    t.dims = dims;
    t.encoding = NO_ID; // bounds belong to the old dimensions
    return type_intern(m, &t);
}

// Parameters say all; only scales by blocks, which are not read, are known by their text.
static uint32_t hash_quant(const Quant *q) {
    uint32_t h = hash_u32(q->n ? 0 : span_hash(q->text), (uint32_t)q->storage * EL_COUNT + q->expressed);
    return hash_u32(hash_u32(h, (uint32_t)q->axis), q->n);
}

static bool equal_quants(const Quant *a, const Quant *b) {
    return a->storage == b->storage && a->expressed == b->expressed && a->storage_min == b->storage_min &&
           a->storage_max == b->storage_max && a->axis == b->axis && a->n == b->n &&
           (a->n == 0 ? span_eq(a->text, b->text)
                      : (memcmp(a->scales, b->scales, a->n * sizeof *a->scales) == 0 &&
                         memcmp(a->zeros, b->zeros, a->n * sizeof *a->zeros) == 0));
}

uint32_t quant_intern(Module *m, const Quant *given) {
    Quant q = *given;
    uint32_t hash = hash_quant(&q);
    for (uint32_t p = hash, id; (id = idmap_probe(&m->quant_map, hash, &p)) != IDMAP_END;)
        if (equal_quants(&m->quants.at[id], &q)) return id;
    q.scales = arena_copy(&m->arena, q.scales, q.n * sizeof *q.scales);
    q.zeros = arena_copy(&m->arena, q.zeros, q.n * sizeof *q.zeros);
    char *text = arena_zalloc(&m->arena, q.text.n + 1); // ends with NUL, for the public header
    if (q.text.n) memcpy(text, q.text.at, q.text.n);
    q.text.at = text;
    vec_push(&m->arena, &m->quants, q);
    idmap_add(&m->quant_map, hash, m->quants.n - 1);
    return m->quants.n - 1;
}

bool type_is_static(const Type *t) {
    if (t->kind != TYPE_TENSOR) return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] == DIM_DYNAMIC) return false;
    return true;
}

bool type_elements(const Type *t, int64_t *n) {
    if (!type_is_static(t)) return false;
    // A zero anywhere makes the product zero, however large the others are.
    int64_t product = 1;
    bool overflow = false;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t d = t->dims[i];
        if (d == 0) {
            *n = 0;
            return true;
        }
        bool small = ((uint64_t)product | (uint64_t)d) >> 31 == 0; // no division for most
        if (!small && !overflow && product > INT64_MAX / d) overflow = true;
        if (!overflow) product *= d;
    }
    *n = product;
    return !overflow;
}

bool type_bytes(const Type *t, int64_t *n) {
    int64_t count, bits = elem_bits((Elem)t->elem);
    if (!type_elements(t, &count)) return false;
    if (t->elem == EL_I1) bits = 8; // XLA keeps a byte for each predicate
    if (count >> 48 && count > (INT64_MAX - 7) / bits) return false;
    *n = (count * bits + 7) / 8;
    return true;
}
