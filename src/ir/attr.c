// Attributes: interned by content. A long constant is not hashed: it gets an id of its own each time.
#include "ir/module.h"

enum { LONG_TEXT = 256 };

static uint32_t hash_i64(uint32_t h, int64_t v) {
    return hash_u32(hash_u32(h, (uint32_t)v), (uint32_t)((uint64_t)v >> 32));
}

static uint32_t hash_ints(uint32_t h, const int64_t *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) h = hash_i64(h, v[i]);
    return h;
}

static uint32_t hash_attr(const Attr *a) {
    uint32_t h = hash_u32((uint32_t)a->kind << 8 | a->sub, a->n);
    h = hash_u32(h, a->type);
    if (a->text.n) h = hash_u32(h, span_hash(a->text));
    switch ((AttrKind)a->kind) {
    case ATTR_BOOL:
    case ATTR_INT:
    case ATTR_FLOAT: return hash_i64(h, a->i); // the bits of f
    case ATTR_INTS: return hash_ints(h, a->ints, a->n);
    case ATTR_ARRAY:
        for (uint32_t i = 0; i < a->n; i++) h = hash_u32(h, a->items[i]);
        return h;
    case ATTR_DICT:
        for (uint32_t i = 0; i < a->n; i++) h = hash_u32(hash_u32(h, a->entries[i].name), a->entries[i].value);
        return h;
    case ATTR_RECORD:
        for (uint32_t i = 0; i < a->n; i++) {
            const FieldValue *f = &a->fields[i];
            h = hash_i64(hash_u32(h, f->field), f->i);
            h = hash_ints(h, f->ints, f->n);
        }
        return h;
    default: return h;
    }
}

