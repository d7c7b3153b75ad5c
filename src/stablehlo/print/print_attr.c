// Attributes: 1 : i64, "text", [1, 2], {a = @f}, array<i64: 1, 2>, #stablehlo.gather<offset_dims = [1], …>.
#include "ir/float_format.h"
#include "stablehlo/print/print_state.h"
#include <math.h>

// ---- Words ----------------------------------------------------------------------------------------------------------

static bool is_name_start(char c) { return is_letter(c) || c == '_'; }

static bool is_bare(Span s) {
    if (!s.n || !is_name_start(s.at[0])) return false;
    for (size_t i = 1; i < s.n; i++) {
        char c = s.at[i];
        if (!is_name_start(c) && !is_digit(c) && c != '$' && c != '.') return false;
    }
    return true;
}

void print_string(Span s, Buffer *out) {
    buf_char(out, '"');
    size_t plain = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.at[i];
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') continue;
        buf_put(out, s.at + plain, i - plain);
        plain = i + 1;
        char hex[] = {'\\', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
        if (c == '\\')
            buf_str(out, "\\\\");
        else
            buf_put(out, hex, sizeof hex);
    }
    buf_put(out, s.at + plain, s.n - plain);
    buf_char(out, '"');
}

void print_word(Span s, Buffer *out) {
    if (is_bare(s))
        buf_span(out, s);
    else
        print_string(s, out);
}

void print_symbol(Span name, Buffer *out) {
    buf_char(out, '@');
    print_word(name, out);
}

// A nested reference, @root::@leaf, is kept as it was written but for its first @.
static void print_symbol_reference(Span text, Buffer *out) {
    for (size_t i = 0; i + 3 <= text.n; i++)
        if (memcmp(text.at + i, "::@", 3) == 0) {
            buf_char(out, '@');
            buf_span(out, text);
            return;
        }
    print_symbol(text, out);
}

void print_ints(const int64_t *v, uint32_t n, Buffer *out) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) buf_str(out, ", ");
        buf_int(out, v[i]);
    }
}

// Only a NaN and a float of another dialect's type are not known by their value.
static void print_float_value(const Module *m, const Attr *a, Buffer *out) {
    const Type *t = a->type == NO_ID ? NULL : type_get(m, a->type);
    bool known = t && t->kind == TYPE_SCALAR && elem_class((Elem)t->elem) == CLASS_FLOAT && !isnan(a->f);
    if (known || !a->text.n)
        print_float(known ? (Elem)t->elem : EL_F64, float_from_double(known ? (Elem)t->elem : EL_F64, a->f), out);
    else
        buf_span(out, a->text);
}

// ---- Records --------------------------------------------------------------------------------------------------------

static void print_field_value(const Module *m, const FieldValue *f, Buffer *out) {
    switch (field_info[f->field].kind) {
    case FIELD_INTS:
        buf_char(out, '[');
        print_ints(f->ints, f->n, out);
        buf_char(out, ']');
        break;
    case FIELD_INT: buf_int(out, f->i); break;
    case FIELD_BOOL: buf_str(out, f->i ? "true" : "false"); break;
    case FIELD_TYPE: print_type(m, (TypeId)f->i, out); break;
    case FIELD_ATTR: {
        const Attr *a = attr_get(m, (AttrId)f->i);
        if (a->kind == ATTR_FLOAT) // a tolerance, whose type goes without saying
            print_float_value(m, a, out);
        else
            print_attr(m, (AttrId)f->i, out);
        break;
    }
    }
}

// Dimension numbers leave out what is empty or zero, and an accuracy the tolerances that are zero.
static bool is_left_out(const Module *m, RecordKind record, const FieldValue *f) {
    FieldKind kind = field_info[f->field].kind;
    switch (record) {
    case RECORD_DOT:
    case RECORD_GATHER:
    case RECORD_SCATTER:
    case RECORD_RAGGED_DOT: return kind == FIELD_INTS ? f->n == 0 : f->i == 0;
    case RECORD_RESULT_ACCURACY:
        if (kind == FIELD_INT) return f->i == 0;
        return attr_get(m, (AttrId)f->i)->kind == ATTR_FLOAT && attr_get(m, (AttrId)f->i)->f == 0;
    default: return false;
    }
}

// One side of a convolution: each dimension by its role, b or f (i or o for the kernel), or the number of its place
// among the spatial ones.
static void print_conv_side(const Module *m, AttrId id, const RecordField fields[3], const char roles[2], Buffer *out) {
    int64_t first = record_int(m, id, fields[0], -1), second = record_int(m, id, fields[1], -1);
    uint32_t n;
    const int64_t *spatial = record_ints(m, id, fields[2], &n);
    buf_char(out, '[');
    for (uint32_t d = 0; d < n + 2; d++) {
        if (d) buf_str(out, ", ");
        if (d == first || d == second) {
            buf_char(out, roles[d == second]);
            continue;
        }
        for (uint32_t k = 0; k < n; k++)
            if (spatial[k] == d) {
                buf_uint(out, k);
                break;
            }
    }
    buf_char(out, ']');
}

