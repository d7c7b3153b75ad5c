// Locations: where an op came from in the user's program, and the aliases that name them.
//
//     %0 = stablehlo.add %a, %b : tensor<4xf32> loc(#loc3)
//     #loc1 = loc("model.py":12:8)
//     #loc3 = loc("jit(step)/mul"(#loc1))
//
// An alias may be used long before it is defined. Its first use makes an empty location, which the definition fills in;
// all uses share it.
#include "stablehlo/read/read.h"

Alias *alias_find(AliasTable *t, Span name) {
    uint32_t hash = span_hash(name);
    for (uint32_t p = hash, id; (id = idmap_probe(&t->map, hash, &p)) != IDMAP_END;)
        if (span_eq(t->at.at[id].name, name)) return &t->at.at[id];
    return NULL;
}

Alias *alias_add(Reader *r, AliasTable *t, Span name, uint32_t id, const char *at) {
    vec_push(&r->scratch, &t->at, ((Alias){.name = name, .id = id, .at = at}));
    idmap_add(&t->map, span_hash(name), t->at.n - 1);
    return &t->at.at[t->at.n - 1];
}

// Aliases of aliases stand for text that grows with a power of two: what they are worth in all is bounded, and with it all
// that is ever printed of them. Real programs write out a few times their own length.
bool alias_use(Reader *r, const Alias *alias, const char *at) {
    r->written_out += alias->weight;
    if (r->written_out <= ALIAS_MAX_BYTES + ALIAS_MAX_TIMES * (uint64_t)r->source->n) return true;
    return read_error(r, at, NULL, "with its aliases written out, the text would be more than %d times as long",
                      ALIAS_MAX_TIMES);
}

static LocId new_loc(Reader *r, LocKind kind) {
    return loc_add(r->m,
                   &(Loc){.kind = (uint8_t)kind, .name = NO_ID, .child = NO_ID, .other = NO_ID, .metadata = NO_ID});
}

// The number in `locN`, 0 for `loc`; UINT32_MAX for other names and for numbers above any count of locations in the
// text.
static uint32_t loc_number(const Reader *r, Span name) {
    if (name.n < 3 || name.n > 11 || memcmp(name.at, "loc", 3) != 0) return UINT32_MAX;
    uint32_t n = 0;
    for (size_t i = 3; i < name.n; i++) {
        if (!lex_is(name.at[i], LEX_DIGIT) || (i == 3 && name.at[i] == '0')) return UINT32_MAX;
        n = n * 10 + (uint32_t)(name.at[i] - '0');
    }
    return n < r->source->n / 4 ? n : UINT32_MAX;
}

static uint32_t find_loc_alias(Reader *r, Span name, const char *at) {
    uint32_t number = loc_number(r, name);
    AliasTable *t = &r->loc_aliases;
    if (number != UINT32_MAX) {
        if (number >= r->numbered_locs.n) {
            uint32_t old = r->numbered_locs.n, more = number + number / 2 + 64 - old;
            memset(vec_extend(&r->scratch, &r->numbered_locs, more), 0, more * sizeof(uint32_t));
        }
        uint32_t *place = &r->numbered_locs.at[number];
        if (!*place) {
            alias_add(r, t, name, new_loc(r, LOC_ALIAS), at);
            *place = t->at.n;
        }
        return *place - 1;
    }
    Alias *a = alias_find(t, name);
    if (!a) a = alias_add(r, t, name, new_loc(r, LOC_ALIAS), at);
    return (uint32_t)(a - t->at.at);
}

// line-column ::= int ':' int ('to' (int ':')? int)?          after the file and its ':'
static bool read_file_loc(Reader *r, Loc *l) {
    int64_t v[4] = {0}, *end_line = &v[2], *end_column = &v[3];
    const char *at = r->lex.at;
    if (!read_int(r, &v[0]) || !read_token(r, ':') || !read_int(r, &v[1])) return false;
    *end_line = v[0];
    *end_column = v[1];
    if (lex_keyword(&r->lex, "to")) {
        if (!lex_eat(&r->lex, ':') && (!read_int(r, end_line) || !read_token(r, ':'))) return false;
        if (!read_int(r, end_column)) return false;
    }
    for (int i = 0; i < 4; i++)
        if (v[i] < 0 || v[i] > UINT32_MAX) return read_error(r, at, NULL, "a line or column is out of range");
    l->kind = LOC_FILE;
    l->line = (uint32_t)v[0];
    l->column = (uint32_t)v[1];
    l->end_line = (uint32_t)v[2];
    l->end_column = (uint32_t)v[3];
    return true;
}

// name-loc ::= string ('(' loc-body ')')?          file-loc ::= string ':' line-column
static bool read_string_loc(Reader *r, Loc *l) {
    Span name;
    if (!read_string(r, &name)) return false;
    l->name = name_intern(r->m, name);
    if (lex_eat(&r->lex, ':')) return read_file_loc(r, l);
    l->kind = LOC_NAME;
    if (!lex_eat(&r->lex, '(')) return true;
    l->child = read_loc_body(r);
    return l->child != NO_ID && read_token(r, ')');
}

// callsite ::= 'callsite' '(' loc-body 'at' loc-body ')'
static bool read_callsite(Reader *r, Loc *l) {
    l->kind = LOC_CALLSITE;
    if (!read_token(r, '(') || (l->child = read_loc_body(r)) == NO_ID) return false;
    return read_keyword(r, "at") && (l->other = read_loc_body(r)) != NO_ID && read_token(r, ')');
}

