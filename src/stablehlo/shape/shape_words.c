// What the shape rules say and count: texts for messages, attributes as numbers, and lists of dimensions.
//
//     m.mlir:3:10: error: stablehlo.transpose: permutation [0, 0] names dimension 0 twice
#include "stablehlo/shape/shape.h"

void *check_scratch(Check *c, size_t n, size_t elem) {
    size_t bytes = n * elem;
    if (n > sizeof c->small || bytes > sizeof c->small - c->used) return arena_array(c->arena, n, elem);
    void *at = c->small + c->used;
    c->used += (uint32_t)(bytes + 15) & ~15u;
    if (c->used > sizeof c->small) c->used = sizeof c->small;
    return at;
}

// ---- Texts ---------------------------------------------------------------------------------------------------------

// stablehlo.all_gather(operands...) {all_gather_dim, replica_groups, channel_handle?, use_global_device_ids?}
static const char *signature(Check *c) {
    const OpInfo *info = &op_info[c->kind];
    Buffer b;
    buf_init(&b, c->arena);
    buf_format(&b, "the op is %s(%s)", info->name, info->operand_names);
    for (uint32_t i = 0; i < info->n_attrs; i++) {
        Span name = name_get(c->m, info->attrs[i].name);
        buf_format(&b, "%s%.*s%s", i ? ", " : " {", (int)name.n, name.at, info->attrs[i].required ? "" : "?");
    }
    if (info->n_attrs) buf_char(&b, '}');
    return buf_cstr(&b);
}

bool check_fail(Check *c, const char *hint, const char *fmt, ...) {
    if (!hint) hint = signature(c);
    va_list args;
    va_start(args, fmt);
    const char *text = text_vformat(c->arena, fmt, args);
    va_end(args);
    c->n_errors++;
    return diag_error(c->m->ctx, &c->m->source, c->source, hint, "%s: %s", op_info[c->kind].name, text);
}

const char *check_format(Check *c, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const char *text = text_vformat(c->arena, fmt, args);
    va_end(args);
    return text;
}

enum { LONGEST_SHOWN = 160 }; // beyond this a type or list is cut short in a message

static void put_dims(Buffer *b, const int64_t *v, uint32_t n, const char *between) {
    for (uint32_t i = 0; i < n; i++) {
        if (b->n > LONGEST_SHOWN) {
            buf_str(b, "…");
            return;
        }
        if (i) buf_str(b, between);
        if (v[i] == DIM_DYNAMIC)
            buf_char(b, '?');
        else
            buf_int(b, v[i]);
    }
}

static void put_tensor_type(const Module *m, Buffer *b, const Type *t) {
    if (b->n > LONGEST_SHOWN) {
        buf_str(b, "…");
        return;
    }
    Span elem =
        t->elem == EL_QUANT && t->quant < m->quants.n ? m->quants.at[t->quant].text : span_of(elem_text((Elem)t->elem));
    switch ((TypeKind)t->kind) {
    case TYPE_TENSOR:
    case TYPE_UNRANKED:
        buf_str(b, "tensor<");
        if (t->kind == TYPE_UNRANKED)
            buf_str(b, "*x");
        else
            put_dims(b, t->dims, t->rank, "x");
        if (t->kind == TYPE_TENSOR && t->rank) buf_char(b, 'x');
        buf_put(b, elem.at, elem.n < LONGEST_SHOWN ? elem.n : LONGEST_SHOWN);
        if (t->kind == TYPE_TENSOR && t->encoding != NO_ID) {
            uint32_t n;
            const int64_t *bounds = record_ints(m, t->encoding, RF_BOUNDS_bounds, &n);
            buf_str(b, bounds ? ", #stablehlo.bounds<" : ", …");
            put_dims(b, bounds, n, ", ");
            if (bounds) buf_char(b, '>');
        }
        buf_char(b, '>');
        return;
    case TYPE_SCALAR: buf_span(b, elem); return;
    case TYPE_TOKEN: buf_str(b, "!stablehlo.token"); return;
    case TYPE_NONE: buf_str(b, "none"); return;
    case TYPE_OPAQUE: buf_put(b, t->text.at, t->text.n < LONGEST_SHOWN ? t->text.n : LONGEST_SHOWN); return;
    case TYPE_TUPLE:
    case TYPE_FUNCTION: break;
    }
    buf_str(b, t->kind == TYPE_TUPLE ? "tuple<" : "(");
    for (uint32_t i = 0; i < t->rank && b->n <= LONGEST_SHOWN; i++) {
        if (t->kind == TYPE_FUNCTION && i == t->n_inputs)
            buf_str(b, ") -> (");
        else if (i)
            buf_str(b, ", ");
        const Type *part = type_get(m, t->parts[i]);
        if (part->kind == TYPE_TUPLE || part->kind == TYPE_FUNCTION)
            buf_str(b, part->kind == TYPE_TUPLE ? "tuple<…>" : "(…)");
        else
            put_tensor_type(m, b, part);
    }
    buf_str(b, t->kind == TYPE_TUPLE ? ">" : ")");
}

