// Types: tensor<4x?xf32, #stablehlo.bounds<?, 8>>, !stablehlo.token, tuple<…>, (…) -> …, !quant.uniform<…>.
//
// Almost all types of a program are the same few hundred tensors: what stands between `tensor<` and `>` is looked up in
// a small cache before it is read.
#include "stablehlo/read/read.h"
#include "support/decimal.h"

// The length of what stands up to the first '<' or '>', eight bytes at a time, with a hash of it. False near the end of
// the text.
static bool scan_tensor(const char *p, const char *end, size_t *n, uint64_t *hash) {
    const uint64_t ones = 0x0101010101010101u, tops = ones * 0x80;
    uint64_t h = 0;
    for (const char *start = p; end - p >= 8; p += 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        uint64_t other = (x | ones * 2) ^ ones * '>'; // a byte is zero where x has '<' or '>', which differ in one bit
        uint64_t found = (other - ones) & ~other & tops;
        if (found) {
            unsigned bits = (unsigned)__builtin_ctzll(found) & ~7u;
            *n = (size_t)(p - start) + bits / 8;
            *hash = (h ^ (x & ~(~(uint64_t)0 << bits))) * 0x9e3779b97f4a7c15u;
            return true;
        }
        h = (h ^ x) * 0x9e3779b97f4a7c15u;
    }
    return false;
}

// A type that ends at the first '>' without another '<' before it, from the cache: the cursor stands after `tensor<`.
// `slot` is where it belongs if it is not there, NULL if it is none of these.
static TypeId cached_tensor(Reader *r, CachedType **slot) {
    const char *start = r->lex.at;
    size_t n;
    uint64_t hash;
    if (!scan_tensor(start, r->lex.end, &n, &hash) || start[n] != '>') return NO_ID;
    CachedType *c = &r->type_cache[(hash >> 32) % TYPE_CACHE];
    if (n && c->text.n == n && memcmp(c->text.at, start, n) == 0) { // `tensor<>` is no entry, it is an empty slot
        r->lex.at = start + n + 1;
        return c->type;
    }
    c->text.n = 0;
    *slot = c;
    return NO_ID;
}

// Takes what is neither this element type nor any other as an error.
static bool unknown_element(Reader *r, Span text) {
    return read_error(
        r, text.at,
        "element types are i1, i2 to i64, ui2 to ui64, bf16, f16, f32, f64, the f8, f6 and f4 types, complex<f32>, complex<f64>",
        "'%.*s' is no element type of StableHLO", (int)text.n, text.at);
}

// storage ::= ('i' | 'u' | 'ui') int ('<' int ':' int '>')?
static bool read_storage(Reader *r, Quant *q) {
    lex_skip(&r->lex);
    const char *at = r->lex.at;
    Span word = lex_word(&r->lex);
    char name[8] = "u";
    bool is_unsigned = word.n > 1 && word.n < 5 && *word.at == 'u';
    if (is_unsigned && word.at[1] != 'i') {
        name[1] = 'i';
        memcpy(name + 2, word.at + 1, word.n - 1);
    }
    q->storage = elem_from_text(name[1] ? span_of(name) : word);
    bool is_int = q->storage != EL_COUNT && elem_bits(q->storage) <= 32 &&
                  (elem_class(q->storage) == CLASS_SINT || elem_class(q->storage) == CLASS_UINT);
    if (!is_int) return read_error(r, at, NULL, "expected a storage type of a quantized type, such as i8 or u8");
    uint32_t bits = elem_bits(q->storage);
    q->storage_min = is_unsigned ? 0 : -(INT64_C(1) << (bits - 1));
    q->storage_max = (INT64_C(1) << (is_unsigned ? bits : bits - 1)) - 1;
    if (!lex_eat(&r->lex, '<')) return true;
    return read_int(r, &q->storage_min) && read_token(r, ':') && read_int(r, &q->storage_max) && read_token(r, '>');
}

