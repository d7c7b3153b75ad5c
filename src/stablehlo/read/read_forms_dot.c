// Pretty forms of products: dot_general, dot, einsum, convolution.
//
//     stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = […] : (…) -> …
//     stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]} {…} : (…) -> …
#include "stablehlo/read/read.h"

// precision ::= 'precision' '=' '[' word (',' word)* ']'          after the word
static bool read_precision(Reader *r) {
    uint32_t first = r->items.n;
    if (!read_token(r, '=') || !read_token(r, '[')) return false;
    if (!lex_eat(&r->lex, ']')) {
        do {
            AttrId a = read_enum_value(r, ENUM_PRECISION);
            if (a == NO_ID) return false;
            vec_push(&r->scratch, &r->items, a);
        } while (lex_eat(&r->lex, ','));
        if (!read_token(r, ']')) return false;
    }
    draft_attr(r, A_precision_config, attr_array(r->m, r->items.at + first, r->items.n - first));
    r->items.n = first;
    return true;
}

// precision-and-algorithm ::= (',' precision)? (',' 'algorithm' '=' record-body)?
static bool read_precision_and_algorithm(Reader *r) {
    while (lex_eat(&r->lex, ',')) {
        if (lex_keyword(&r->lex, "precision")) {
            if (!read_precision(r)) return false;
        } else {
            if (!read_keyword(r, "algorithm") || !read_token(r, '=')) return false;
            AttrId a = read_record_body(r, RECORD_DOT_ALGORITHM);
            if (a == NO_ID) return false;
            draft_attr(r, A_algorithm, a);
        }
    }
    return true;
}

// pair ::= '=' ints 'x' ints          onto r->ints; `n` says how many of each
static bool read_dims_pair(Reader *r, uint32_t n[2]) {
    return read_token(r, '=') && read_int_list(r, &n[0]) && read_keyword(r, "x") && read_int_list(r, &n[1]);
}

// dot_general ::= value ',' value ',' ('batching_dims' pair ',')? 'contracting_dims' pair precision-and-algorithm dict?
// ':' function-type
bool read_form_dot_general(Reader *r, Draft *d) {
    uint32_t first = r->ints.n, n[4] = {0};
    if (!read_operand(r) || !read_token(r, ',') || !read_operand(r) || !read_token(r, ',')) return false;
    if (lex_keyword(&r->lex, "batching_dims") && (!read_dims_pair(r, n) || !read_token(r, ','))) return false;
    if (!read_keyword(r, "contracting_dims") || !read_dims_pair(r, n + 2)) return false;
    FieldValue fields[4];
    uint32_t n_fields = 0;
    const int64_t *ints = r->ints.at + first;
    for (uint32_t k = 0; k < 4; ints += n[k++]) // the fields of the record stand in this order
        if (n[k])
            fields[n_fields++] =
                (FieldValue){.field = (RecordField)(RF_DOT_lhs_batching_dimensions + k), .n = n[k], .ints = ints};
    draft_attr(r, A_dot_dimension_numbers, attr_record(r->m, RECORD_DOT, fields, n_fields));
    r->ints.n = first;
    return read_precision_and_algorithm(r) && read_optional_dict(r) && read_function_type(r, d);
}

// dot ::= value ',' value (',' precision)? dict? ':' function-type
bool read_form_dot(Reader *r, Draft *d) {
    if (!read_operand(r) || !read_token(r, ',') || !read_operand(r)) return false;
    if (lex_eat(&r->lex, ',') && !(read_keyword(r, "precision") && read_precision(r))) return false;
    return read_optional_dict(r) && read_function_type(r, d);
}

// einsum ::= value (',' value)? ',' 'config' '=' string dict? ':' function-type
bool read_form_einsum(Reader *r, Draft *d) {
    while (lex_peek(&r->lex) == '%')
        if (!read_operand(r) || !read_token(r, ',')) return false;
    Span config;
    if (!read_keyword(r, "config") || !read_token(r, '=') || !read_string(r, &config)) return false;
    draft_attr(r, A_einsum_config, attr_string(r->m, config));
    return read_optional_dict(r) && read_function_type(r, d);
}

