// Pretty forms of element-wise ops, data movement and small ops. Each function reads what follows the op's name:
//
//     stablehlo.add %0, %1 : tensor<4xf32>                                       form `same`
//     stablehlo.transpose %0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>   form `dims`
#include "stablehlo/read/read.h"

static void push_result(Reader *r, TypeId t) { vec_push(&r->scratch, &r->types, t); }

// same-type ::= type | function-type          one type is that of all operands and of the result
static bool read_same_type(Reader *r, Draft *d) {
    if (!read_token(r, ':')) return false;
    if (lex_peek(&r->lex) == '(') return read_function_type_rest(r, d);
    const char *at = r->lex.at;
    TypeId t = read_type(r);
    if (t == NO_ID) return false;
    for (uint32_t i = 0; i < draft_operands(r, d); i++) check_operand(r, d, i, t, at);
    push_result(r, t);
    return true;
}

// operands-then ::= (value ',')* word '='
static bool read_operands_then(Reader *r, const char *word) {
    while (lex_peek(&r->lex) == '%')
        if (!read_operand(r) || !read_token(r, ',')) return false;
    Lexer before = r->lex;
    if (span_is(lex_word(&r->lex), word)) return read_token(r, '=');
    r->lex = before;
    Buffer quoted;
    buf_init(&quoted, &r->scratch);
    buf_format(&quoted, "'%s'", word);
    return read_expected(r, buf_cstr(&quoted));
}

// A list of integers as an attribute of the op.
static bool read_ints_attr(Reader *r, AttrName name) {
    uint32_t first = r->ints.n, n;
    if (!read_int_list(r, &n)) return false;
    draft_attr(r, name, attr_ints(r->m, r->ints.at + first, n));
    r->ints.n = first;
    return true;
}

static bool read_int_attr(Reader *r, AttrName name, Elem elem) {
    int64_t v;
    if (!read_int(r, &v)) return false;
    draft_attr(r, name, attr_int(r->m, v, elem));
    return true;
}

static bool read_bool_attr(Reader *r, AttrName name) {
    bool v = lex_keyword(&r->lex, "true");
    if (!v && !read_keyword(r, "false")) return false;
    draft_attr(r, name, attr_bool(r->m, v));
    return true;
}

static bool read_enum_attr(Reader *r, AttrName name, EnumKind kind) {
    AttrId a = read_enum_value(r, kind);
    if (a == NO_ID) return false;
    draft_attr(r, name, a);
    return true;
}

static AttrName first_attr(const Draft *d) { return (AttrName)op_info[d->kind].attrs[0].name; }

// same ::= operands dict? ':' same-type
bool read_form_same(Reader *r, Draft *d) { return read_operands(r) && read_optional_dict(r) && read_same_type(r, d); }

// token ::= operands? dict? ':' same-type
bool read_form_token(Reader *r, Draft *d) {
    return (lex_peek(&r->lex) != '%' || read_operands(r)) && read_optional_dict(r) && read_same_type(r, d);
}

// functional ::= operands dict? ':' same-type          `convert` has one type when nothing changes
bool read_form_functional(Reader *r, Draft *d) {
    return read_operands(r) && read_optional_dict(r) && read_same_type(r, d);
}

// dims ::= operands ',' 'dims' '=' ints dict? ':' (function-type | type)          `reverse` has one type
bool read_form_dims(Reader *r, Draft *d) {
    if (!read_operands_then(r, "dims") || !read_ints_attr(r, first_attr(d)) || !read_optional_dict(r)) return false;
    return read_same_type(r, d);
}

// dim ::= (operands ',')? 'dim' '=' int dict? ':' (function-type | type)          `iota` has only a result type
bool read_form_dim(Reader *r, Draft *d) {
    if (!read_operands_then(r, "dim") || !read_int_attr(r, first_attr(d), EL_I64) || !read_optional_dict(r))
        return false;
    return read_same_type(r, d);
}

// broadcast ::= operand ',' 'sizes' '=' ints dict? ':' function-type
bool read_form_broadcast(Reader *r, Draft *d) {
    return read_operands_then(r, "sizes") && read_ints_attr(r, A_broadcast_sizes) && read_optional_dict(r) &&
           read_function_type(r, d);
}

// dynamic_slice ::= value ',' ','? (value ',')* 'sizes' '=' ints dict? ':' function-type
// MLIR writes the second comma where a scalar has no indices.
bool read_form_dynamic_slice(Reader *r, Draft *d) {
    if (!read_operand(r) || !read_token(r, ',')) return false;
    lex_eat(&r->lex, ',');
    return read_operands_then(r, "sizes") && read_ints_attr(r, A_slice_sizes) && read_optional_dict(r) &&
           read_function_type(r, d);
}

// types ::= dict? (operands ':' type (',' type)* | '(' ')' | ':' type)          each result has the type of its operand
bool read_form_types(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    if (!read_optional_dict(r)) return false;
    if (lex_eat(l, '(')) return read_token(r, ')');
    if (lex_peek(l) == '%' && !read_operands(r)) return false;
    return read_token(r, ':') && read_operand_types(r, d, true);
}

