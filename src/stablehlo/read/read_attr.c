// Attributes: numbers, strings, lists, dictionaries, dense<…> constants, @symbols, types, and #dialect ones
// (read_record.c).
//
//     value = dense<"0x0000803F…"> : tensor<1024xf32>          the hex digits stay where they are
#include "stablehlo/read/read.h"

// A number above INT64_MAX is kept modulo 2^64, as an element of ui64 is.
static bool int_of_text(Span text, int64_t *out) {
    bool negative = text.n && text.at[0] == '-';
    size_t i = negative;
    uint64_t v = 0, base = 10;
    if (text.n - i > 2 && text.at[i + 1] == 'x') {
        base = 16;
        i += 2;
    }
    for (; i < text.n; i++) {
        char c = text.at[i];
        uint64_t digit = (uint64_t)(lex_is(c, LEX_DIGIT) ? c - '0' : (c | 0x20) - 'a' + 10);
        if (v > (UINT64_MAX - digit) / base) return false;
        v = v * base + digit;
    }
    if (negative && v > (uint64_t)1 << 63) return false;
    *out = (int64_t)(negative ? 0 - v : v);
    return true;
}

// An integer without a sign in its type may be written as either: 255 : i8 and -1 : i8 are one.
static bool fits(int64_t v, const Type *t) {
    uint32_t bits = t->kind == TYPE_SCALAR ? elem_bits((Elem)t->elem) : 64;
    return bits >= 64 || (v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << bits);
}

// number-attr ::= number (':' type)?          i64 or f64 without a type
static AttrId read_number_attr(Reader *r) {
    bool is_float;
    Span text = lex_number(&r->lex, &is_float);
    if (!text.n) return read_expected(r, "an attribute"), NO_ID;
    TypeId type = NO_ID;
    if (lex_eat(&r->lex, ':') && (type = read_type(r)) == NO_ID) return NO_ID;
    if (type == NO_ID) type = type_scalar(r->m, is_float ? EL_F64 : EL_I64);
    const Type *t = type_get(r->m, type);
    if (t->kind == TYPE_SCALAR && elem_class((Elem)t->elem) == CLASS_FLOAT) is_float = true;
    Attr a = {.kind = is_float ? ATTR_FLOAT : ATTR_INT, .type = type};
    if (is_float) {
        Attr bits = {.kind = ATTR_DENSE, .sub = DENSE_TEXT, .type = type, .text = text};
        if (t->kind == TYPE_SCALAR) bits.type = type_tensor(r->m, (Elem)t->elem, 0, NULL);
        a.text = text;
        if (!attr_splat_double(r->m, &bits, &a.f))
            return read_error(r, text.at, NULL, "this is no number of its type"), NO_ID;
    } else if (!int_of_text(text, &a.i)) {
        return read_error(r, text.at, NULL, "this integer does not fit 64 bits"), NO_ID;
    } else if (!fits(a.i, t)) {
        return read_error(r, text.at, NULL, "this integer does not fit %s", read_type_name(r, type)), NO_ID;
    }
    return attr_intern(r->m, &a);
}

// string-attr ::= string (':' type)?
static AttrId read_string_attr(Reader *r) {
    Attr a = {.kind = ATTR_STRING, .type = NO_ID};
    if (!read_string(r, &a.text)) return NO_ID;
    if (lex_eat(&r->lex, ':') && (a.type = read_type(r)) == NO_ID) return NO_ID;
    return attr_intern(r->m, &a);
}

// symbol-attr ::= symbol ('::' symbol)*
static AttrId read_symbol_attr(Reader *r) {
    Attr a = {.kind = ATTR_SYMBOL, .type = NO_ID};
    const char *start = r->lex.at;
    if (!read_symbol(r, &a.text)) return NO_ID;
    bool nested = false;
    while (r->lex.end - r->lex.at > 2 && memcmp(r->lex.at, "::", 2) == 0) {
        Span part;
        r->lex.at += 2;
        if (!read_symbol(r, &part)) return NO_ID;
        nested = true;
    }
    if (nested) a.text = (Span){start + 1, (size_t)(r->lex.at - start - 1)};
    return attr_intern(r->m, &a);
}

