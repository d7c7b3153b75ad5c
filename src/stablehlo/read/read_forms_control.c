// Pretty forms of functions, calls and ops with regions.
//
//     func.func public @main(%arg0: tensor<4xf32> {jax.arg_info = "x"}) -> (tensor<4xf32> {jax.result_info = ""}) { … }
//     %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (…) -> tensor<f32>
//     %2:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %1) : tensor<i32>, tensor<f32> cond { … } do { … }
#include "stablehlo/read/read.h"

// ---- Functions -----------------------------------------------------------------------------------------------------

// attrs? ::= dict?          as one dictionary attribute, onto r->items
static bool read_signature_attrs(Reader *r, bool *any) {
    AttrId dict;
    if (lex_peek(&r->lex) != '{')
        dict = attr_dict(r->m, NULL, 0);
    else if (!read_dict_attr(r, &dict))
        return false;
    if (attr_get(r->m, dict)->n) *any = true;
    vec_push(&r->scratch, &r->items, dict);
    return true;
}

static void signature_attrs(Reader *r, AttrName name, uint32_t first, bool any) {
    if (any) draft_attr(r, name, attr_array(r->m, r->items.at + first, r->items.n - first));
    r->items.n = first;
}

// arguments ::= '(' ((value-name ':')? type attrs? loc (',' …)*)? ')'          a declaration has no names
static bool read_arguments(Reader *r) {
    Lexer *l = &r->lex;
    uint32_t names = r->results.n, types = r->types.n, items = r->items.n;
    bool any = false;
    if (!read_token(r, '(')) return false;
    if (!lex_eat(l, ')')) {
        do {
            lex_skip(l);
            ResultName name = {.n = 1, .at = l->at};
            if (lex_peek(l) == '%') {
                if (!read_value_name(r, &name.name) || !read_token(r, ':')) return false;
                vec_push(&r->scratch, &r->results, name);
            }
            TypeId t = read_type(r);
            LocId loc;
            if (t == NO_ID || !read_signature_attrs(r, &any) || !read_optional_loc(r, &loc)) return false;
            vec_push(&r->scratch, &r->types, t);
            vec_push(&r->scratch, &r->locs, loc);
            if (r->results.n > names && r->results.n - names != r->types.n - types)
                return read_error(r, name.at, NULL, "this argument has no name, but others have");
        } while (lex_eat(l, ','));
        if (!read_token(r, ')')) return false;
    }
    signature_attrs(r, A_arg_attrs, items, any);
    return true;
}

// result-list ::= ('->' (type | '(' (type attrs? (',' type attrs?)*)? ')'))?          types onto r->types
static bool read_result_list(Reader *r) {
    Lexer *l = &r->lex;
    uint32_t items = r->items.n;
    bool any = false;
    if (!lex_literal(l, "->")) return true;
    if (!lex_eat(l, '(')) return read_result_types(r);
    if (lex_eat(l, ')')) return true;
    do {
        TypeId t = read_type(r);
        if (t == NO_ID || !read_signature_attrs(r, &any)) return false;
        vec_push(&r->scratch, &r->types, t);
    } while (lex_eat(l, ','));
    if (!read_token(r, ')')) return false;
    signature_attrs(r, A_res_attrs, items, any);
    return true;
}

// func ::= ('public' | 'private' | 'nested')? symbol arguments result-list ('attributes' dict)? ('{' ops '}')?
bool read_form_func(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    uint32_t names = r->results.n, locs = r->locs.n;
    const char *visibility = lex_keyword(l, "public")    ? "public"
                             : lex_keyword(l, "private") ? "private"
                             : lex_keyword(l, "nested")  ? "nested"
                                                         : NULL;
    Span name;
    if (!read_symbol(r, &name) || !read_arguments(r)) return false;
    uint32_t n_inputs = r->types.n - d->types;
    if (!read_result_list(r)) return false;
    Type type = {
        .kind = TYPE_FUNCTION, .rank = r->types.n - d->types, .n_inputs = n_inputs, .parts = r->types.at + d->types};
    draft_attr(r, A_function_type, attr_type(r->m, type_intern(r->m, &type)));
    draft_attr(r, A_sym_name, attr_string(r->m, name));
    if (visibility) draft_attr(r, A_sym_visibility, attr_string(r->m, span_of(visibility)));
    if (lex_keyword(l, "attributes") && !read_attr_dict(r)) return false;
    bool ok = true;
    if (lex_peek(l) == '{') {
        if (n_inputs && r->results.n == names)
            return read_error(r, d->at, NULL, "the arguments of a function with a body need names");
        ok = read_region_with(r, d, names, d->types, r->locs.at + locs);
    } else {
        draft_region(r, d);
    }
    r->results.n = names;
    r->locs.n = locs;
    r->types.n = d->types;
    return ok;
}

// arguments-of-call ::= '(' operands? ')'
static bool read_call_operands(Reader *r) {
    return read_token(r, '(') && (lex_eat(&r->lex, ')') || (read_operands(r) && read_token(r, ')')));
}