void print_conv(const Module *m, AttrId id, Buffer *out) {
    static const RecordField sides[3][3] = {
        {RF_CONV_input_batch_dimension, RF_CONV_input_feature_dimension, RF_CONV_input_spatial_dimensions},
        {RF_CONV_kernel_input_feature_dimension, RF_CONV_kernel_output_feature_dimension,
         RF_CONV_kernel_spatial_dimensions},
        {RF_CONV_output_batch_dimension, RF_CONV_output_feature_dimension, RF_CONV_output_spatial_dimensions},
    };
    print_conv_side(m, id, sides[0], "bf", out);
    buf_char(out, 'x');
    print_conv_side(m, id, sides[1], "io", out);
    buf_str(out, "->");
    print_conv_side(m, id, sides[2], "bf", out);
}

static void print_bounds(const Attr *a, Buffer *out) {
    for (uint32_t i = 0; a->n && i < a->fields[0].n; i++) {
        if (i) buf_str(out, ", ");
        if (a->fields[0].ints[i] == DIM_DYNAMIC)
            buf_char(out, '?');
        else
            buf_int(out, a->fields[0].ints[i]);
    }
}

void print_record_body(const Module *m, AttrId id, Buffer *out) {
    const Attr *a = attr_get(m, id);
    buf_char(out, '<');
    if (a->sub == RECORD_CONV) {
        print_conv(m, id, out);
    } else if (a->sub == RECORD_BOUNDS) {
        print_bounds(a, out);
    } else {
        const char *separator = "";
        for (uint32_t i = 0; i < a->n; i++) {
            if (is_left_out(m, (RecordKind)a->sub, &a->fields[i])) continue;
            buf_str(out, separator);
            buf_str(out, field_info[a->fields[i].field].name);
            buf_str(out, " = ");
            print_field_value(m, &a->fields[i], out);
            separator = ", ";
        }
    }
    buf_char(out, '>');
}

// ---- Dictionaries ---------------------------------------------------------------------------------------------------

static bool is_sorted(const Module *m, const NamedAttr *e, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (name_compare(m, e[i - 1].name, e[i].name) > 0) return false;
    return true;
}

// Merge sort by name; `spare` has room for n.
static void sort_entries(const Module *m, NamedAttr *e, uint32_t n, NamedAttr *spare) {
    if (n < 2) return;
    uint32_t half = n / 2;
    sort_entries(m, e, half, spare);
    sort_entries(m, e + half, n - half, spare);
    memcpy(spare, e, half * sizeof *e);
    for (uint32_t i = 0, k = half, to = 0; i < half; to++)
        e[to] = k == n || name_compare(m, spare[i].name, e[k].name) <= 0 ? spare[i++] : e[k++];
}

static void print_entries(const Module *m, const NamedAttr *e, uint32_t n, Buffer *out) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) buf_str(out, ", ");
        print_word(name_get(m, e[i].name), out);
        if (attr_get(m, e[i].value)->kind == ATTR_UNIT) continue;
        buf_str(out, " = ");
        print_attr(m, e[i].value, out);
    }
}

static void print_dict(const Module *m, const Attr *a, Buffer *out) {
    buf_char(out, '{');
    if (is_sorted(m, a->entries, a->n)) {
        print_entries(m, a->entries, a->n, out);
    } else {
        Arena scratch;
        arena_init(&scratch, m->ctx);
        NamedAttr *e = arena_new(&scratch, NamedAttr, 2 * (size_t)a->n);
        memcpy(e, a->entries, a->n * sizeof *e);
        sort_entries(m, e, a->n, e + a->n);
        print_entries(m, e, a->n, out);
        arena_free(&scratch);
    }
    buf_char(out, '}');
}

void put_named_attrs(Printer *p, NamedAttr *e, uint32_t n) {
    const Module *m = p->m;
    if (!is_sorted(m, e, n)) sort_entries(m, e, n, arena_new(p->scratch, NamedAttr, n));
    for (uint32_t i = 0; i < n; i++) {
        if (i) PUT(p, ", ");
        print_word(name_get(m, e[i].name), p->out);
        if (attr_get(m, e[i].value)->kind == ATTR_UNIT) continue;
        PUT(p, " = ");
        put_attr(p, e[i].value);
    }
}

// ---- All attributes -------------------------------------------------------------------------------------------------

