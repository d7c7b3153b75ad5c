// Ops: results, name, generic form, regions. The pretty form of an op is read by the function that its row names
// (read_forms*.c).
//
//     %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64}> ({ ^bb0(…): … }) : (tensor<4xf32>, tensor<4xi32>) -> (…)
#include "stablehlo/read/read.h"

// ---- Tokens --------------------------------------------------------------------------------------------------------

bool read_missing(Reader *r, char c) { return read_expected(r, (char[]){'\'', c, '\'', 0}); }

bool read_arrow(Reader *r) { return lex_literal(&r->lex, "->") || read_expected(r, "'->'"); }

bool read_word(Reader *r, const char *what, Span *out) {
    *out = lex_word(&r->lex);
    return out->n || read_expected(r, what);
}

bool read_int(Reader *r, int64_t *out) {
    switch (lex_int(&r->lex, out)) {
    case LEX_OK: return true;
    case LEX_NONE: return read_expected(r, "an integer");
    default: return read_error(r, r->lex.at - 1, NULL, "this integer does not fit 64 bits");
    }
}

bool read_string(Reader *r, Span *out) {
    bool escapes;
    lex_skip(&r->lex);
    const char *at = r->lex.at;
    switch (lex_string(&r->lex, out, &escapes)) {
    case LEX_NONE: return read_expected(r, "a string");
    case LEX_OVERFLOW: return read_error(r, at, NULL, "this string does not end before its line does");
    default: break;
    }
    if (!escapes) return true;
    out->at = lex_unescape(&r->m->arena, *out, &out->n);
    return out->at || read_error(r, at, "escapes are \\n, \\t, \\\\, \\\" and two hex digits",
                                 "this string has an unknown escape");
}

// symbol ::= '@' (word | string)          a word may hold '-' here
bool read_symbol(Reader *r, Span *out) {
    Lexer *l = &r->lex;
    if (!lex_eat(l, '@')) return read_expected(r, "a symbol such as @main");
    if (l->at < l->end && *l->at == '"') return read_string(r, out);
    const char *start = l->at;
    while (l->at < l->end && lex_is(*l->at, LEX_LETTER | LEX_DIGIT | LEX_MARK | LEX_DASH)) {
        if (*l->at == '-' && l->end - l->at > 1 && l->at[1] == '>') break;
        l->at++;
    }
    *out = (Span){start, (size_t)(l->at - start)};
    return out->n || read_expected(r, "the name of a symbol");
}

// int-list ::= '[' ((int | '?') (',' (int | '?'))*)? ']'
bool read_int_list(Reader *r, uint32_t *n) {
    uint32_t first = r->ints.n;
    if (!read_token(r, '[')) return false;
    if (!lex_eat(&r->lex, ']')) {
        do {
            int64_t v = DIM_DYNAMIC;
            if (!lex_eat(&r->lex, '?') && !read_int(r, &v)) return false;
            vec_push(&r->scratch, &r->ints, v);
        } while (lex_eat(&r->lex, ','));
        if (!read_token(r, ']')) return false;
    }
    *n = r->ints.n - first;
    return true;
}

// ---- Operands, attributes, types of an op --------------------------------------------------------------------------

bool read_operand(Reader *r) {
    ValueId v;
    if (!read_value(r, &v)) return false;
    vec_push(&r->scratch, &r->operands, v);
    return true;
}

// operands ::= value (',' value)*
bool read_operands(Reader *r) {
    do
        if (!read_operand(r)) return false;
    while (lex_eat(&r->lex, ','));
    return true;
}

bool read_optional_dict(Reader *r) { return lex_peek(&r->lex) != '{' || read_attr_dict(r); }

void check_operand(Reader *r, Draft *d, uint32_t i, TypeId type, const char *at) {
    if (i >= draft_operands(r, d)) return;
    ValueId v = r->operands.at[d->operands + i];
    if (v == POISON || value_type(r->m, v) == type) return;
    read_error(r, at, NULL, "operand %u is of type %s, not %s", i, read_type_name(r, value_type(r->m, v)),
               read_type_name(r, type));
}

uint32_t read_operand_types(Reader *r, Draft *d, bool results) {
    uint32_t n = 0;
    do {
        lex_skip(&r->lex);
        const char *at = r->lex.at;
        TypeId t = read_type(r);
        if (t == NO_ID) return 0;
        check_operand(r, d, n++, t, at);
        if (results) vec_push(&r->scratch, &r->types, t);
    } while (lex_eat(&r->lex, ','));
    return n;
}

