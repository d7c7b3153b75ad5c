// Attributes of the StableHLO and CHLO dialects that have a structure: enumerations and records. Any other #dialect
// attribute is kept as the text it is.
//
//     #stablehlo<comparison_direction EQ>                                               an enumeration: ATTR_ENUM
//     #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>  a record: ATTR_RECORD
//     #sdy.sharding<@mesh, [{"x"}, {}]>                                                 ATTR_OPAQUE
#include "stablehlo/read/read.h"
#include "support/decimal.h"

// enum-value ::= word
AttrId read_enum_value(Reader *r, EnumKind kind) {
    Span word;
    if (!read_word(r, enum_names[kind], &word)) return NO_ID;
    if (!enum_has(kind, word)) {
        Buffer hint;
        buf_init(&hint, &r->scratch);
        buf_format(&hint, "one of: %s", enum_values[kind]);
        read_error(r, word.at, buf_cstr(&hint), "'%.*s' is no %s", (int)word.n, word.at, enum_names[kind]);
        return NO_ID;
    }
    return attr_intern(r->m, &(Attr){.kind = ATTR_ENUM, .sub = (uint8_t)kind, .type = NO_ID, .text = word});
}

// ---- Records -------------------------------------------------------------------------------------------------------

// Records whose empty lists and zeros MLIR does not print: for these, absent and empty are one.
static bool drops_defaults(RecordKind kind) {
    return kind == RECORD_DOT || kind == RECORD_GATHER || kind == RECORD_SCATTER || kind == RECORD_RAGGED_DOT ||
           kind == RECORD_RESULT_ACCURACY;
}

static RecordField find_field(RecordKind kind, Span name) {
    for (uint32_t f = 0; f < RF_COUNT; f++)
        if (field_info[f].record == kind && span_is(name, field_info[f].name)) return (RecordField)f;
    return RF_COUNT;
}

// accuracy ::= number          as a float attribute
static AttrId read_accuracy(Reader *r) {
    bool is_float;
    Attr a = {.kind = ATTR_FLOAT, .type = type_scalar(r->m, EL_F64)};
    a.text = lex_number(&r->lex, &is_float);
    if (!a.text.n || !decimal_to_double(a.text, &a.f)) return read_expected(r, "a number"), NO_ID;
    return attr_intern(r->m, &a);
}

// mode ::= '#stablehlo.result_accuracy_mode<' word '>' | '<' word '>'
static AttrId read_accuracy_mode(Reader *r) {
    if (lex_peek(&r->lex) != '<') return read_attr(r);
    r->lex.at++;
    AttrId a = read_enum_value(r, ENUM_RESULT_ACCURACY_MODE);
    return a != NO_ID && read_token(r, '>') ? a : NO_ID;
}

// field-value ::= int | '[' ints ']' | 'true' | 'false' | type | attr          by the field's kind; lists stay on
// r->ints
static bool read_field_value(Reader *r, FieldValue *v) {
    uint32_t id;
    switch (field_info[v->field].kind) {
    case FIELD_INTS: return read_int_list(r, &v->n);
    case FIELD_INT: return read_int(r, &v->i);
    case FIELD_BOOL: v->i = lex_keyword(&r->lex, "true"); return v->i || read_keyword(r, "false");
    case FIELD_TYPE:
        id = read_type(r);
        v->i = id;
        return id != NO_ID;
    case FIELD_ATTR:
        id = v->field == RF_RESULT_ACCURACY_mode ? read_accuracy_mode(r) : read_accuracy(r);
        v->i = id;
        return id != NO_ID;
    }
    return false;
}

static bool is_default(const Reader *r, const FieldValue *v) {
    switch (field_info[v->field].kind) {
    case FIELD_INTS: return v->n == 0;
    case FIELD_INT: return v->i == 0;
    case FIELD_ATTR: return attr_get(r->m, (AttrId)v->i)->kind == ATTR_FLOAT && !(attr_get(r->m, (AttrId)v->i)->f != 0);
    default: return false;
    }
}

// The fields that are there, in the order of the table.
static AttrId make_record(Reader *r, RecordKind kind, FieldValue *seen, const bool *present, uint32_t first_int) {
    FieldValue fields[RF_COUNT];
    uint32_t n = 0;
    const int64_t *ints = r->ints.at + first_int;
    for (uint32_t f = 0; f < RF_COUNT; f++) {
        if (!present[f]) continue;
        if (field_info[f].kind == FIELD_INTS) {
            seen[f].ints = ints + seen[f].i;
            seen[f].i = 0;
        }
        if (drops_defaults(kind) && is_default(r, &seen[f])) continue;
        fields[n++] = seen[f];
    }
    r->ints.n = first_int;
    return attr_record(r->m, kind, fields, n);
}