const char *check_tensor_text(Check *c, const Type *t) {
    Buffer b;
    buf_init(&b, c->arena);
    put_tensor_type(c->m, &b, t);
    return buf_cstr(&b);
}

const char *check_type_text(Check *c, TypeId t) {
    return t < c->m->types.n ? check_tensor_text(c, type_get(c->m, t)) : "a type that does not exist";
}

const char *check_ints_text(Check *c, const int64_t *v, uint32_t n) {
    Buffer b;
    buf_init(&b, c->arena);
    buf_char(&b, '[');
    put_dims(&b, v, n, ", ");
    buf_char(&b, ']');
    return buf_cstr(&b);
}

const char *check_dim_text(Check *c, int64_t dim) {
    return dim == DIM_DYNAMIC ? "?" : check_format(c, "%lld", (long long)dim);
}

// The table's names are "lhs, rhs" or "operand, start_indices..."; a name with dots stands for all operands from its
// place on.
const char *check_operand_name(Check *c, uint32_t i) {
    const char *at = op_info[c->kind].operand_names;
    for (uint32_t k = 0; *at; k++) {
        size_t n = strcspn(at, ",");
        bool many = n > 3 && memcmp(at + n - 3, "...", 3) == 0;
        if (many && at[n] == ',') break; // several lists: where one ends is the rule's to know
        if (many) return check_format(c, "%.*s[%u]", (int)(n - 3), at, i - k);
        if (k == i) return check_format(c, "%.*s", (int)n, at);
        at += n + (at[n] ? 2 : 0);
    }
    return check_format(c, "operand %u", i);
}

const char *check_result_name(Check *c, uint32_t i) {
    return c->n_results == 1 ? "the result" : check_format(c, "result %u", i);
}

// ---- Attributes ----------------------------------------------------------------------------------------------------

AttrId check_attr(const Check *c, AttrName name) {
    for (uint32_t i = 0; i < c->n_attrs; i++)
        if (c->attrs[i].name == (NameId)name) return c->attrs[i].value;
    return NO_ID;
}

int64_t check_int(const Check *c, AttrName name, int64_t absent) {
    AttrId a = check_attr(c, name);
    return a == NO_ID ? absent : attr_get(c->m, a)->i;
}

bool check_flag(const Check *c, AttrName name, bool absent) {
    AttrId a = check_attr(c, name);
    return a == NO_ID ? absent : attr_get(c->m, a)->kind == ATTR_UNIT || attr_get(c->m, a)->i != 0;
}

const int64_t *check_ints(const Check *c, AttrName name, uint32_t *n) {
    AttrId a = check_attr(c, name);
    *n = a == NO_ID ? 0 : attr_get(c->m, a)->n;
    return a == NO_ID ? NULL : attr_get(c->m, a)->ints;
}

const int64_t *check_dense(Check *c, AttrName name, const Type **type, uint32_t *n) {
    AttrId a = check_attr(c, name);
    *n = 0;
    if (a == NO_ID || attr_get(c->m, a)->kind != ATTR_DENSE) return NULL;
    const int64_t *v = attr_to_ints(c->m, a, n);
    *type = type_get(c->m, attr_get(c->m, a)->type);
    return v;
}

Span check_text(const Check *c, AttrName name) {
    AttrId a = check_attr(c, name);
    return a == NO_ID ? (Span){"", 0} : attr_get(c->m, a)->text;
}