// function-type ::= '(' (type (',' type)*)? ')' '->' results
bool read_function_type_rest(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    uint32_t n = 0;
    lex_skip(l);
    const char *start = l->at;
    if (!read_token(r, '(')) return false;
    if (!lex_eat(l, ')')) {
        n = read_operand_types(r, d, false);
        if (!n || !read_token(r, ')')) return false;
    }
    if (n != draft_operands(r, d))
        read_error(r, start, NULL, "%u operands, but %u operand types", draft_operands(r, d), n);
    return read_arrow(r) && read_result_types(r);
}

bool read_function_type(Reader *r, Draft *d) { return read_token(r, ':') && read_function_type_rest(r, d); }

// ---- Regions -------------------------------------------------------------------------------------------------------

// An op with regions is made before them, so that ids follow the text; finish_op adds the rest.
RegionId draft_region(Reader *r, Draft *d) {
    if (d->op == NO_ID)
        d->op = op_new(r->m, d->parent,
                       &(OpSpec){.kind = d->kind,
                                 .operands = r->operands.at + d->operands,
                                 .n_operands = draft_operands(r, d),
                                 .loc = NO_ID,
                                 .source = (uint32_t)(d->at - r->source->text)});
    RegionId region = region_new(r->m, d->op);
    vec_push(&r->scratch, &r->regions, region);
    return region;
}

// argument ::= value-name ':' type loc          name onto r->results, type onto r->types, location onto r->locs
bool read_named_argument(Reader *r) {
    lex_skip(&r->lex);
    ResultName name = {.n = 1, .at = r->lex.at};
    TypeId t;
    LocId loc;
    if (!read_value_name(r, &name.name) || !read_token(r, ':') || (t = read_type(r)) == NO_ID ||
        !read_optional_loc(r, &loc))
        return false;
    vec_push(&r->scratch, &r->results, name);
    vec_push(&r->scratch, &r->types, t);
    vec_push(&r->scratch, &r->locs, loc);
    return true;
}

// arguments ::= (argument (',' argument)*)? ')'
bool read_named_arguments(Reader *r) {
    if (lex_eat(&r->lex, ')')) return true;
    do
        if (!read_named_argument(r)) return false;
    while (lex_eat(&r->lex, ','));
    return read_token(r, ')');
}

// block ::= '^' name ('(' arguments)? ':'
static bool read_block_header(Reader *r) {
    Lexer *l = &r->lex;
    l->at++;
    while (l->at < l->end && lex_is(*l->at, LEX_LETTER | LEX_DIGIT | LEX_MARK | LEX_DASH)) l->at++;
    if (lex_eat(l, '(') && !read_named_arguments(r)) return false;
    return read_token(r, ':');
}

static void add_arguments(Reader *r, RegionId region, uint32_t names, uint32_t types, const LocId *locs) {
    uint32_t n = r->results.n - names;
    bool located = false;
    for (uint32_t i = 0; i < n; i++) {
        const ResultName *name = &r->results.at[names + i];
        ValueId v = region_add_argument(r->m, region, r->types.at[types + i]);
        scope_bind(r, name->name, v, 1, name->at);
        if (locs && locs[i] != NO_ID) located = true;
    }
    if (!located) return;
    LocId *copy = arena_new(&r->m->arena, LocId, n);
    memcpy(copy, locs, n * sizeof *copy);
    r->m->regions.at[region].arg_locs = copy;
}

// region ::= '{' ops '}' with the arguments named before it
bool read_region_with(Reader *r, Draft *d, uint32_t names, uint32_t types, const LocId *arg_locs) {
    if (!read_token(r, '{') || !read_deeper(r)) return false;
    uint32_t mark = scope_mark(r);
    RegionId region = draft_region(r, d);
    add_arguments(r, region, names, types, arg_locs);
    bool ok = read_ops(r, region) && read_token(r, '}');
    scope_leave(r, mark);
    r->depth--;
    return ok;
}