// compare ::= direction ',' value ',' value (',' compare-type)? dict? ':' function-type
bool read_form_compare(Reader *r, Draft *d) {
    if (!read_enum_attr(r, A_comparison_direction, ENUM_COMPARISON_DIRECTION) || !read_token(r, ',')) return false;
    if (!read_operand(r) || !read_token(r, ',') || !read_operand(r)) return false;
    if (lex_eat(&r->lex, ',') && !read_enum_attr(r, A_compare_type, ENUM_COMPARISON_TYPE)) return false;
    return read_optional_dict(r) && read_function_type(r, d);
}

// complex ::= operands dict? ':' (type | function-type)          the operands have the real type of the result
bool read_form_complex(Reader *r, Draft *d) {
    if (!read_operands(r) || !read_optional_dict(r) || !read_token(r, ':')) return false;
    if (lex_peek(&r->lex) == '(') return read_function_type_rest(r, d);
    const char *at = r->lex.at;
    TypeId t = read_type(r);
    if (t == NO_ID) return false;
    Type real = *type_get(r->m, t);
    if (elem_class((Elem)real.elem) != CLASS_COMPLEX)
        return read_error(r, at, NULL, "expected a tensor of complex elements, not %s", read_type_name(r, t));
    real.elem = real.elem == EL_C64 ? EL_F32 : EL_F64;
    TypeId operand = type_intern(r->m, &real);
    for (uint32_t i = 0; i < draft_operands(r, d); i++) check_operand(r, d, i, operand, at);
    push_result(r, t);
    return true;
}

// constant ::= dict? attr | generic
bool read_form_constant(Reader *r, Draft *d) {
    if (lex_peek(&r->lex) == '(') return read_generic(r, d);
    if (!read_optional_dict(r)) return false;
    lex_skip(&r->lex);
    const char *at = r->lex.at;
    AttrId a = read_attr(r);
    if (a == NO_ID) return false;
    const Attr *value = attr_get(r->m, a);
    if (value->kind != ATTR_DENSE && value->kind != ATTR_RESOURCE)
        return read_error(r, at, NULL, "expected a constant, dense<…> or dense_resource<…>");
    draft_attr(r, A_value, a);
    push_result(r, value->type);
    return true;
}

bool read_form_chlo_constant(Reader *r, Draft *d) { return read_form_constant(r, d); }

// chlo ::= operands dict? ':' (function-type | type (',' type)* ('->' type)?)          `chlo.erf %0 : t` alone has one
// type for all
bool read_form_chlo(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    if (!read_operands(r) || !read_optional_dict(r) || !read_token(r, ':')) return false;
    if (lex_peek(l) == '(') return read_function_type_rest(r, d);
    uint32_t n = read_operand_types(r, d, true);
    if (!n) return false;
    TypeId last = r->types.at[r->types.n - 1];
    r->types.n -= n;
    if (lex_literal(l, "->")) return read_result_types(r);
    push_result(r, last);
    return true;
}

// pad ::= value ',' value ',' 'low' '=' ints ',' 'high' '=' ints ',' 'interior' '=' ints dict? ':' function-type
bool read_form_pad(Reader *r, Draft *d) {
    return read_operands_then(r, "low") && read_ints_attr(r, A_edge_padding_low) && read_token(r, ',') &&
           read_operands_then(r, "high") && read_ints_attr(r, A_edge_padding_high) && read_token(r, ',') &&
           read_operands_then(r, "interior") && read_ints_attr(r, A_interior_padding) && read_optional_dict(r) &&
           read_function_type(r, d);
}

// slice ::= value '[' (range (',' range)*)? ']' dict? ':' function-type          range ::= int ':' int (':' int)?
bool read_form_slice(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    uint32_t first = r->ints.n, n = 0;
    if (!read_operand(r) || !read_token(r, '[')) return false;
    if (!lex_eat(l, ']')) {
        do {
            int64_t start, limit, stride = 1;
            if (!read_int(r, &start) || !read_token(r, ':') || !read_int(r, &limit)) return false;
            if (lex_eat(l, ':') && !read_int(r, &stride)) return false;
            int64_t *range = vec_extend(&r->scratch, &r->ints, 3);
            range[0] = start, range[1] = limit, range[2] = stride;
            n++;
        } while (lex_eat(l, ','));
        if (!read_token(r, ']')) return false;
    }
    static const AttrName names[3] = {A_start_indices, A_limit_indices, A_strides};
    int64_t *column = vec_extend(&r->scratch, &r->ints, n);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < n; i++) column[i] = r->ints.at[first + 3 * i + k];
        draft_attr(r, names[k], attr_ints(r->m, column, n));
    }
    r->ints.n = first;
    return read_optional_dict(r) && read_function_type(r, d);
}