static bool equal_ints(const int64_t *a, const int64_t *b, uint32_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool equal_fields(const FieldValue *a, const FieldValue *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (a[i].field != b[i].field || a[i].n != b[i].n || a[i].i != b[i].i ||
            !equal_ints(a[i].ints, b[i].ints, a[i].n))
            return false;
    return true;
}

static bool equal_attrs(const Attr *a, const Attr *b) {
    if (a->kind != b->kind || a->sub != b->sub || a->n != b->n || a->type != b->type || !span_eq(a->text, b->text))
        return false;
    switch ((AttrKind)a->kind) {
    case ATTR_BOOL:
    case ATTR_INT:
    case ATTR_FLOAT: return a->i == b->i;
    case ATTR_INTS: return equal_ints(a->ints, b->ints, a->n);
    case ATTR_ARRAY: return a->n == 0 || memcmp(a->items, b->items, a->n * sizeof *a->items) == 0;
    case ATTR_DICT: return a->n == 0 || memcmp(a->entries, b->entries, a->n * sizeof *a->entries) == 0;
    case ATTR_RECORD: return equal_fields(a->fields, b->fields, a->n);
    default: return true;
    }
}

static void copy_contents(Arena *arena, Attr *a) {
    switch ((AttrKind)a->kind) {
    case ATTR_INTS: a->ints = arena_copy(arena, a->ints, a->n * sizeof *a->ints); break;
    case ATTR_ARRAY: a->items = arena_copy(arena, a->items, a->n * sizeof *a->items); break;
    case ATTR_DICT: a->entries = arena_copy(arena, a->entries, a->n * sizeof *a->entries); break;
    case ATTR_RECORD: {
        FieldValue *fields = arena_copy(arena, a->fields, a->n * sizeof *a->fields);
        for (uint32_t i = 0; i < a->n; i++)
            fields[i].ints = arena_copy(arena, fields[i].ints, fields[i].n * sizeof *fields[i].ints);
        a->fields = fields;
        break;
    }
    default: break;
    }
}

// `own_text`: the text is the caller's and must be copied.
static AttrId intern(Module *m, const Attr *given, bool own_text) {
    Attr a = *given;
    bool is_long = a.text.n > LONG_TEXT;
    uint32_t hash = is_long ? 0 : hash_attr(&a);
    if (!is_long)
        for (uint32_t p = hash, id; (id = idmap_probe(&m->attr_map, hash, &p)) != IDMAP_END;)
            if (equal_attrs(&m->attrs.at[id], &a)) return id;
    copy_contents(&m->arena, &a);
    if (own_text || !a.text.at) a.text.at = arena_copy(&m->arena, a.text.at, a.text.n);
    vec_push(&m->arena, &m->attrs, a);
    if (!is_long) idmap_add(&m->attr_map, hash, m->attrs.n - 1);
    return m->attrs.n - 1;
}

AttrId attr_intern(Module *m, const Attr *a) { return intern(m, a, false); }

AttrId attr_unit(Module *m) { return intern(m, &(Attr){.kind = ATTR_UNIT, .type = NO_ID}, false); }

AttrId attr_bool(Module *m, bool b) { return intern(m, &(Attr){.kind = ATTR_BOOL, .type = NO_ID, .i = b}, false); }

AttrId attr_int(Module *m, int64_t v, Elem elem) {
    return intern(m, &(Attr){.kind = ATTR_INT, .type = type_scalar(m, elem), .i = v}, false);
}

AttrId attr_string(Module *m, Span s) {
    return intern(m, &(Attr){.kind = ATTR_STRING, .type = NO_ID, .text = s}, true);
}

AttrId attr_symbol(Module *m, Span s) {
    return intern(m, &(Attr){.kind = ATTR_SYMBOL, .type = NO_ID, .text = s}, true);
}

AttrId attr_type(Module *m, TypeId t) { return intern(m, &(Attr){.kind = ATTR_TYPE, .type = t}, false); }

AttrId attr_ints(Module *m, const int64_t *v, uint32_t n) {
    return intern(m, &(Attr){.kind = ATTR_INTS, .sub = EL_I64, .type = NO_ID, .n = n, .ints = v}, false);
}

AttrId attr_array(Module *m, const AttrId *items, uint32_t n) {
    return intern(m, &(Attr){.kind = ATTR_ARRAY, .type = NO_ID, .n = n, .items = items}, false);
}

AttrId attr_dict(Module *m, const NamedAttr *entries, uint32_t n) {
    return intern(m, &(Attr){.kind = ATTR_DICT, .type = NO_ID, .n = n, .entries = entries}, false);
}

AttrId attr_enum(Module *m, EnumKind kind, const char *value) {
    return intern(m, &(Attr){.kind = ATTR_ENUM, .sub = (uint8_t)kind, .type = NO_ID, .text = span_of(value)}, true);
}

AttrId attr_record(Module *m, RecordKind kind, const FieldValue *fields, uint32_t n) {
    return intern(m, &(Attr){.kind = ATTR_RECORD, .sub = (uint8_t)kind, .type = NO_ID, .n = n, .fields = fields},
                  false);
}

AttrId attr_dense_bytes(Module *m, TypeId type, const void *bytes, size_t n) {
    Attr a = {.kind = ATTR_DENSE, .sub = DENSE_BYTES, .type = type, .text = {bytes, n}};
    return intern(m, &a, false);
}

AttrId attr_dense_i64(Module *m, uint32_t rank, const int64_t *dims, const int64_t *values) {
    TypeId type = type_tensor(m, EL_I64, rank, dims);
    int64_t count = 0;
    type_elements(type_get(m, type), &count);
    size_t size = (size_t)count * sizeof *values;
    return attr_dense_bytes(m, type, arena_copy(&m->arena, values, size), size);
}

// ---- Attributes of an op --------------------------------------------------------------------------------------------

AttrId op_attr(const Module *m, OpId op, NameId name) {
    const Op *o = op_get(m, op);
    const NamedAttr *at = m->op_attrs.at + o->first_attr;
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (at[i].name == name) return at[i].value;
    return NO_ID;
}

int64_t op_attr_int(const Module *m, OpId op, AttrName name, int64_t absent) {
    AttrId a = op_attr(m, op, name);
    return a == NO_ID ? absent : attr_get(m, a)->i;
}

bool op_attr_bool(const Module *m, OpId op, AttrName name, bool absent) {
    AttrId a = op_attr(m, op, name);
    if (a == NO_ID) return absent;
    const Attr *attr = attr_get(m, a);
    return attr->kind == ATTR_UNIT || attr->i != 0;
}

const int64_t *op_attr_ints(const Module *m, OpId op, AttrName name, uint32_t *n) {
    AttrId a = op_attr(m, op, name);
    *n = 0;
    if (a == NO_ID || attr_get(m, a)->kind != ATTR_INTS) return NULL;
    *n = attr_get(m, a)->n;
    return attr_get(m, a)->ints;
}

Span op_attr_text(const Module *m, OpId op, AttrName name) {
    AttrId a = op_attr(m, op, name);
    return a == NO_ID ? (Span){"", 0} : attr_get(m, a)->text;
}

static const FieldValue *record_value(const Module *m, AttrId record, RecordField f) {
    if (record == NO_ID) return NULL;
    const Attr *a = attr_get(m, record);
    if (a->kind != ATTR_RECORD) return NULL;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->fields[i].field == f) return &a->fields[i];
    return NULL;
}

const int64_t *record_ints(const Module *m, AttrId record, RecordField f, uint32_t *n) {
    const FieldValue *v = record_value(m, record, f);
    *n = v ? v->n : 0;
    return v ? v->ints : NULL;
}

int64_t record_int(const Module *m, AttrId record, RecordField f, int64_t absent) {
    const FieldValue *v = record_value(m, record, f);
    return v ? v->i : absent;
}