// ---- Lists and dictionaries ----------------------------------------------------------------------------------------

// list ::= '[' (attr (',' attr)*)? ']'
static AttrId read_list(Reader *r) {
    uint32_t first = r->items.n;
    bool ok = read_token(r, '[');
    if (ok && !lex_eat(&r->lex, ']')) {
        do {
            AttrId a = read_attr(r);
            if (a == NO_ID) ok = false;
            if (ok) vec_push(&r->scratch, &r->items, a);
        } while (ok && lex_eat(&r->lex, ','));
        ok = ok && read_token(r, ']');
    }
    AttrId list = ok ? attr_array(r->m, r->items.at + first, r->items.n - first) : NO_ID;
    r->items.n = first;
    return list;
}

static void merge_attrs(const Module *m, NamedAttr *to, const NamedAttr *a, uint32_t n, const NamedAttr *b,
                        uint32_t k) {
    while (n && k) {
        bool second = name_compare(m, b->name, a->name) < 0;
        *to++ = second ? *b++ : *a++;
        if (second)
            k--;
        else
            n--;
    }
    memcpy(to, n ? a : b, (n + k) * sizeof *to);
}

// Attributes have no order: by name, as MLIR keeps them. Most come sorted; a merge sort from the bottom up is good for
// any number.
void attrs_sort(Reader *r, uint32_t first) {
    NamedAttr *at = r->attrs.at + first;
    uint32_t n = r->attrs.n - first, i = 1;
    while (i < n && name_compare(r->m, at[i - 1].name, at[i].name) < 0) i++;
    if (i >= n) return;
    NamedAttr *other = arena_new(&r->scratch, NamedAttr, n), *from = at, *to = other;
    for (uint64_t run = 1; run < n; run *= 2) {
        for (uint64_t k = 0; k < n; k += 2 * run) {
            uint64_t middle = k + run < n ? k + run : n, end = k + 2 * run < n ? k + 2 * run : n;
            merge_attrs(r->m, to + k, from + k, (uint32_t)(middle - k), from + middle, (uint32_t)(end - middle));
        }
        NamedAttr *swap = from;
        from = to;
        to = swap;
    }
    if (from != at) memcpy(at, from, n * sizeof *at);
    for (i = 1; i < n; i++)
        if (at[i - 1].name == at[i].name) {
            Span name = name_get(r->m, at[i].name);
            read_error(r, r->lex.at, NULL, "attribute '%.*s' is given twice", (int)name.n, name.at);
            return;
        }
}

// entry ::= (word | string) ('=' attr)?
static bool read_entry(Reader *r) {
    NamedAttr entry;
    Span name;
    if (lex_peek(&r->lex) == '"') {
        if (!read_string(r, &name)) return false;
    } else if (!read_word(r, "the name of an attribute", &name)) {
        return false;
    }
    entry.name = name_intern(r->m, name);
    entry.value = lex_eat(&r->lex, '=') ? read_attr(r) : attr_unit(r->m);
    if (entry.value == NO_ID) return false;
    vec_push(&r->scratch, &r->attrs, entry);
    return true;
}

// dict ::= '{' (entry (',' entry)*)? '}'
bool read_attr_dict(Reader *r) {
    if (!read_token(r, '{')) return false;
    if (lex_eat(&r->lex, '}')) return true;
    do
        if (!read_entry(r)) return false;
    while (lex_eat(&r->lex, ','));
    return read_token(r, '}');
}

bool read_dict_attr(Reader *r, AttrId *out) {
    uint32_t first = r->attrs.n;
    bool ok = read_attr_dict(r);
    if (ok) {
        attrs_sort(r, first);
        *out = attr_dict(r->m, r->attrs.at + first, r->attrs.n - first);
    }
    r->attrs.n = first;
    return ok;
}

// ---- Constants -----------------------------------------------------------------------------------------------------