// pad ::= '[' ('[' int ',' int ']' (',' …)*)? ']'
static bool read_padding(Reader *r) {
    uint32_t first = r->ints.n, n;
    int64_t dims[2] = {0, 2};
    if (!read_token(r, '[')) return false;
    if (!lex_eat(&r->lex, ']')) {
        do {
            lex_skip(&r->lex);
            const char *at = r->lex.at;
            if (!read_int_list(r, &n)) return false;
            if (n != 2) return read_error(r, at, NULL, "padding is [low, high] for each spatial dimension");
            dims[0]++;
        } while (lex_eat(&r->lex, ','));
        if (!read_token(r, ']')) return false;
    }
    draft_attr(r, A_padding, attr_dense_i64(r->m, 2, dims, r->ints.at + first));
    r->ints.n = first;
    return true;
}

// reverse ::= '[' ((int | bool) (',' (int | bool))*)? ']'
static bool read_reversal(Reader *r) {
    uint32_t first = r->ints.n;
    if (!read_token(r, '[')) return false;
    if (!lex_eat(&r->lex, ']')) {
        do {
            int64_t v = lex_keyword(&r->lex, "true");
            if (!v && !lex_keyword(&r->lex, "false") && !read_int(r, &v)) return false;
            vec_push(&r->scratch, &r->ints, v != 0);
        } while (lex_eat(&r->lex, ','));
        if (!read_token(r, ']')) return false;
    }
    Attr a = {.kind = ATTR_INTS, .sub = EL_I1, .type = NO_ID, .n = r->ints.n - first, .ints = r->ints.at + first};
    draft_attr(r, A_window_reversal, attr_intern(r->m, &a));
    r->ints.n = first;
    return true;
}

// window ::= '{' (('stride' | 'lhs_dilate' | 'rhs_dilate') '=' ints | 'pad' '=' pad | 'reverse' '=' reverse),* '}'
static bool read_window(Reader *r) {
    static const struct {
        const char *word;
        AttrName name;
    } parts[] = {{"stride", A_window_strides},
                 {"pad", A_padding},
                 {"lhs_dilate", A_lhs_dilation},
                 {"rhs_dilate", A_rhs_dilation},
                 {"reverse", A_window_reversal}};
    if (!read_token(r, '{')) return false;
    while (lex_peek(&r->lex) != '}') {
        Span word;
        if (!read_word(r, "stride, pad, lhs_dilate, rhs_dilate or reverse", &word) || !read_token(r, '=')) return false;
        size_t k = 0;
        while (k < 5 && !span_is(word, parts[k].word)) k++;
        if (k == 5)
            return read_error(r, word.at, NULL, "expected stride, pad, lhs_dilate, rhs_dilate or reverse, found '%.*s'",
                              (int)word.n, word.at);
        if (parts[k].name == A_padding) {
            if (!read_padding(r)) return false;
        } else if (parts[k].name == A_window_reversal) {
            if (!read_reversal(r)) return false;
        } else {
            uint32_t first = r->ints.n, n;
            if (!read_int_list(r, &n)) return false;
            draft_attr(r, parts[k].name, attr_ints(r->m, r->ints.at + first, n));
            r->ints.n = first;
        }
        if (!lex_eat(&r->lex, ',')) break;
    }
    return read_token(r, '}');
}

// convolution ::= '(' operands ')' 'dim_numbers' '=' conv-dims ',' 'window' '=' window dict? ':' function-type
bool read_form_convolution(Reader *r, Draft *d) {
    if (!read_token(r, '(') || !read_operands(r) || !read_token(r, ')')) return false;
    if (!read_keyword(r, "dim_numbers") || !read_token(r, '=')) return false;
    AttrId dims = read_conv_dims(r);
    if (dims == NO_ID) return false;
    draft_attr(r, A_dimension_numbers, dims);
    return read_token(r, ',') && read_keyword(r, "window") && read_token(r, '=') && read_window(r) &&
           read_optional_dict(r) && read_function_type(r, d);
}