// call ::= symbol '(' operands? ')' dict? ':' function-type
bool read_form_call(Reader *r, Draft *d) {
    Span callee;
    if (!read_symbol(r, &callee)) return false;
    draft_attr(r, A_callee, attr_symbol(r->m, callee));
    return read_call_operands(r) && read_optional_dict(r) && read_function_type(r, d);
}

// custom_call ::= symbol '(' operands? ')' dict? ':' function-type
bool read_form_custom_call(Reader *r, Draft *d) {
    Span target;
    if (!read_symbol(r, &target)) return false;
    draft_attr(r, A_call_target_name, attr_string(r->m, target));
    return read_call_operands(r) && read_optional_dict(r) && read_function_type(r, d);
}

// composite ::= string operands? ('(' region (',' region)* ')')? dict? ':' function-type
bool read_form_composite(Reader *r, Draft *d) {
    Span name;
    if (!read_string(r, &name)) return false;
    draft_attr(r, A_name, attr_string(r->m, name));
    if (lex_peek(&r->lex) == '%' && !read_operands(r)) return false;
    if (lex_eat(&r->lex, '(')) {
        do
            if (!read_region(r, d)) return false;
        while (lex_eat(&r->lex, ','));
        if (!read_token(r, ')')) return false;
    }
    return read_optional_dict(r) && read_function_type(r, d);
}

// return ::= dict? (operands dict? ':' type (',' type)*)?          `func` has its attributes first, `stablehlo` last
bool read_form_return(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    if (!read_optional_dict(r)) return false;
    if (lex_peek(l) != '%') return true;
    if (!read_operands(r) || !read_optional_dict(r) || !read_token(r, ':')) return false;
    lex_skip(l);
    const char *start = l->at;
    uint32_t n = read_operand_types(r, d, false);
    if (!n) return false;
    if (n != draft_operands(r, d))
        read_error(r, start, NULL, "%u operands, but %u operand types", draft_operands(r, d), n);
    return true;
}

// ---- Reduce --------------------------------------------------------------------------------------------------------

// inputs ::= '(' value 'init' ':' value ')' (',' …)*          operands: all inputs, then all initial values
static bool read_inputs(Reader *r, const Draft *d) {
    uint32_t n = 0;
    do {
        if (!read_token(r, '(') || !read_operand(r) || !read_keyword(r, "init") || !read_token(r, ':') ||
            !read_operand(r) || !read_token(r, ')'))
            return false;
        n++;
    } while (lex_eat(&r->lex, ','));
    if (n == 1) return true;
    ValueId *at = r->operands.at + d->operands, *pairs = arena_new(&r->scratch, ValueId, 2 * n);
    memcpy(pairs, at, 2 * n * sizeof *at);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = pairs[2 * i];
        at[n + i] = pairs[2 * i + 1];
    }
    return true;
}

// across ::= 'across' 'dimensions' '=' ints dict? ':' function-type
static bool read_across(Reader *r, Draft *d) {
    uint32_t first = r->ints.n, n;
    if (!read_keyword(r, "across") || !read_keyword(r, "dimensions") || !read_token(r, '=') || !read_int_list(r, &n))
        return false;
    draft_attr(r, A_dimensions, attr_ints(r->m, r->ints.at + first, n));
    r->ints.n = first;
    return read_optional_dict(r) && read_function_type(r, d);
}

// The region that `applies` abbreviates: ^bb0(%a: tensor<e>, %b: tensor<e>): %c = op %a, %b : tensor<e>; return %c
static void make_reducer(Reader *r, Draft *d, OpKind kind) {
    Module *m = r->m;
    ValueId input = draft_operands(r, d) ? r->operands.at[d->operands] : POISON;
    if (input == POISON) return;
    Type scalar = *value_tensor(m, input);
    scalar.kind = TYPE_TENSOR;
    scalar.rank = 0;
    scalar.encoding = NO_ID;
    TypeId type = type_intern(m, &scalar);
    RegionId region = draft_region(r, d);
    ValueId args[2] = {region_add_argument(m, region, type), region_add_argument(m, region, type)};
    uint32_t source = (uint32_t)(d->at - r->source->text);
    OpSpec inner = {.kind = kind,
                    .operands = args,
                    .n_operands = 2,
                    .results = &type,
                    .n_results = 1,
                    .loc = d->loc,
                    .source = source};
    ValueId result = op_result(m, op_new(m, region, &inner), 0);
    op_new(m, region,
           &(OpSpec){.kind = OP_return, .operands = &result, .n_operands = 1, .loc = d->loc, .source = source});
    if (d->loc == NO_ID) return;
    LocId *locs = arena_new(&m->arena, LocId, 2);
    locs[0] = locs[1] = d->loc;
    m->regions.at[region].arg_locs = locs;
}