// region ::= '{' block? ops '}'
bool read_region(Reader *r, Draft *d) {
    if (!read_token(r, '{') || !read_deeper(r)) return false;
    uint32_t mark = scope_mark(r), names = r->results.n, types = r->types.n, locs = r->locs.n;
    RegionId region = draft_region(r, d);
    bool ok = lex_peek(&r->lex) != '^' || read_block_header(r);
    if (ok) add_arguments(r, region, names, types, r->locs.at + locs);
    r->results.n = names;
    r->types.n = types;
    r->locs.n = locs;
    ok = ok && read_ops(r, region) && read_token(r, '}');
    scope_leave(r, mark);
    r->depth--;
    return ok;
}

// ---- The generic form ----------------------------------------------------------------------------------------------

// generic ::= '(' operands? ')' ('<' dict '>')? ('(' region (',' region)* ')')? dict? ':' function-type
bool read_generic(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    if (!read_token(r, '(')) return false;
    if (!lex_eat(l, ')') && (!read_operands(r) || !read_token(r, ')'))) return false;
    if (lex_peek(l) == '[')
        return read_error(r, l->at, NULL, "successor blocks are not supported: control flow is case, if and while");
    if (lex_eat(l, '<') && (!read_attr_dict(r) || !read_token(r, '>'))) return false;
    if (lex_eat(l, '(')) {
        do
            if (!read_region(r, d)) return false;
        while (lex_eat(l, ','));
        if (!read_token(r, ')')) return false;
    }
    return read_optional_dict(r) && read_function_type(r, d);
}

static Span op_name(const void *infos, uint32_t i) { return span_of(((const OpInfo *)infos)[i].name); }

static bool unknown_op(Reader *r, const Draft *d, Span name) {
    if (span_is(name, "module") || span_is(name, "builtin.module"))
        return read_error(r, name.at, NULL, "a module inside a module is not supported");
    Span near = read_nearest(name, op_info, OP_COUNT, op_name);
    Buffer hint;
    buf_init(&hint, &r->scratch);
    if (near.n) buf_format(&hint, "did you mean %.*s?", (int)near.n, near.at);
    bool cf = name.n > 3 && memcmp(name.at, "cf.", 3) == 0;
    if (cf) buf_str(&hint, "regions have one block; control flow is stablehlo.case, stablehlo.if and stablehlo.while");
    bool other_language = !hint.n && d->parent == 0 && r->m->ops.n + r->n_errors == 0;
    if (other_language) buf_str(&hint, "a module is StableHLO text, as jax.jit(f).lower(...).as_text() gives it");
    read_error(r, name.at, hint.n ? buf_cstr(&hint) : NULL, "unknown op '%.*s'", (int)name.n, name.at);
    r->stop |= other_language;
    return false;
}

bool read_form_generic(Reader *r, Draft *d) {
    Buffer hint;
    buf_init(&hint, &r->scratch);
    buf_format(&hint, "write \"%s\"(…) <{…}> : (…) -> …", op_info[d->kind].name);
    return read_error(r, d->at, buf_cstr(&hint), "%s has no pretty form", op_info[d->kind].name);
}

static ReadForm *const forms[OP_COUNT] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) read_form_##form,
#include "ir/ops.def"
};

// The few names that most ops have are found by their length and last letters.
static OpKind find_op(Reader *r, Span name) {
    uint32_t tail;
    if (name.n < sizeof tail) return op_from_name(r->m, name);
    memcpy(&tail, name.at + name.n - sizeof tail, sizeof tail);
    CachedOp *c = &r->op_cache[((tail + (uint32_t)name.n) * 2654435761u >> 16) % OP_CACHE];
    if (!span_eq(c->name, name)) *c = (CachedOp){name, op_from_name(r->m, name)};
    return c->kind;
}

// op-name ::= word | string          A word without a dialect is of func, as in `return` and `call`.
static bool read_op_body(Reader *r, Draft *d) {
    Lexer *l = &r->lex;
    Span name;
    lex_skip(l);
    d->at = l->at;
    bool quoted = l->at < l->end && *l->at == '"';
    if (quoted ? !read_string(r, &name) : !read_word(r, "an op", &name)) return false;
    d->kind = find_op(r, name);
    if (d->kind == OP_COUNT && !quoted && span_is(name, "return")) d->kind = OP_func_return;
    if (d->kind == OP_COUNT && !quoted && span_is(name, "call")) d->kind = OP_func_call;
    if (d->kind == OP_COUNT) return unknown_op(r, d, name);
    if ((d->parent == 0) != (d->kind == OP_func_func || d->kind == OP_sdy_mesh))
        return read_error(r, d->at, NULL,
                          d->parent ? "%s stands at the top of the module, not inside an op"
                                    : "%s stands inside a function, not at the top of the module",
                          op_info[d->kind].name);
    return quoted ? read_generic(r, d) : forms[d->kind](r, d);
}