// fields ::= (word '=' field-value (',' word '=' field-value)* ','?)? '>'
static AttrId read_fields(Reader *r, RecordKind kind) {
    FieldValue seen[RF_COUNT];
    bool present[RF_COUNT] = {false};
    uint32_t first_int = r->ints.n;
    while (lex_peek(&r->lex) != '>') {
        Span name;
        if (!read_word(r, "the name of a field", &name)) return NO_ID;
        RecordField f = find_field(kind, name);
        if (f == RF_COUNT || present[f])
            return read_error(r, name.at, NULL,
                              f == RF_COUNT ? "#%s.%s has no field '%.*s'" : "#%s.%s: field '%.*s' is given twice",
                              record_dialects[kind], record_names[kind], (int)name.n, name.at),
                   NO_ID;
        seen[f] = (FieldValue){.field = f};
        uint32_t at = r->ints.n;
        if (!read_token(r, '=') || !read_field_value(r, &seen[f])) return NO_ID;
        if (field_info[f].kind == FIELD_INTS) seen[f].i = at - first_int; // where the list is until all are read
        present[f] = true;
        if (!lex_eat(&r->lex, ',')) break;
    }
    return read_token(r, '>') ? make_record(r, kind, seen, present, first_int) : NO_ID;
}

// bounds ::= ((int | '?') (',' (int | '?'))*)? '>'          also, of #stablehlo.type_extensions: 'bounds' '=' '[' ints ']'
// '>'
static AttrId read_bounds(Reader *r, bool named) {
    FieldValue bounds = {.field = RF_BOUNDS_bounds};
    uint32_t first = r->ints.n;
    bool ok = true;
    if (named) {
        ok = read_keyword(r, "bounds") && read_token(r, '=') && read_int_list(r, &bounds.n);
    } else if (lex_peek(&r->lex) != '>') {
        do {
            int64_t v = DIM_DYNAMIC;
            ok = lex_eat(&r->lex, '?') || read_int(r, &v);
            vec_push(&r->scratch, &r->ints, v);
            bounds.n++;
        } while (ok && lex_eat(&r->lex, ','));
    }
    ok = ok && read_token(r, '>');
    bounds.ints = r->ints.at + first;
    r->ints.n = first;
    return ok ? attr_record(r->m, RECORD_BOUNDS, &bounds, 1) : NO_ID;
}

// ---- Convolution dimensions: which dimension is what ---------------------------------------------------------------

enum { MAX_CONV_RANK = 64 };

// conv-side ::= '[' (int | letter) (',' (int | letter))* ']'
// `letters` names the two dimensions that are not spatial; their places go to `special`. Spatial dimension i is at
// spatial[i].
static bool read_conv_side(Reader *r, const char *letters, int64_t special[2], int64_t *spatial, uint32_t *n_spatial) {
    const char *start = r->lex.at;
    uint32_t rank = 0, n = 0;
    special[0] = special[1] = -1;
    for (int i = 0; i < MAX_CONV_RANK; i++) spatial[i] = -1;
    if (!read_token(r, '[')) return false;
    do {
        lex_skip(&r->lex);
        const char *at = r->lex.at;
        int64_t i, *place;
        if (rank == MAX_CONV_RANK) return read_error(r, at, NULL, "a convolution of rank above %d", MAX_CONV_RANK);
        if (at < r->lex.end && lex_is(*at, LEX_DIGIT)) {
            if (!read_int(r, &i)) return false;
            if (i >= MAX_CONV_RANK)
                return read_error(r, at, NULL, "spatial dimension %lld is out of range", (long long)i);
            place = &spatial[i];
            n++;
        } else {
            Span word;
            if (!read_word(r, "a dimension", &word)) return false;
            const char *letter = word.n == 1 ? strchr(letters, *word.at) : NULL;
            if (!letter) return read_error(r, at, NULL, "expected a number, '%c' or '%c'", letters[0], letters[1]);
            place = &special[letter - letters];
        }
        if (*place >= 0) return read_error(r, at, NULL, "this dimension is given twice");
        *place = rank++;
    } while (lex_eat(&r->lex, ','));
    if (!read_token(r, ']')) return false;
    if (special[0] < 0 || special[1] < 0)
        return read_error(r, start, NULL, "'%c' and '%c' must be here", letters[0], letters[1]);
    for (uint32_t i = 0; i < n; i++)
        if (spatial[i] < 0) return read_error(r, start, NULL, "spatial dimension %u is missing", i);
    *n_spatial = n;
    return true;
}

