// The module around the ops: `module @name attributes {…} { … }`, aliases, resources; and how errors are told.
//
// Reading is one pass of recursive descent over the text: each function stands under the rule of the grammar
// that it reads. An error in an op is reported, the op skipped, and what it would have defined stands for anything, so
// that the errors that follow are errors of their own.
#include "stablehlo/print/printer.h"
#include "stablehlo/read/read.h"
#include "support/nearest.h"

// ---- Errors --------------------------------------------------------------------------------------------------------

bool read_error(Reader *r, const char *at, const char *hint, const char *fmt, ...) {
    if (r->stop) return false;
    va_list ap;
    va_start(ap, fmt);
    const char *message = text_vformat(&r->scratch, fmt, ap);
    va_end(ap);
    diag_error(r->m->ctx, r->source, (size_t)(at - r->source->text), hint, "%s", message);
    if (++r->n_errors < READ_MAX_ERRORS) return false;
    r->stop = true;
    return diag_note(r->m->ctx, r->source, NO_OFFSET, NULL, "more than %d errors: reading stops here",
                     READ_MAX_ERRORS - 1);
}

void read_note(Reader *r, const char *at, const char *fmt, ...) {
    if (r->stop) return;
    va_list ap;
    va_start(ap, fmt);
    const char *message = text_vformat(&r->scratch, fmt, ap);
    va_end(ap);
    diag_note(r->m->ctx, r->source, (size_t)(at - r->source->text), NULL, "%s", message);
}

bool read_expected(Reader *r, const char *what) {
    Lexer l = r->lex;
    lex_skip(&l);
    const char *at = l.at;
    if (at == l.end) {
        read_error(r, at, NULL, "expected %s, but the text ends here", what);
        r->stop = true; // whatever else is open ends here too
        return false;
    }
    if (lex_is(*at, LEX_LETTER | LEX_DIGIT))
        while (l.at < l.end && l.at - at < 40 && lex_is(*l.at, LEX_LETTER | LEX_DIGIT | LEX_MARK)) l.at++;
    else
        l.at++;
    unsigned char c = (unsigned char)*at;
    if (c < 0x20 || c >= 0x7f) return read_error(r, at, NULL, "expected %s, found the byte 0x%02X", what, c);
    return read_error(r, at, NULL, "expected %s, found '%.*s'", what, (int)(l.at - at), at);
}

bool read_deeper(Reader *r) {
    if (r->depth < READ_MAX_DEPTH) return ++r->depth, true;
    return read_error(r, r->lex.at, NULL, "nested more than %d deep", READ_MAX_DEPTH);
}

const char *read_type_name(Reader *r, TypeId t) {
    Buffer b;
    buf_init(&b, &r->scratch);
    print_type(r->m, t, &b);
    return buf_cstr(&b);
}

Span read_nearest(Span name, const void *names, uint32_t n, NextName *next) {
    enum { MOST = 10000 }; // names to look at: a hint may not cost more than the reading
    Span nearest = {"", 0};
    uint32_t limit = name.n < 4 ? 1 : name.n < 8 ? 2 : 3;
    for (uint32_t i = 0; i < n && i < MOST && limit; i++) {
        Span candidate = next(names, i);
        uint32_t distance = candidate.n ? edit_distance(name, candidate, limit) : limit + 1;
        if (distance > limit) continue;
        nearest = candidate;
        limit = distance - (distance > 0);
    }
    return nearest;
}

bool read_progress(Reader *r) {
    enum { STEP = 1 << 20 };
    const char *at = r->lex.at, *text = r->source->text;
    r->next_progress = r->lex.end - at > STEP ? at + STEP : r->lex.end;
    if (ctx_progress(r->m->ctx, "read", (uint64_t)(at - text), r->source->n)) return true;
    r->stop = true;
    r->n_errors++;
    return false;
}

// ---- The module ----------------------------------------------------------------------------------------------------