const int64_t *check_constant_ints(Check *c, uint32_t operand, uint32_t *n) {
    const Value *v = &c->m->values.at[c->operands[operand]];
    const Type *t = type_get(c->m, v->type);
    int64_t elements;
    *n = 0;
    if (v->is_arg || op_kind(c->m, v->owner) != OP_constant || !type_elements(t, &elements) || elements > 4096)
        return NULL;
    AttrId value = op_attr(c->m, v->owner, A_value);
    if (value == NO_ID || attr_get(c->m, value)->kind != ATTR_DENSE) return NULL;
    const int64_t *ints = attr_to_ints(c->m, value, n);
    return *n == (uint64_t)elements ? ints : NULL;
}

// ---- Lists of dimensions -------------------------------------------------------------------------------------------

bool check_length(Check *c, const char *name, uint32_t n, uint32_t want, const char *of) {
    if (n == want) return true;
    return check_fail(c, check_format(c, "give one entry for each %s", of), "%s has %u entr%s, expected %u", name, n,
                      n == 1 ? "y" : "ies", want);
}

bool check_dim(Check *c, const char *name, int64_t v, uint32_t limit, const char *of) {
    if (v >= 0 && v < (int64_t)limit) return true;
    const char *hint =
        limit ? check_format(c, "%s has dimensions 0..%u", of, limit - 1) : check_format(c, "%s is a scalar", of);
    return check_fail(c, hint, "%s %lld is out of range", name, (long long)v);
}

bool check_dims(Check *c, const char *name, const int64_t *v, uint32_t n, uint32_t limit, const char *of) {
    for (uint32_t i = 0; i < n; i++)
        if (v[i] < 0 || v[i] >= (int64_t)limit) {
            const char *hint = limit ? check_format(c, "%s has dimensions 0..%u", of, limit - 1)
                                     : check_format(c, "%s is a scalar", of);
            return check_fail(c, hint, "%s %s has an entry out of range: %lld", name, check_ints_text(c, v, n),
                              (long long)v[i]);
        }
    return true;
}

bool check_sorted(Check *c, const char *name, const int64_t *v, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (v[i - 1] > v[i])
            return check_fail(c, "list the dimensions in order", "%s %s is not sorted", name, check_ints_text(c, v, n));
    return true;
}

uint32_t check_duplicate(Check *c, const int64_t *v, uint32_t n, uint32_t stride) {
    if (n <= 16) {
        for (uint32_t i = 1; i < n; i++)
            for (uint32_t j = 0; j < i; j++)
                if (v[i * stride] == v[j * stride]) return i;
        return n;
    }
    uint32_t size = 64;
    while (size < 2 * (uint64_t)n && size < UINT32_C(1) << 31) size *= 2;
    uint32_t *slots = check_array(c, uint32_t, size); // place + 1
    memset(slots, 0, size * sizeof *slots);
    for (uint32_t i = 0; i < n; i++) {
        int64_t x = v[(size_t)i * stride];
        uint32_t at = hash_u32((uint32_t)x, (uint32_t)((uint64_t)x >> 32)) & (size - 1);
        for (; slots[at]; at = (at + 1) & (size - 1))
            if (v[(size_t)(slots[at] - 1) * stride] == x) return i;
        slots[at] = i + 1;
    }
    return n;
}

bool check_distinct(Check *c, const char *name, const int64_t *v, uint32_t n) {
    uint32_t i = check_duplicate(c, v, n, 1);
    if (i == n) return true;
    return check_fail(c, "name each dimension once", "%s %s names %lld twice", name, check_ints_text(c, v, n),
                      (long long)v[i]);
}

bool check_disjoint(Check *c, const char *name, const int64_t *v, uint32_t n, const char *name2, const int64_t *v2,
                    uint32_t n2) {
    int64_t *both = check_array(c, int64_t, (size_t)n + n2);
    if (n) memcpy(both, v, n * sizeof *v);
    if (n2) memcpy(both + n, v2, n2 * sizeof *v2);
    uint32_t i = check_duplicate(c, both, n + n2, 1);
    if (i == n + n2) return true;
    return check_fail(c, check_format(c, "a dimension may stand once in %s and %s together", name, name2),
                      "%s %s and %s %s name %lld twice", name, check_ints_text(c, v, n), name2,
                      check_ints_text(c, v2, n2), (long long)both[i]);
}