// select ::= operands dict? ':' (type ',' type | function-type)          the type of the predicate, and that of all
// others
bool read_form_select(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    if (!read_operands(r) || !read_optional_dict(r) || !read_token(r, ':')) return false;
    if (lex_peek(l) == '(') return read_function_type_rest(r, d);
    const char *at = l->at;
    TypeId t = read_type(r);
    if (t == NO_ID || !read_token(r, ',')) return false;
    check_operand(r, d, 0, t, at);
    lex_skip(l);
    at = l->at;
    if ((t = read_type(r)) == NO_ID) return false;
    for (uint32_t i = 1; i < draft_operands(r, d); i++) check_operand(r, d, i, t, at);
    push_result(r, t);
    return true;
}

// cholesky ::= value (',' 'lower' '=' bool)? dict? ':' same-type
bool read_form_cholesky(Reader *r, Draft *d) {
    if (!read_operand(r)) return false;
    if (lex_eat(&r->lex, ',') && !(read_keyword(r, "lower") && read_token(r, '=') && read_bool_attr(r, A_lower)))
        return false;
    return read_optional_dict(r) && read_same_type(r, d);
}

// reduce_precision ::= value ',' 'format' '=' 'e' int 'm' int dict? ':' same-type
bool read_form_reduce_precision(Reader *r, Draft *d) {
    if (!read_operands_then(r, "format")) return false;
    Span word;
    if (!read_word(r, "a format such as e5m10", &word)) return false;
    Lexer in = {word.at + 1, word.at + word.n};
    int64_t exponent, mantissa;
    bool ok = *word.at == 'e' && lex_int(&in, &exponent) == LEX_OK && lex_eat(&in, 'm') &&
              lex_int(&in, &mantissa) == LEX_OK && in.at == in.end && exponent <= INT32_MAX && mantissa <= INT32_MAX;
    if (!ok) return read_error(r, word.at, NULL, "expected a format such as e5m10");
    draft_attr(r, A_exponent_bits, attr_int(r->m, exponent, EL_I32));
    draft_attr(r, A_mantissa_bits, attr_int(r->m, mantissa, EL_I32));
    return read_optional_dict(r) && read_same_type(r, d);
}

// rng ::= value ',' value ',' value ',' 'distribution' '=' word dict? ':' function-type
bool read_form_rng(Reader *r, Draft *d) {
    return read_operands_then(r, "distribution") && read_enum_attr(r, A_rng_distribution, ENUM_RNG_DISTRIBUTION) &&
           read_optional_dict(r) && read_function_type(r, d);
}

// rng_bit_generator ::= value ',' 'algorithm' '=' word dict? ':' function-type
bool read_form_rng_bit_generator(Reader *r, Draft *d) {
    return read_operands_then(r, "algorithm") && read_enum_attr(r, A_rng_algorithm, ENUM_RNG_ALGORITHM) &&
           read_optional_dict(r) && read_function_type(r, d);
}

// fft ::= value ',' 'type' '=' word ',' 'length' '=' ints dict? ':' function-type
bool read_form_fft(Reader *r, Draft *d) {
    return read_operands_then(r, "type") && read_enum_attr(r, A_fft_type, ENUM_FFT_TYPE) && read_token(r, ',') &&
           read_operands_then(r, "length") && read_ints_attr(r, A_fft_length) && read_optional_dict(r) &&
           read_function_type(r, d);
}

// top_k ::= '(' value ',' 'k' '=' int (',' 'is_stable' '=' bool)? ')' dict? ':' type '->' '(' types ')'
bool read_form_top_k(Reader *r, Draft *d) {
    if (!read_token(r, '(') || !read_operands_then(r, "k") || !read_int_attr(r, A_k, EL_I64)) return false;
    if (lex_eat(&r->lex, ',') && !(read_operands_then(r, "is_stable") && read_bool_attr(r, A_is_stable))) return false;
    if (!read_token(r, ')') || !read_optional_dict(r) || !read_token(r, ':')) return false;
    lex_skip(&r->lex);
    const char *at = r->lex.at;
    TypeId t = read_type(r);
    if (t == NO_ID) return false;
    check_operand(r, d, 0, t, at);
    return read_arrow(r) && read_result_types(r);
}

// tuple ::= operands? dict? ':' type
bool read_form_tuple(Reader *r, Draft *d) {
    if ((lex_peek(&r->lex) == '%' && !read_operands(r)) || !read_optional_dict(r) || !read_token(r, ':')) return false;
    lex_skip(&r->lex);
    const char *at = r->lex.at;
    TypeId t = read_type(r);
    if (t == NO_ID) return false;
    const Type *type = type_get(r->m, t);
    if (type->kind != TYPE_TUPLE) return read_error(r, at, NULL, "expected a tuple type, not %s", read_type_name(r, t));
    for (uint32_t i = 0; i < type->rank; i++) check_operand(r, d, i, type->parts[i], at);
    push_result(r, t);
    return true;
}

// tuple_element ::= value '[' int ']' dict? ':' function-type
bool read_form_tuple_element(Reader *r, Draft *d) {
    return read_operand(r) && read_token(r, '[') && read_int_attr(r, A_index, EL_I32) && read_token(r, ']') &&
           read_optional_dict(r) && read_function_type(r, d);
}