// tail ::= ':' type
static AttrId finish_constant(Reader *r, Attr *a, const char *start) {
    if (!read_token(r, ':') || (a->type = read_type(r)) == NO_ID) return NO_ID;
    uint8_t kind = type_get(r->m, a->type)->kind;
    if (kind != TYPE_TENSOR && kind != TYPE_OPAQUE)
        return read_error(r, start, NULL, "a constant must be a tensor, not %s", read_type_name(r, a->type)), NO_ID;
    uint32_t n = r->m->attrs.n;
    AttrId id = attr_intern(r->m, a);
    bool seen = id < n; // most constants are: these have been held against their type before
    if (!seen && a->kind == ATTR_DENSE && kind == TYPE_TENSOR && !attr_dense_fits(r->m, a)) {
        const char *hint = a->sub == DENSE_HEX
                               ? "hex digits give all bytes of all elements, or those of one for all"
                               : "a list has the shape of its type, each number the range of its elements";
        return read_error(r, start, hint, "this constant does not fit %s", read_type_name(r, a->type)), NO_ID;
    }
    return id;
}

// dense ::= 'dense<' ('"0x' hex '"' | list | number | nothing) '>' tail          The cursor stands at '<'.
static AttrId read_dense(Reader *r, const char *start) {
    Lexer *l = &r->lex;
    Attr a = {.kind = ATTR_DENSE, .sub = DENSE_TEXT};
    l->at++;
    if (lex_literal(l, "\"0x")) {
        const char *hex = l->at, *end = lex_hex_end(hex, l->end);
        a.sub = DENSE_HEX;
        a.text = (Span){hex, (size_t)(end - hex)};
        l->at = end;
        if (l->at == l->end || *l->at != '"') return read_expected(r, "a hex digit or '\"'"), NO_ID;
        l->at++;
        if (a.text.n % 2) return read_error(r, hex, NULL, "this constant has an odd number of hex digits"), NO_ID;
        return read_token(r, '>') ? finish_constant(r, &a, start) : NO_ID;
    }
    const char *end = memchr(l->at, '>', (size_t)(l->end - l->at));
    if (!end) return read_error(r, start, NULL, "this constant does not end"), NO_ID;
    a.text = (Span){l->at, (size_t)(end - l->at)};
    while (a.text.n && lex_is(a.text.at[a.text.n - 1], LEX_SPACE)) a.text.n--;
    l->at = end + 1;
    return finish_constant(r, &a, start);
}

// resource ::= 'dense_resource<' (word | string) '>' tail
static AttrId read_resource(Reader *r, const char *start) {
    Attr a = {.kind = ATTR_RESOURCE};
    r->lex.at++;
    bool ok = lex_peek(&r->lex) == '"' ? read_string(r, &a.text) : read_word(r, "the name of a resource", &a.text);
    return ok && read_token(r, '>') ? finish_constant(r, &a, start) : NO_ID;
}

// array ::= 'array<' word (':' value (',' value)*)? '>'          The cursor stands at '<'.
static AttrId read_array(Reader *r) {
    Lexer *l = &r->lex;
    Span elem;
    l->at++;
    if (!read_word(r, "an element type", &elem)) return NO_ID;
    Attr a = {.kind = ATTR_INTS, .sub = (uint8_t)elem_from_text(elem), .type = NO_ID};
    if (a.sub == EL_COUNT || elem_class((Elem)a.sub) == CLASS_COMPLEX)
        return read_error(r, elem.at, NULL, "an array has integers or floats, not '%.*s'", (int)elem.n, elem.at), NO_ID;
    bool values = lex_eat(l, ':');
    lex_skip(l);
    if (elem_class((Elem)a.sub) == CLASS_FLOAT) {
        const char *end = memchr(l->at, '>', (size_t)(l->end - l->at));
        if (!end) return read_expected(r, "'>'"), NO_ID;
        a.kind = ATTR_FLOATS;
        a.text = (Span){l->at, (size_t)(end - l->at)};
        l->at = end + 1;
        return attr_intern(r->m, &a);
    }
    uint32_t first = r->ints.n;
    bool ok = true;
    if (values) do {
            int64_t v = 0;
            if (a.sub == EL_I1 && lex_keyword(l, "true"))
                v = 1;
            else if (a.sub != EL_I1 || !lex_keyword(l, "false"))
                ok = read_int(r, &v);
            vec_push(&r->scratch, &r->ints, v);
        } while (ok && lex_eat(l, ','));
    ok = ok && read_token(r, '>');
    a.n = r->ints.n - first;
    a.ints = r->ints.at + first;
    r->ints.n = first;
    return ok ? attr_intern(r->m, &a) : NO_ID;
}