// reducer ::= 'reducer' ('(' argument ',' argument ')')* '{' ops '}'
// Written in pairs (input, accumulator); the region has all inputs first, then all accumulators.
static bool read_reducer(Reader *r, Draft *d) {
    uint32_t names = r->results.n, types = r->types.n, locs = r->locs.n, n = 0;
    if (!read_keyword(r, "reducer")) return false;
    for (; lex_eat(&r->lex, '('); n++)
        if (!read_named_argument(r) || !read_token(r, ',') || !read_named_argument(r) || !read_token(r, ')'))
            return false;
    ResultName *pairs = arena_new(&r->scratch, ResultName, 2 * n);
    TypeId *pair_types = arena_new(&r->scratch, TypeId, 2 * n);
    LocId *pair_locs = arena_new(&r->scratch, LocId, 2 * n);
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t to = i / 2 + (i % 2 ? n : 0);
        pairs[to] = r->results.at[names + i];
        pair_types[to] = r->types.at[types + i];
        pair_locs[to] = r->locs.at[locs + i];
    }
    if (n) {
        memcpy(r->results.at + names, pairs, 2 * n * sizeof *pairs);
        memcpy(r->types.at + types, pair_types, 2 * n * sizeof *pair_types);
    }
    bool ok = read_region_with(r, d, names, types, pair_locs);
    r->results.n = names;
    r->types.n = types;
    r->locs.n = locs;
    return ok;
}

// reduce ::= inputs ('applies' word across loc | across reducer)
bool read_form_reduce(Reader *r, Draft *d) {
    if (!read_inputs(r, d)) return false;
    if (!lex_keyword(&r->lex, "applies")) return read_across(r, d) && read_reducer(r, d);
    Span name;
    if (!read_word(r, "the op that combines two elements", &name)) return false;
    OpKind kind = op_from_name(r->m, name);
    if (!op_is_commutative(kind))
        return read_error(r, name.at, "write the reducer as a region", "'%.*s' is no commutative op of two operands",
                          (int)name.n, name.at);
    if (!read_across(r, d) || !read_optional_loc(r, &d->loc)) return false;
    make_reducer(r, d, kind);
    return true;
}

// ---- While ---------------------------------------------------------------------------------------------------------

// while ::= '(' (value-name '=' value (',' …)*)? ')' (':' type (',' type)*)? ('attributes' dict)? 'cond' region 'do'
// region
bool read_form_while(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    uint32_t names = r->results.n, n = 0;
    if (!read_token(r, '(')) return false;
    if (!lex_eat(l, ')')) {
        do {
            lex_skip(l);
            ResultName name = {.n = 1, .at = l->at};
            if (!read_value_name(r, &name.name) || !read_token(r, '=') || !read_operand(r)) return false;
            vec_push(&r->scratch, &r->results, name);
        } while (lex_eat(l, ','));
        if (!read_token(r, ')') || !read_token(r, ':') || !(n = read_operand_types(r, d, true))) return false;
    }
    if (n != draft_operands(r, d))
        return read_error(r, d->at, NULL, "%u operands, but %u types", draft_operands(r, d), n);
    if (lex_keyword(l, "attributes") && !read_attr_dict(r)) return false;
    bool ok = read_keyword(r, "cond") && read_region_with(r, d, names, d->types, NULL) && read_keyword(r, "do") &&
              read_region_with(r, d, names, d->types, NULL);
    r->results.n = names;
    return ok;
}

// ---- Scan ----------------------------------------------------------------------------------------------------------

// The two kinds of operands and results, as MLIR counts them.
static void segment_sizes(Reader *r, AttrName name, uint32_t first, uint32_t second) {
    int64_t sizes[2] = {first, second};
    Attr a = {.kind = ATTR_INTS, .sub = EL_I32, .type = NO_ID, .n = 2, .ints = sizes};
    draft_attr(r, name, attr_intern(r->m, &a));
}

// scan ::= '(' operands? ')' 'inits' '(' operands? ')' 'dimension' '=' int ('attributes' dict)? region ':'
// function-type
bool read_form_scan(Reader *r, Draft *d) {
    int64_t dimension;
    if (!read_call_operands(r) || !read_keyword(r, "inits")) return false;
    uint32_t n_inputs = draft_operands(r, d);
    if (!read_call_operands(r) || !read_keyword(r, "dimension") || !read_token(r, '=') || !read_int(r, &dimension))
        return false;
    uint32_t n_inits = draft_operands(r, d) - n_inputs;
    draft_attr(r, A_dimension, attr_int(r->m, dimension, EL_I64));
    if (lex_keyword(&r->lex, "attributes") && !read_attr_dict(r)) return false;
    if (!read_region(r, d) || !read_function_type(r, d)) return false;
    uint32_t n_results = r->types.n - d->types;
    if (n_results < n_inits)
        return read_error(r, d->at, NULL, "%u initial values, but only %u results", n_inits, n_results);
    segment_sizes(r, A_operandSegmentSizes, n_inputs, n_inits);
    segment_sizes(r, A_resultSegmentSizes, n_results - n_inits, n_inits);
    return true;
}