// ---- A whole op ----------------------------------------------------------------------------------------------------

// results ::= (value-name (':' int)? (',' value-name (':' int)?)* '=')?
static bool read_results(Reader *r) {
    Lexer *l = &r->lex;
    if (lex_peek(l) != '%') return true;
    do {
        lex_skip(l);
        ResultName name = {.n = 1, .at = l->at};
        int64_t n = 1;
        if (!read_value_name(r, &name.name)) return false;
        if (lex_eat(l, ':') && !read_int(r, &n)) return false;
        if (n < 1 || n > INT32_MAX) return read_error(r, name.at, NULL, "a name stands for one result or more");
        name.n = (uint32_t)n;
        vec_push(&r->scratch, &r->results, name);
    } while (lex_eat(l, ','));
    return read_token(r, '=');
}

// The results, attributes and regions of an op that was made when its first region began.
static void complete_op(Reader *r, Draft *d, const OpSpec *spec) {
    Module *m = r->m;
    Op *op = op_get(m, d->op);
    op->n_results = spec->n_results;
    op->first_result = m->values.n;
    op->n_attrs = (uint16_t)spec->n_attrs;
    op->first_attr = m->op_attrs.n;
    op->n_regions = r->regions.n - d->regions;
    op->first_region = m->op_regions.n;
    op->loc = spec->loc;
    Value *values = vec_extend(&m->arena, &m->values, spec->n_results);
    for (uint32_t i = 0; i < spec->n_results; i++)
        values[i] = (Value){.type = spec->results[i], .index = i & INT32_MAX, .owner = d->op};
    NamedAttr *attrs = vec_extend(&m->arena, &m->op_attrs, spec->n_attrs);
    if (spec->n_attrs) memcpy(attrs, spec->attrs, spec->n_attrs * sizeof *attrs);
    RegionId *regions = vec_extend(&m->arena, &m->op_regions, op->n_regions);
    memcpy(regions, r->regions.at + d->regions, op->n_regions * sizeof *regions);
    AttrId name = d->kind == OP_func_func ? op_attr(m, d->op, A_sym_name) : NO_ID;
    if (name != NO_ID) op_set_attr(m, d->op, A_sym_name, name); // the module learns of the function
}

// Functions and meshes are found by name: one name, one of them.
static void declare_symbol(Reader *r, OpId op) {
    Span name = op_attr_text(r->m, op, A_sym_name);
    uint32_t hash = span_hash(name);
    for (uint32_t p = hash, id; (id = idmap_probe(&r->symbols, hash, &p)) != IDMAP_END;)
        if (span_eq(op_attr_text(r->m, id, A_sym_name), name)) {
            read_error(r, r->source->text + op_get(r->m, op)->source, NULL, "@%.*s is already defined", (int)name.n,
                       name.at);
            read_note(r, r->source->text + op_get(r->m, id)->source, "the first definition is this");
            return;
        }
    idmap_add(&r->symbols, hash, op);
}

static bool finish_op(Reader *r, Draft *d) {
    LocId loc;
    if (!read_optional_loc(r, &loc)) return false;
    if (loc != NO_ID) d->loc = loc;
    if (r->attrs.n - d->attrs > 1) attrs_sort(r, d->attrs);
    OpSpec spec = {.kind = d->kind,
                   .operands = r->operands.at + d->operands,
                   .n_operands = draft_operands(r, d),
                   .results = r->types.at + d->types,
                   .n_results = r->types.n - d->types,
                   .attrs = r->attrs.at + d->attrs,
                   .n_attrs = r->attrs.n - d->attrs,
                   .loc = d->loc,
                   .source = (uint32_t)(d->at - r->source->text)};
    if (spec.n_attrs > READ_MAX_ATTRS)
        return read_error(r, d->at, NULL, "an op has at most %d attributes", READ_MAX_ATTRS);
    if (d->op == NO_ID)
        d->op = op_new(r->m, d->parent, &spec);
    else
        complete_op(r, d, &spec);
    if (d->parent == 0) declare_symbol(r, d->op);
    return true;
}

