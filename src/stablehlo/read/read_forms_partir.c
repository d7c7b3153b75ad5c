// The forms of PartIR:Core: loops over mesh axes and slices.
//
//     %1 = partir.loop "batch" [#tile<0>] (%r : range<4>) -> (tensor<256x8xf32>) {
//       %2 = partir.slice 0 %arg0[%r] : tensor<256x8xf32> -> tensor<64x8xf32>
//       partir.yield %2 : tensor<64x8xf32>
//     }
#include "stablehlo/read/read.h"

// action ::= '#' word ('<' int '>')? | 'any'
static bool read_action(Reader *r, AttrId *out) {
    Buffer text;
    buf_init(&text, &r->scratch);
    if (lex_eat(&r->lex, '#')) buf_char(&text, '#');
    Span word;
    int64_t dim;
    if (!read_word(r, "an action such as #tile<0>, #sum or any", &word)) return false;
    buf_span(&text, word);
    if (lex_eat(&r->lex, '<')) {
        if (!read_int(r, &dim) || !read_token(r, '>')) return false;
        buf_format(&text, "<%lld>", (long long)dim);
    }
    *out = attr_string(r->m, (Span){text.at, text.n});
    return true;
}

// loop ::= string '[' action* ']' '(' value-name ':' 'range' '<' int '>' ')' '->' '(' type* ')' region
bool read_form_loop(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    Span axis;
    int64_t size;
    uint32_t items = r->items.n, names = r->results.n;
    if (!read_string(r, &axis) || !read_token(r, '[')) return false;
    if (!lex_eat(l, ']')) {
        do {
            AttrId action;
            if (!read_action(r, &action)) return false;
            vec_push(&r->scratch, &r->items, action);
        } while (lex_eat(l, ','));
        if (!read_token(r, ']')) return false;
    }
    if (!read_token(r, '(')) return false;
    lex_skip(l);
    ResultName name = {.n = 1, .at = l->at};
    if (!read_value_name(r, &name.name) || !read_token(r, ':') || !read_keyword(r, "range") || !read_token(r, '<') ||
        !read_int(r, &size) || !read_token(r, '>') || !read_token(r, ')'))
        return false;
    draft_attr(r, A_axis, attr_string(r->m, axis));
    draft_attr(r, A_size, attr_int(r->m, size, EL_I64));
    draft_attr(r, A_actions, attr_array(r->m, r->items.at + items, r->items.n - items));
    r->items.n = items;
    if (!read_arrow(r) || !read_result_types(r)) return false;
    vec_push(&r->scratch, &r->results, name);
    uint32_t types = r->types.n;
    vec_push(&r->scratch, &r->types, type_tensor(r->m, EL_I64, 0, NULL));
    // The region's types lie above the results' on the stack and are taken off again.
    bool ok = read_region_with(r, d, names, types, NULL);
    r->results.n = names;
    r->types.n = types;
    return ok;
}

// loop-slice ::= int value '[' value ']' ':' type '->' type
bool read_form_loop_slice(Reader *r, Draft *d) {
    int64_t dim;
    if (!read_int(r, &dim) || !read_operand(r) || !read_token(r, '[') || !read_operand(r) || !read_token(r, ']') ||
        !read_token(r, ':'))
        return false;
    draft_attr(r, A_dimension, attr_int(r->m, dim, EL_I64));
    lex_skip(&r->lex);
    const char *at = r->lex.at;
    TypeId from = read_type(r);
    if (from == NO_ID) return false;
    check_operand(r, d, 0, from, at);
    check_operand(r, d, 1, type_tensor(r->m, EL_I64, 0, NULL), at);
    if (!read_arrow(r)) return false;
    TypeId to = read_type(r);
    if (to == NO_ID) return false;
    vec_push(&r->scratch, &r->types, to);
    return true;
}
