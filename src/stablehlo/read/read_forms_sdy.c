// Pretty forms of the sharding annotations (sdy) that JAX prints. Shardings stay text; where the pretty form leaves out
// the head of the attribute, it is put back, so that both forms give one module:
//
//     sdy.mesh @mesh = <["x"=2, "y"=4]>          mesh = #sdy.mesh<["x"=2, "y"=4]>
#include "stablehlo/read/read.h"

// The bracketed text at the cursor between `head` and `tail`, as an attribute of the op.
static bool read_opaque_attr(Reader *r, AttrName name, const char *head, const char *tail) {
    lex_skip(&r->lex);
    const char *start = r->lex.at;
    if (!lex_balanced(&r->lex)) return read_expected(r, "an attribute in brackets");
    Buffer text;
    buf_init(&text, &r->m->arena);
    buf_str(&text, head);
    buf_put(&text, start, (size_t)(r->lex.at - start));
    buf_str(&text, tail);
    draft_attr(r, name, attr_intern(r->m, &(Attr){.kind = ATTR_OPAQUE, .type = NO_ID, .text = {text.at, text.n}}));
    return true;
}

// sdy_mesh ::= symbol '=' '<' … '>' dict?
bool read_form_sdy_mesh(Reader *r, Draft *d) {
    (void)d;
    Span name;
    if (!read_symbol(r, &name) || !read_token(r, '=')) return false;
    draft_attr(r, A_sym_name, attr_string(r->m, name));
    return read_opaque_attr(r, A_mesh, "#sdy.mesh", "") && read_optional_dict(r);
}

// type-of-operand ::= ':' type
static bool read_operand_type(Reader *r, Draft *d, bool result) {
    if (!read_token(r, ':')) return false;
    lex_skip(&r->lex);
    const char *at = r->lex.at;
    TypeId t = read_type(r);
    if (t == NO_ID) return false;
    check_operand(r, d, 0, t, at);
    if (result) vec_push(&r->scratch, &r->types, t);
    return true;
}

// sharding_constraint ::= value '<' … '>' dict? ':' type
bool read_form_sharding_constraint(Reader *r, Draft *d) {
    return read_operand(r) && read_opaque_attr(r, A_sharding, "#sdy.sharding", "") && read_optional_dict(r) &&
           read_operand_type(r, d, true);
}

// sharding_group ::= value 'group_id' '=' int dict? ':' type
bool read_form_sharding_group(Reader *r, Draft *d) {
    int64_t id;
    if (!read_operand(r) || !read_keyword(r, "group_id") || !read_token(r, '=') || !read_int(r, &id)) return false;
    draft_attr(r, A_group_id, attr_int(r->m, id, EL_I64));
    return read_optional_dict(r) && read_operand_type(r, d, false);
}

// propagation_barrier ::= value 'allowed_direction' '=' word dict? ':' type
bool read_form_propagation_barrier(Reader *r, Draft *d) {
    static const char *const directions[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
    Span word;
    if (!read_operand(r) || !read_keyword(r, "allowed_direction") || !read_token(r, '=') ||
        !read_word(r, "a direction", &word))
        return false;
    int64_t k = 0;
    while (k < 4 && !span_is(word, directions[k])) k++;
    if (k == 4) return read_error(r, word.at, NULL, "a direction is NONE, FORWARD, BACKWARD or BOTH");
    draft_attr(r, A_allowed_direction, attr_int(r->m, k, EL_I32));
    return read_optional_dict(r) && read_operand_type(r, d, true);
}

// manual_computation ::= '(' operands? ')' 'in_shardings' '=' '[' … ']' 'out_shardings' '=' '[' … ']' 'manual_axes' '='
// '{' … '}'
//                        '(' (value-name ':' type loc (',' …)*)? ')' '{' ops '}' dict? ':' function-type
bool read_form_manual_computation(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    if (!read_token(r, '(') || !(lex_eat(l, ')') || (read_operands(r) && read_token(r, ')')))) return false;
    if (!read_keyword(r, "in_shardings") || !read_token(r, '=') ||
        !read_opaque_attr(r, A_in_shardings, "#sdy.sharding_per_value<", ">"))
        return false;
    if (!read_keyword(r, "out_shardings") || !read_token(r, '=') ||
        !read_opaque_attr(r, A_out_shardings, "#sdy.sharding_per_value<", ">"))
        return false;
    if (!read_keyword(r, "manual_axes") || !read_token(r, '=') ||
        !read_opaque_attr(r, A_manual_axes, "#sdy<manual_axes", ">"))
        return false;
    uint32_t names = r->results.n, types = r->types.n, locs = r->locs.n;
    if (!read_token(r, '(') || !read_named_arguments(r)) return false;
    bool ok = read_region_with(r, d, names, types, r->locs.at + locs);
    r->results.n = names;
    r->types.n = types;
    r->locs.n = locs;
    return ok && read_optional_dict(r) && read_function_type(r, d);
}