// ---- Any attribute -------------------------------------------------------------------------------------------------

static AttrId opaque_attr(Reader *r, const char *start) {
    return attr_intern(r->m, &(Attr){.kind = ATTR_OPAQUE, .type = NO_ID, .text = {start, (size_t)(r->lex.at - start)}});
}

// word-attr ::= 'true' | 'false' | 'unit' | dense | resource | array | word '<' … '>' | type
static AttrId read_word_attr(Reader *r) {
    Lexer *l = &r->lex;
    const char *start = l->at;
    Span word = lex_word(l);
    bool body = l->at < l->end && *l->at == '<';
    if (body && span_is(word, "dense")) return read_dense(r, start);
    if (body && span_is(word, "dense_resource")) return read_resource(r, start);
    if (body && span_is(word, "array")) return read_array(r);
    if (span_is(word, "true")) return attr_bool(r->m, true);
    if (span_is(word, "false")) return attr_bool(r->m, false);
    if (span_is(word, "unit")) return attr_unit(r->m);
    bool kept = span_is(word, "affine_map") || span_is(word, "affine_set") || span_is(word, "strided") ||
                span_is(word, "distinct") || (span_is(word, "loc") && lex_peek(l) == '(');
    if (kept) {
        if (!lex_balanced(l)) return read_error(r, start, NULL, "this attribute does not end"), NO_ID;
        if (span_is(word, "distinct") && lex_peek(l) == '<' && !lex_balanced(l))
            return read_error(r, start, NULL, "this attribute does not end"), NO_ID;
        return opaque_attr(r, start);
    }
    l->at = start;
    TypeId t = read_type(r);
    return t == NO_ID ? NO_ID : attr_type(r->m, t);
}

// hash-attr ::= '#' (alias | dialect ('.' word)? ('<' … '>')?)
static AttrId read_hash_attr(Reader *r) {
    Lexer *l = &r->lex;
    const char *start = l->at++;
    Span name = lex_word(l);
    if (!name.n) return read_expected(r, "the name of an attribute after '#'"), NO_ID;
    bool body = l->at < l->end && *l->at == '<';
    if (body || memchr(name.at, '.', name.n)) return read_dialect_attr(r, name, start);
    Alias *alias = alias_find(&r->attr_aliases, name);
    if (alias) return alias_use(r, alias, start) ? alias->id : NO_ID;
    read_error(r, start, NULL, "attribute alias #%.*s is not defined", (int)name.n, name.at);
    return NO_ID;
}

// attr ::= string | number | list | dict | symbol | hash-attr | word-attr | type
AttrId read_attr(Reader *r) {
    char c = lex_peek(&r->lex);
    if (c == '"') return read_string_attr(r);
    if (c == '@') return read_symbol_attr(r);
    if (lex_is(c, LEX_DIGIT | LEX_DASH)) return read_number_attr(r);
    if (!read_deeper(r)) return NO_ID;
    AttrId a = NO_ID;
    if (c == '[')
        a = read_list(r);
    else if (c == '{')
        a = read_dict_attr(r, &a) ? a : NO_ID;
    else if (c == '#')
        a = read_hash_attr(r);
    else if (lex_is(c, LEX_LETTER))
        a = read_word_attr(r);
    else if (c == '!' || c == '(')
        a = (a = read_type(r)) == NO_ID ? NO_ID : attr_type(r->m, a);
    else
        read_expected(r, "an attribute");
    r->depth--;
    return a;
}