// scale ::= number (':' int)?
static bool read_scale(Reader *r, double *scale, int64_t *zero) {
    bool is_float;
    Span text = lex_number(&r->lex, &is_float);
    *zero = 0;
    if (!text.n || !decimal_to_double(text, scale)) return read_expected(r, "a scale");
    return !lex_eat(&r->lex, ':') || read_int(r, zero);
}

// scales ::= scale | '{' scale (',' scale)* '}'
static bool read_scales(Reader *r, Quant *q) {
    VEC(double) scales = {0};
    VEC(int64_t) zeros = {0};
    bool list = lex_eat(&r->lex, '{');
    do {
        double scale;
        int64_t zero;
        if (!read_scale(r, &scale, &zero)) return false;
        vec_push(&r->scratch, &scales, scale);
        vec_push(&r->scratch, &zeros, zero);
    } while (list && lex_eat(&r->lex, ','));
    q->n = scales.n;
    q->scales = scales.at;
    q->zeros = zeros.at;
    return !list || read_token(r, '}');
}

// quant ::= '!quant.uniform<' storage ':' float-type (':' int)? ',' scales '>'
// Blockwise scales (':{' after the float type) are kept as text alone. The cursor stands at '<'.
static bool read_quant(Reader *r, const char *start, uint32_t *id) {
    Lexer whole = r->lex;
    if (!lex_balanced(&whole)) return read_error(r, start, NULL, "this quantized type does not end");
    Quant q = {.axis = -1, .text = {start, (size_t)(whole.at - start)}};
    if (!read_token(r, '<') || !read_storage(r, &q) || !read_token(r, ':')) return false;
    Span expressed;
    if (!read_word(r, "a float type", &expressed)) return false;
    q.expressed = elem_from_text(expressed);
    if (q.expressed == EL_COUNT || elem_class(q.expressed) != CLASS_FLOAT)
        return read_error(r, expressed.at, NULL, "'%.*s' is no float type", (int)expressed.n, expressed.at);
    bool per_axis = lex_eat(&r->lex, ':');
    if (per_axis && lex_peek(&r->lex) == '{') {
        r->lex = whole;
    } else {
        int64_t axis = -1;
        if (per_axis && !read_int(r, &axis)) return false;
        if (axis > INT32_MAX || (per_axis && axis < 0))
            return read_error(r, start, NULL, "quantization axis out of range");
        q.axis = (int32_t)axis;
        if (!read_token(r, ',') || !read_scales(r, &q) || !read_token(r, '>')) return false;
    }
    *id = quant_intern(r->m, &q);
    return true;
}

// element ::= word | 'complex<' word '>' | '!quant.uniform<' … '>' | '!' alias
static bool read_element_type(Reader *r, Type *t) {
    Lexer *l = &r->lex;
    lex_skip(l);
    const char *start = l->at;
    if (lex_eat(l, '!')) {
        Span name = lex_word(l);
        Alias *alias = alias_find(&r->type_aliases, name);
        const Type *of = alias ? type_get(r->m, alias->id) : NULL;
        if (of && of->kind == TYPE_SCALAR) {
            t->elem = of->elem;
            t->quant = of->quant;
            return alias_use(r, alias, start);
        }
        t->elem = EL_QUANT;
        if (span_is(name, "quant.uniform") && lex_peek(l) == '<') return read_quant(r, start, &t->quant);
        return unknown_element(r, (Span){start, (size_t)(l->at - start)});
    }
    Span word = lex_word(l);
    if (span_is(word, "complex")) {
        Span part;
        if (!read_token(r, '<') || !read_word(r, "f32 or f64", &part) || !read_token(r, '>')) return false;
        t->elem = span_is(part, "f32") ? EL_C64 : EL_C128;
        if (t->elem == EL_C128 && !span_is(part, "f64"))
            return unknown_element(r, (Span){start, (size_t)(l->at - start)});
        return true;
    }
    if (!word.n) return read_expected(r, "an element type");
    Elem e = elem_from_text(word);
    if (e == EL_COUNT) return unknown_element(r, word);
    t->elem = (uint8_t)e;
    return true;
}