// alias ::= '#' word '=' (loc | attr) | '!' word '=' type
static bool read_alias(Reader *r) {
    Lexer *l = &r->lex;
    const char *at = l->at;
    bool is_type = *l->at++ == '!';
    Span name;
    if (!read_word(r, "the name of an alias", &name) || !read_token(r, '=')) return false;
    lex_skip(l);
    Lexer loc = *l;
    if (!is_type && lex_keyword(&loc, "loc") && lex_eat(&loc, '(')) {
        *l = loc;
        return define_loc_alias(r, name, at);
    }
    AliasTable *t = is_type ? &r->type_aliases : &r->attr_aliases;
    const char *start = l->at;
    uint64_t before = r->written_out;
    uint32_t id = is_type ? read_type(r) : read_attr(r);
    if (id == NO_ID) return false;
    uint64_t weight = (uint64_t)(l->at - start) + (r->written_out - before);
    if (alias_find(t, name)) return read_error(r, at, NULL, "%c%.*s is already defined", *at, (int)name.n, name.at);
    alias_add(r, t, name, id, at)->weight = weight;
    return true;
}

static void set_module_attrs(Reader *r, uint32_t first) {
    attrs_sort(r, first);
    uint32_t n = 0;
    NamedAttr *attrs = arena_new(&r->m->arena, NamedAttr, r->attrs.n - first);
    for (uint32_t i = first; i < r->attrs.n; i++) {
        const Attr *value = attr_get(r->m, r->attrs.at[i].value);
        if (r->attrs.at[i].name == A_sym_name && value->kind == ATTR_STRING)
            r->m->symbol = name_intern(r->m, value->text);
        else
            attrs[n++] = r->attrs.at[i];
    }
    r->m->module_attrs = attrs;
    r->m->n_module_attrs = n;
    r->attrs.n = first;
}

// module ::= ('module' | 'builtin.module') symbol? ('attributes' dict)? '{' ops '}' loc
static bool read_pretty_module(Reader *r) {
    Lexer *l = &r->lex;
    uint32_t first = r->attrs.n;
    if (lex_peek(l) == '@') {
        Span name;
        if (!read_symbol(r, &name)) return false;
        r->m->symbol = name_intern(r->m, name);
    }
    if (lex_keyword(l, "attributes") && !read_attr_dict(r)) return false;
    set_module_attrs(r, first);
    return read_token(r, '{') && read_ops(r, 0) && read_token(r, '}') && read_optional_loc(r, &r->m->loc);
}

// module ::= '"builtin.module"' '(' ')' ('<' dict '>')? '(' '{' ('^' name ':')? ops '}' ')' dict? ':' '(' ')' '->' '('
// ')' loc
static bool read_generic_module(Reader *r) {
    Lexer *l = &r->lex;
    uint32_t first = r->attrs.n;
    if (!read_token(r, '(') || !read_token(r, ')')) return false;
    if (lex_eat(l, '<') && (!read_attr_dict(r) || !read_token(r, '>'))) return false;
    if (!read_token(r, '(') || !read_token(r, '{')) return false;
    if (lex_eat(l, '^')) {
        lex_word(l);
        if (!read_token(r, ':')) return false;
    }
    if (!read_ops(r, 0) || !read_token(r, '}') || !read_token(r, ')') || !read_optional_dict(r)) return false;
    set_module_attrs(r, first);
    return read_token(r, ':') && read_token(r, '(') && read_token(r, ')') && read_arrow(r) && read_token(r, '(') &&
           read_token(r, ')') && read_optional_loc(r, &r->m->loc);
}

// blob ::= (word | string) ':' '"0x' hex '"'
static bool read_blob(Reader *r, NameId dialect, struct Resource *out) {
    Lexer *l = &r->lex;
    Span key;
    if (lex_peek(l) == '"' ? !read_string(r, &key) : !read_word(r, "the name of a resource", &key)) return false;
    if (!read_token(r, ':')) return false;
    if (!lex_literal(l, "\"0x")) return read_expected(r, "a string of hex digits, \"0x…\"");
    const char *hex = l->at;
    l->at = lex_hex_end(hex, l->end);
    *out = (struct Resource){dialect, name_intern(r->m, key), {hex, (size_t)(l->at - hex)}};
    if (out->hex.n < 8 || out->hex.n % 2)
        return read_error(r, hex, NULL, "a resource has 4 bytes of alignment and then its bytes");
    return read_token(r, '"');
}