// fused ::= 'fused' ('<' attr '>')? '[' (loc-body (',' loc-body)*)? ']'
static bool read_fused(Reader *r, Loc *l) {
    l->kind = LOC_FUSED;
    if (lex_eat(&r->lex, '<') && ((l->metadata = read_attr(r)) == NO_ID || !read_token(r, '>'))) return false;
    if (!read_token(r, '[')) return false;
    uint32_t first = r->locs.n;
    bool ok = true;
    if (!lex_eat(&r->lex, ']')) {
        do {
            LocId child = read_loc_body(r);
            if (child == NO_ID) ok = false;
            if (ok) vec_push(&r->scratch, &r->locs, child);
        } while (ok && lex_eat(&r->lex, ','));
        ok = ok && read_token(r, ']');
    }
    l->n_children = r->locs.n - first;
    LocId *children = arena_new(&r->m->arena, LocId, l->n_children);
    if (l->n_children) memcpy(children, r->locs.at + first, l->n_children * sizeof *children);
    l->children = children;
    r->locs.n = first;
    return ok;
}

static bool read_loc_kind(Reader *r, Loc *l) {
    if (lex_peek(&r->lex) == '"') return read_string_loc(r, l);
    if (lex_keyword(&r->lex, "callsite")) return read_callsite(r, l);
    if (lex_keyword(&r->lex, "fused")) return read_fused(r, l);
    if (lex_keyword(&r->lex, "unknown")) return true;
    // Another dialect's location: kept as text, in the place of the name.
    const char *start = r->lex.at;
    l->kind = LOC_OPAQUE;
    if (lex_peek(&r->lex) != '#' || read_attr(r) == NO_ID) return read_expected(r, "a location");
    l->name = name_intern(r->m, (Span){start, (size_t)(r->lex.at - start)});
    return true;
}

// loc-body ::= '#' alias | 'unknown' | name-loc | file-loc | callsite | fused
LocId read_loc_body(Reader *r) {
    Lexer *l = &r->lex;
    if (lex_peek(l) == '#') {
        Lexer alias = {l->at + 1, l->end};
        Span name = lex_word(&alias);
        bool dialect = !name.n || memchr(name.at, '.', name.n) || (alias.at < alias.end && *alias.at == '<');
        if (!dialect) {
            const char *at = l->at;
            l->at = alias.at;
            uint32_t place = find_loc_alias(r, name, at); // first: it may move the table
            return r->loc_aliases.at.at[place].id;
        }
    }
    if (!read_deeper(r)) return NO_ID;
    Loc loc = {.kind = LOC_UNKNOWN, .name = NO_ID, .child = NO_ID, .other = NO_ID, .metadata = NO_ID};
    bool ok = read_loc_kind(r, &loc);
    r->depth--;
    return ok ? loc_add(r->m, &loc) : NO_ID;
}

// loc ::= ('loc' '(' loc-body ')')?
bool read_optional_loc(Reader *r, LocId *out) {
    *out = NO_ID;
    if (lex_peek(&r->lex) != 'l' || !lex_keyword(&r->lex, "loc")) return true;
    if (!read_token(r, '(')) return false;
    *out = read_loc_body(r);
    return *out != NO_ID && read_token(r, ')');
}

// loc-alias ::= '#' word '=' 'loc' '(' loc-body ')'          The cursor stands after '('.
bool define_loc_alias(Reader *r, Span name, const char *at) {
    uint32_t place = find_loc_alias(r, name, at);
    if (r->loc_aliases.at.at[place].defined)
        return read_error(r, at, NULL, "#%.*s is already defined", (int)name.n, name.at);
    r->loc_aliases.at.at[place].defined = true;
    LocId value = read_loc_body(r), alias = r->loc_aliases.at.at[place].id;
    if (value == NO_ID || !read_token(r, ')')) {
        r->m->locs.at[alias].kind = LOC_UNKNOWN; // the error has been reported; its uses are no further ones
        return false;
    }
    const Loc *l = &r->m->locs.at[value];
    if (l->kind == LOC_ALIAS) // of an alias: settled when all are known
        r->m->locs.at[alias].child = value;
    else
        r->m->locs.at[alias] = *l;
    return true;
}

bool resolve_locs(Reader *r) {
    Loc *locs = r->m->locs.at;
    for (uint32_t i = 0; i < r->loc_aliases.at.n; i++) {
        const Alias *a = &r->loc_aliases.at.at[i];
        if (!a->defined) return read_error(r, a->at, NULL, "location #%.*s is not defined", (int)a->name.n, a->name.at);
    }
    for (uint32_t i = 0; i < r->loc_aliases.at.n; i++) {
        const Alias *a = &r->loc_aliases.at.at[i];
        LocId to = locs[a->id].kind == LOC_ALIAS ? locs[a->id].child : a->id;
        for (uint32_t steps = 0; locs[to].kind == LOC_ALIAS; to = locs[to].child)
            if (++steps > r->loc_aliases.at.n)
                return read_error(r, a->at, NULL, "location #%.*s is defined by itself", (int)a->name.n, a->name.at);
        // All on the way are settled too, so that no part of it is gone twice.
        for (LocId from = a->id, next; locs[from].kind == LOC_ALIAS; from = next) {
            next = locs[from].child;
            locs[from] = locs[to];
        }
    }
    return true;
}