// dims ::= ((int | '?') 'x')*          onto r->ints
static bool read_dims(Reader *r, uint32_t *rank) {
    Lexer *l = &r->lex;
    for (*rank = 0;; ++*rank) {
        int64_t dim = DIM_DYNAMIC;
        lex_skip(l);
        const char *at = l->at;
        if (!lex_eat(l, '?')) {
            LexStatus s = l->at < l->end && *l->at == '-' ? LEX_NONE : lex_int(l, &dim);
            if (s == LEX_NONE) return true;
            if (s == LEX_OVERFLOW) return read_error(r, at, NULL, "this dimension is too large");
        }
        lex_skip(l);
        if (l->at == l->end || *l->at != 'x') return read_expected(r, "'x' after a dimension");
        l->at++;
        vec_push(&r->scratch, &r->ints, dim);
    }
}

// tensor ::= 'tensor<' ('*x' | dims) element (',' encoding)? '>'          The cursor stands after '<'.
static TypeId read_tensor(Reader *r) {
    const char *start = r->lex.at;
    uint32_t first = r->ints.n;
    Type t = {.kind = TYPE_TENSOR, .encoding = NO_ID};
    if (lex_eat(&r->lex, '*')) {
        t.kind = TYPE_UNRANKED;
        if (r->lex.at == r->lex.end || *r->lex.at++ != 'x') return read_expected(r, "'x' after '*'"), NO_ID;
    } else if (!read_dims(r, &t.rank)) {
        return NO_ID;
    }
    if (!read_element_type(r, &t)) return NO_ID;
    if (lex_eat(&r->lex, ',') && (t.encoding = read_attr(r)) == NO_ID) return NO_ID;
    if (!read_token(r, '>')) return NO_ID;
    t.dims = r->ints.at + first;
    int64_t n;
    if (t.kind == TYPE_TENSOR && type_is_static(&t) && !type_elements(&t, &n))
        return read_error(r, start, NULL, "this tensor has more than 2^63 - 1 elements"), NO_ID;
    TypeId id = type_intern(r->m, &t);
    r->ints.n = first;
    return id;
}

// types ::= (type (',' type)*)? close          onto r->types; the opening bracket is taken
static bool read_type_list(Reader *r, char close) {
    if (lex_eat(&r->lex, close)) return true;
    do {
        TypeId t = read_type(r);
        if (t == NO_ID) return false;
        vec_push(&r->scratch, &r->types, t);
    } while (lex_eat(&r->lex, ','));
    return read_token(r, close);
}

// tuple ::= 'tuple<' types '>'          function-type ::= '(' types ')' '->' (type | '(' types ')')
static TypeId read_type_parts(Reader *r, TypeKind kind) {
    uint32_t first = r->types.n;
    Type t = {.kind = (uint8_t)kind};
    bool ok = read_type_list(r, kind == TYPE_TUPLE ? '>' : ')');
    t.n_inputs = r->types.n - first;
    ok = ok && (kind == TYPE_TUPLE || (read_arrow(r) && read_result_types(r)));
    t.rank = r->types.n - first;
    t.parts = r->types.at + first;
    TypeId id = ok ? type_intern(r->m, &t) : NO_ID;
    r->types.n = first;
    return id;
}

// results ::= type | '(' types ')'          onto r->types
bool read_result_types(Reader *r) {
    if (lex_eat(&r->lex, '(')) return read_type_list(r, ')');
    TypeId t = read_type(r);
    if (t == NO_ID) return false;
    vec_push(&r->scratch, &r->types, t);
    return true;
}