// resources ::= '{-#' ('dialect_resources' ':' '{' word ':' '{' blob,* '}',* '}' | word ':' '{' … '}'),* '#-}'
static bool read_resources(Reader *r) {
    Lexer *l = &r->lex;
    VEC(struct Resource) found = {0};
    do {
        Span section;
        if (!read_word(r, "a section such as dialect_resources", &section) || !read_token(r, ':')) return false;
        if (!span_is(section, "dialect_resources")) { // external_resources: of no concern to the program
            if (!lex_balanced(l)) return read_error(r, section.at, NULL, "this section does not end");
            continue;
        }
        if (!read_token(r, '{')) return false;
        do {
            Span dialect;
            if (!read_word(r, "a dialect", &dialect) || !read_token(r, ':') || !read_token(r, '{')) return false;
            NameId name = name_intern(r->m, dialect);
            while (lex_peek(l) != '}') {
                struct Resource blob;
                if (!read_blob(r, name, &blob)) return false;
                vec_push(&r->m->arena, &found, blob);
                if (!lex_eat(l, ',')) break;
            }
            if (!read_token(r, '}')) return false;
        } while (lex_eat(l, ','));
        if (!read_token(r, '}')) return false;
    } while (lex_eat(l, ','));
    r->m->resources = found.at;
    r->m->n_resources = found.n;
    return lex_literal(l, "#-}") || read_expected(r, "'#-}'");
}

static bool read_whole_module(Reader *r, bool generic, const char *at, bool first) {
    if (!first || r->m->ops.n) return read_error(r, at, NULL, "a file holds one module");
    return generic ? read_generic_module(r) : read_pretty_module(r);
}

// file ::= (alias | resources | module | op)*
static bool read_file(Reader *r) {
    Lexer *l = &r->lex;
    bool seen_module = false;
    for (;;) {
        char c = lex_peek(l);
        const char *at = l->at;
        bool ok = true;
        if (at == l->end) return resolve_locs(r) && r->n_errors == 0;
        bool pretty = lex_keyword(l, "module") || lex_keyword(l, "builtin.module");
        bool generic = lex_literal(l, "\"builtin.module\"");
        if (pretty || generic) {
            if (!read_whole_module(r, generic, at, !seen_module)) return false;
            seen_module = true;
        } else if (c == '#' || c == '!') {
            ok = read_alias(r);
        } else if (lex_literal(l, "{-#")) {
            ok = read_resources(r);
        } else if (seen_module) {
            return read_error(r, at, NULL, "only aliases and resources may follow the module");
        } else if (c == '}' || c == '{') {
            ok = read_error(r, at, NULL, "this '%c' belongs to nothing", c);
        } else {
            ok = read_ops(r, 0);
        }
        if (r->stop) return false;
        if (ok) continue;
        const char *line_end = memchr(l->at, '\n', (size_t)(l->end - l->at));
        l->at = line_end ? line_end : l->end;
    }
}

// ---- Ways in -------------------------------------------------------------------------------------------------------

void reader_init(Reader *r, Module *m, const Source *source) {
    *r = (Reader){
        .m = m, .source = source, .lex = {source->text, source->text + source->n}, .next_progress = source->text};
    arena_init(&r->scratch, m->ctx);
    scope_init(r);
    IdMap *maps[] = {&r->attr_aliases.map, &r->type_aliases.map, &r->loc_aliases.map, &r->symbols};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) idmap_init(maps[i], &r->scratch);
    vec_open(&r->scratch, &r->operands);
    vec_open(&r->scratch, &r->types);
    vec_open(&r->scratch, &r->attrs);
    vec_open(&r->scratch, &r->regions);
    vec_open(&r->scratch, &r->results);
    vec_open(&r->scratch, &r->ints);
    vec_open(&r->scratch, &r->items);
    vec_open(&r->scratch, &r->locs);
    r->type_cache = arena_zalloc(&r->scratch, TYPE_CACHE * sizeof *r->type_cache);
    r->op_cache = arena_zalloc(&r->scratch, OP_CACHE * sizeof *r->op_cache);
}

bool read_module(Module *m) {
    m->loc = NO_ID;
    if (m->source.n > UINT32_MAX)
        return diag_error(m->ctx, &m->source, NO_OFFSET, NULL, "texts above 4 GiB are not supported");
    if (m->source.n >= 4 && memcmp(m->source.text, "ML\xEFR", 4) == 0)
        return diag_error(m->ctx, &m->source, NO_OFFSET, "write it as text, with as_text() or mlir-opt",
                          "this is MLIR bytecode, not text");
    Reader r;
    reader_init(&r, m, &m->source);
    bool ok = read_file(&r);
    arena_free(&r.scratch);
    return ok;
}