// Names the results; after an error they stand for anything.
static void bind_results(Reader *r, Draft *d, bool ok) {
    uint32_t n = ok ? op_get(r->m, d->op)->n_results : 0, given = 0;
    for (uint32_t i = d->results; i < r->results.n; i++) {
        const ResultName *name = &r->results.at[i];
        bool there = ok && name->n <= n - given;
        scope_bind(r, name->name, there ? op_result(r->m, d->op, given) : POISON, name->n, name->at);
        if (ok && !there) {
            uint32_t total = 0;
            for (uint32_t k = d->results; k < r->results.n; k++) total += r->results.at[k].n;
            read_error(r, r->results.at[d->results].at, NULL, "%s has %u result%s, but %u %s named",
                       op_info[d->kind].name, n, plural(n), total, total == 1 ? "is" : "are");
            ok = false;
        }
        given += name->n;
    }
    if (ok && given < n && r->results.n > d->results)
        read_error(r, r->results.at[d->results].at, NULL, "%s has %u results, but %u %s named", op_info[d->kind].name,
                   n, given, given == 1 ? "is" : "are");
}

// op ::= results (op-name form | string generic) loc
static bool read_op(Reader *r, RegionId into) {
    Draft d = {.parent = into,
               .operands = r->operands.n,
               .types = r->types.n,
               .attrs = r->attrs.n,
               .regions = r->regions.n,
               .results = r->results.n,
               .op = NO_ID,
               .loc = NO_ID};
    uint32_t ints = r->ints.n, items = r->items.n, locs = r->locs.n, depth = r->depth;
    bool ok = read_results(r);
    uint32_t named = r->results.n;
    ok = ok && read_op_body(r, &d) && finish_op(r, &d);
    if (!ok) { // what was read so far may lie about
        r->depth = depth;
        r->ints.n = ints;
        r->items.n = items;
        r->locs.n = locs;
        r->results.n = named;
    }
    bind_results(r, &d, ok);
    r->operands.n = d.operands;
    r->types.n = d.types;
    r->attrs.n = d.attrs;
    r->regions.n = d.regions;
    r->results.n = d.results;
    return ok;
}

// Can an op, or the end of a region, begin with this byte?
static bool begins_op(char c) {
    return lex_is(c, LEX_LETTER) || c == '%' || c == '"' || c == '}' || c == '^' || c == 0;
}

// After an error in the op that begins at `start`: past the end of its last line. A region that it opens on the way is
// skipped with it; the '}' that ends the region around it is not.
static void skip_op(Reader *r, const char *start) {
    Lexer *l = &r->lex;
    const char *failed_at = l->at;
    int64_t depth = 0;
    for (l->at = start; l->at < l->end; l->at++) {
        char c = *l->at;
        Span s;
        bool escapes;
        if (c == '"') {
            if (lex_string(l, &s, &escapes) == LEX_OK) l->at--;
        } else if (c == '{') {
            depth++;
        } else if (c == '}') {
            if (depth == 0 && l->at >= failed_at) return;
            depth -= depth > 0;
        } else if (c == '\n' && depth == 0 && l->at >= failed_at) {
            if (begins_op(lex_peek(l))) return;
            l->at--;
        } else if (c == '/' && l->end - l->at > 1 && l->at[1] == '/') {
            const char *line = memchr(l->at, '\n', (size_t)(l->end - l->at));
            l->at = line ? line - 1 : l->end - 1;
        }
    }
}

// ops ::= op*          up to '}' or the end of the text
bool read_ops(Reader *r, RegionId into) {
    for (;;) {
        char c = lex_peek(&r->lex);
        if (c == '}' || r->lex.at == r->lex.end) return true;
        if (into == 0 && (c == '#' || c == '!' || c == '{'))
            return true; // an alias or a resource of a file without `module`
        const char *start = r->lex.at;
        if (c == '^')
            read_error(r, start, "control flow is stablehlo.case, stablehlo.if and stablehlo.while",
                       "a region has one block; this is a second one");
        if (c == '^' || !read_op(r, into)) {
            if (r->stop) return false;
            skip_op(r, start);
        }
        if (r->lex.at >= r->next_progress && !read_progress(r)) return false;
    }
}