static bool type_is_elem(const Module *m, TypeId t, Elem e) {
    return t != NO_ID && type_get(m, t)->kind == TYPE_SCALAR && type_get(m, t)->elem == e;
}

static void print_colon_type(const Module *m, TypeId t, Buffer *out) {
    if (t == NO_ID) return;
    buf_str(out, " : ");
    print_type(m, t, out);
}

static void print_int(const Module *m, const Attr *a, Buffer *out) {
    bool is_unsigned = a->type != NO_ID && type_get(m, a->type)->kind == TYPE_SCALAR &&
                       elem_class((Elem)type_get(m, a->type)->elem) == CLASS_UINT;
    if (type_is_elem(m, a->type, EL_I1))
        buf_str(out, a->i ? "true" : "false");
    else if (is_unsigned)
        buf_uint(out, (uint64_t)a->i);
    else
        buf_int(out, a->i);
}

static void print_int_array(const Attr *a, Buffer *out) {
    buf_str(out, "array<");
    buf_str(out, elem_text((Elem)a->sub));
    for (uint32_t i = 0; i < a->n; i++) {
        buf_str(out, i ? ", " : ": ");
        if (a->sub == EL_I1)
            buf_str(out, a->ints[i] ? "true" : "false");
        else
            buf_int(out, a->ints[i]);
    }
    buf_char(out, '>');
}

static void print_enum(const Attr *a, Buffer *out) {
    bool dotted = a->sub == ENUM_RESULT_ACCURACY_MODE;
    buf_char(out, '#');
    buf_str(out, enum_dialects[a->sub]);
    buf_char(out, dotted ? '.' : '<');
    buf_str(out, enum_names[a->sub]);
    buf_char(out, dotted ? '<' : ' ');
    buf_span(out, a->text);
    buf_char(out, '>');
}

static void print_value_of(const Module *m, AttrId id, bool in_array, Buffer *out);

static void print_array(const Module *m, const Attr *a, Buffer *out) {
    buf_char(out, '[');
    for (uint32_t i = 0; i < a->n; i++) {
        if (i) buf_str(out, ", ");
        print_value_of(m, a->items[i], true, out);
    }
    buf_char(out, ']');
}

// In an array the types that a number has by default, i64 and f64, go without saying.
static void print_value_of(const Module *m, AttrId id, bool in_array, Buffer *out) {
    const Attr *a = attr_get(m, id);
    switch ((AttrKind)a->kind) {
    case ATTR_UNIT: buf_str(out, "unit"); break;
    case ATTR_BOOL: buf_str(out, a->i ? "true" : "false"); break;
    case ATTR_INT:
        print_int(m, a, out);
        if (!type_is_elem(m, a->type, EL_I1) && !(in_array && type_is_elem(m, a->type, EL_I64)))
            print_colon_type(m, a->type, out);
        break;
    case ATTR_FLOAT:
        print_float_value(m, a, out);
        if (!(in_array && type_is_elem(m, a->type, EL_F64))) print_colon_type(m, a->type, out);
        break;
    case ATTR_STRING:
        print_string(a->text, out);
        print_colon_type(m, a->type, out);
        break;
    case ATTR_SYMBOL: print_symbol_reference(a->text, out); break;
    case ATTR_TYPE: print_type(m, a->type, out); break;
    case ATTR_ARRAY: print_array(m, a, out); break;
    case ATTR_DICT: print_dict(m, a, out); break;
    case ATTR_INTS: print_int_array(a, out); break;
    case ATTR_DENSE:
        print_dense(m, a, out);
        print_colon_type(m, a->type, out);
        break;
    case ATTR_RESOURCE:
        buf_str(out, "dense_resource<");
        print_word(a->text, out);
        buf_char(out, '>');
        print_colon_type(m, a->type, out);
        break;
    case ATTR_ENUM: print_enum(a, out); break;
    case ATTR_RECORD:
        buf_char(out, '#');
        buf_str(out, record_dialects[a->sub]);
        buf_char(out, '.');
        buf_str(out, record_names[a->sub]);
        print_record_body(m, id, out);
        break;
    case ATTR_FLOATS:
        buf_str(out, "array<");
        buf_str(out, elem_text((Elem)a->sub));
        if (a->text.n) buf_str(out, ": ");
        buf_span(out, a->text);
        buf_char(out, '>');
        break;
    case ATTR_OPAQUE: buf_span(out, a->text); break;
    }
}

void print_attr(const Module *m, AttrId id, Buffer *out) { print_value_of(m, id, false, out); }

void put_attr(Printer *p, AttrId id) {
    if (p->attr_alias && p->attr_alias[id]) {
        PUT(p, "#groups");
        buf_uint(p->out, p->attr_alias[id] - 1);
    } else {
        print_attr(p->m, id, p->out);
    }
}