// conv-dims ::= conv-side 'x' conv-side '->' conv-side          e.g. [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
AttrId read_conv_dims(Reader *r) {
    static const char *const letters[3] = {"bf", "io", "bf"};
    static const RecordField first_field[3] = {RF_CONV_input_batch_dimension, RF_CONV_kernel_input_feature_dimension,
                                               RF_CONV_output_batch_dimension};
    FieldValue fields[9];
    int64_t spatial[3][MAX_CONV_RANK];
    for (int side = 0; side < 3; side++) {
        int64_t special[2];
        uint32_t n = 0;
        bool ok = side == 0 || (side == 1 ? read_keyword(r, "x") : read_arrow(r));
        if (!ok || !read_conv_side(r, letters[side], special, spatial[side], &n)) return NO_ID;
        FieldValue *f = fields + 3 * side; // the three fields of a side follow one another in the table
        f[0] = (FieldValue){.field = first_field[side], .i = special[0]};
        f[1] = (FieldValue){.field = (RecordField)(first_field[side] + 1), .i = special[1]};
        f[2] = (FieldValue){.field = (RecordField)(first_field[side] + 2), .n = n, .ints = spatial[side]};
    }
    return attr_record(r->m, RECORD_CONV, fields, 9);
}

// record-body ::= '<' (fields | bounds | conv-dims '>' | 'raw' fields)
AttrId read_record_body(Reader *r, RecordKind kind) {
    if (!read_token(r, '<')) return NO_ID;
    if (kind == RECORD_BOUNDS) return read_bounds(r, false);
    if (kind == RECORD_CONV && !lex_keyword(&r->lex, "raw")) {
        AttrId a = read_conv_dims(r);
        return a != NO_ID && read_token(r, '>') ? a : NO_ID;
    }
    return read_fields(r, kind);
}

// ---- Which one it is -----------------------------------------------------------------------------------------------

static bool is_name(Span name, const char *dialect, const char *rest) {
    size_t n = strlen(dialect);
    return name.n > n && memcmp(name.at, dialect, n) == 0 && name.at[n] == '.' &&
           span_is((Span){name.at + n + 1, name.n - n - 1}, rest);
}

static AttrId read_opaque(Reader *r, const char *start) {
    if (r->lex.at < r->lex.end && *r->lex.at == '<' && !lex_balanced(&r->lex))
        return read_error(r, start, NULL, "this attribute does not end"), NO_ID;
    return attr_intern(r->m, &(Attr){.kind = ATTR_OPAQUE, .type = NO_ID, .text = {start, (size_t)(r->lex.at - start)}});
}

// dialect-enum ::= '#' dialect '<' enum-name enum-value '>'          `name` is the dialect
static AttrId read_dialect_enum(Reader *r, Span name, const char *start) {
    Lexer body = r->lex;
    body.at++;
    Span word = lex_word(&body);
    for (uint32_t k = 0; k < ENUM_COUNT; k++)
        if (span_is(name, enum_dialects[k]) && span_is(word, enum_names[k])) {
            r->lex = body;
            AttrId a = read_enum_value(r, (EnumKind)k);
            return a != NO_ID && read_token(r, '>') ? a : NO_ID;
        }
    return read_opaque(r, start);
}

AttrId read_dialect_attr(Reader *r, Span name, const char *start) {
    bool body = r->lex.at < r->lex.end && *r->lex.at == '<';
    if (!body) return read_opaque(r, start);
    if (!memchr(name.at, '.', name.n)) return read_dialect_enum(r, name, start);
    for (uint32_t k = 0; k < RECORD_COUNT; k++)
        if (is_name(name, record_dialects[k], record_names[k])) return read_record_body(r, (RecordKind)k);
    if (is_name(name, "stablehlo", "type_extensions")) return r->lex.at++, read_bounds(r, true);
    // #stablehlo.result_accuracy_mode<DEFAULT>: an enumeration in the dress of a record
    for (uint32_t k = 0; k < ENUM_COUNT; k++)
        if (is_name(name, enum_dialects[k], enum_names[k])) {
            r->lex.at++;
            AttrId a = read_enum_value(r, (EnumKind)k);
            return a != NO_ID && read_token(r, '>') ? a : NO_ID;
        }
    return read_opaque(r, start);
}