static TypeId opaque_type(Reader *r, const char *start) {
    return type_intern(r->m, &(Type){.kind = TYPE_OPAQUE, .text = {start, (size_t)(r->lex.at - start)}});
}

// dialect-type ::= '!' (alias | word ('<' … '>')?)
static TypeId read_dialect_type(Reader *r) {
    Lexer *l = &r->lex;
    const char *start = l->at++;
    Span name = lex_word(l);
    if (!name.n) return read_expected(r, "the name of a type after '!'"), NO_ID;
    if (span_is(name, "stablehlo.token")) return type_intern(r->m, &(Type){.kind = TYPE_TOKEN});
    bool body = l->at < l->end && *l->at == '<';
    if (body && span_is(name, "quant.uniform")) {
        Type t = {.kind = TYPE_SCALAR, .elem = EL_QUANT};
        return read_quant(r, start, &t.quant) ? type_intern(r->m, &t) : NO_ID;
    }
    if (!body && !memchr(name.at, '.', name.n)) {
        Alias *alias = alias_find(&r->type_aliases, name);
        if (alias) return alias_use(r, alias, start) ? alias->id : NO_ID;
        read_error(r, start, NULL, "type alias !%.*s is not defined", (int)name.n, name.at);
        return NO_ID;
    }
    if (body && !lex_balanced(l)) return read_error(r, start, NULL, "this type does not end"), NO_ID;
    return opaque_type(r, start);
}

// word-type ::= 'i32' | 'complex<f32>' | 'none' | 'index' | 'tuple<' … '>' | any other word ('<' … '>')?
static TypeId read_word_type(Reader *r) {
    Lexer *l = &r->lex;
    const char *start = l->at;
    Span word = lex_word(l);
    bool body = l->at < l->end && *l->at == '<';
    if (body && span_is(word, "tuple")) {
        l->at++;
        if (!read_deeper(r)) return NO_ID;
        TypeId t = read_type_parts(r, TYPE_TUPLE);
        r->depth--;
        return t;
    }
    if (body && (span_is(word, "memref") || span_is(word, "vector")))
        return lex_balanced(l) ? opaque_type(r, start) : (read_error(r, start, NULL, "this type does not end"), NO_ID);
    if (body && span_is(word, "complex")) {
        Type t = {.kind = TYPE_SCALAR};
        l->at = start;
        return read_element_type(r, &t) ? type_intern(r->m, &t) : NO_ID;
    }
    if (span_is(word, "none")) return type_intern(r->m, &(Type){.kind = TYPE_NONE});
    Elem e = elem_from_text(word);
    if (e != EL_COUNT) return type_scalar(r->m, e);
    // Types that only attributes speak of: the precisions of dot algorithms, integers of other widths.
    bool number_type =
        span_is(word, "tf32") || (word.n > 1 && strchr("isuf", *word.at) && lex_is(word.at[word.n - 1], LEX_DIGIT));
    if (number_type) return opaque_type(r, start);
    l->at = start;
    return read_expected(r, "a type"), NO_ID;
}

// type ::= tensor | function-type | dialect-type | word-type
TypeId read_type(Reader *r) {
    Lexer *l = &r->lex;
    if (lex_literal(l, "tensor<")) {
        CachedType *slot = NULL;
        const char *start = l->at;
        TypeId t = cached_tensor(r, &slot);
        if (t != NO_ID) return t;
        t = read_tensor(r);
        if (t != NO_ID && slot) *slot = (CachedType){{start, (size_t)(l->at - start) - 1}, t};
        return t;
    }
    if (l->at == l->end) return read_expected(r, "a type"), NO_ID;
    if (*l->at == '!') return read_dialect_type(r);
    if (*l->at != '(') return read_word_type(r);
    l->at++;
    if (!read_deeper(r)) return NO_ID;
    TypeId t = read_type_parts(r, TYPE_FUNCTION);
    r->depth--;
    return t;
}
