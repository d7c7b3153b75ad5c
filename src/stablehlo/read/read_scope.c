// Value names: which value %12 or %arg0 stands for where the text is read.
//
// JAX numbers most values, so numbers index an array; other names go through a hash table. A name stays in its table
// for good; only its binding comes and goes. What a region bound is taken back at its end:
//
//     %0 = stablehlo.while(%i = %c) … cond { %1 = … } do { %1 = … }    both may say %1; after them %1 is free
#include "stablehlo/read/read.h"

void scope_init(Reader *r) { idmap_init(&r->scope.word_map, &r->scratch); }

static bool known_word(const Scope *s, Span text, uint32_t hash, ValueName *name) {
    for (uint32_t p = hash, id; (id = idmap_probe(&s->word_map, hash, &p)) != IDMAP_END;)
        if (span_eq(s->words.at[id].text, text)) {
            *name = id | NAME_WORD;
            return true;
        }
    return false;
}

static ValueName find_value_name(Reader *r, Span text) {
    Scope *s = &r->scope;
    uint32_t hash = span_hash(text);
    ValueName name;
    if (known_word(s, text, hash, &name)) return name;
    vec_push(&r->scratch, &s->words, ((WordName){.text = text}));
    idmap_add(&s->word_map, hash, s->words.n - 1);
    return (s->words.n - 1) | NAME_WORD;
}

// The array may not be larger than the program is: a number above any that the text could need becomes a word, for
// good. (MLIR numbers the values of a region after those of the function around it, so early numbers can be high.)
static bool is_far(const Reader *r, uint32_t number) {
    enum { SHORTEST_OP = 32, ENOUGH = 1 << 20 };
    size_t ops = r->source->n / SHORTEST_OP;
    return number / 4 > r->m->values.n + 1024u && number > (ops < ENOUGH ? ops : ENOUGH);
}

static ValueName find_number(Reader *r, Span text, uint32_t number) {
    Scope *s = &r->scope;
    ValueName name;
    if (s->n_far && known_word(s, text, span_hash(text), &name)) return name;
    if (number < s->numbers.n) return number;
    if (is_far(r, number)) {
        s->n_far++;
        return find_value_name(r, text);
    }
    uint32_t more = number + number / 2 + 256 - s->numbers.n;
    Binding *unbound = vec_extend(&r->scratch, &s->numbers, more);
    memset(unbound, 0, more * sizeof *unbound);
    return number;
}

// value-name ::= '%' ([0-9]+ | [A-Za-z_$.-] [A-Za-z0-9_$.-]*)
bool read_value_name(Reader *r, ValueName *name) {
    Lexer *l = &r->lex;
    if (!lex_eat(l, '%')) return read_expected(r, "a value such as %0");
    const char *start = l->at, *p = start;
    if (p < l->end && lex_is(*p, LEX_DIGIT)) {
        uint32_t number = 0;
        for (; p < l->end && lex_is(*p, LEX_DIGIT); p++) number = number * 10 + (uint32_t)(*p - '0');
        Span text = {start, (size_t)(p - start)};
        l->at = p;
        if (!r->scope.n_far && number < r->scope.numbers.n && text.n < 9 && *start != '0')
            *name = number;
        else if (text.n < 9 && (*start != '0' || text.n == 1)) // %007 is not %7
            *name = find_number(r, text, number);
        else
            *name = find_value_name(r, text);
        return true;
    }
    p = lex_run(p, l->end, LEX_LETTER | LEX_DIGIT | LEX_MARK | LEX_DASH);
    if (p == start) return read_expected(r, "the name of a value");
    l->at = p;
    *name = find_value_name(r, (Span){start, (size_t)(p - start)});
    return true;
}

static Binding *binding_of(Scope *s, ValueName name) {
    return name & NAME_WORD ? &s->words.at[name & ~NAME_WORD].binding : &s->numbers.at[name];
}

static Span bound_word(const void *words, uint32_t i) {
    const WordName *w = (const WordName *)words + i;
    return w->binding.n ? w->text : (Span){"", 0};
}

// Does a line further down in this function begin with `%name` and go on as the left side of an op does?
static const char *defined_later(const Reader *r, Span name) {
    Lexer l = r->lex;
    while ((l.at = memchr(l.at, '\n', (size_t)(l.end - l.at)))) {
        lex_skip(&l);
        const char *at = l.at;
        if (lex_keyword(&l, "func.func")) return NULL;
        if (!lex_eat(&l, '%') || (size_t)(l.end - l.at) <= name.n || memcmp(l.at, name.at, name.n) != 0) continue;
        char next = l.at[name.n];
        if (next == ' ' || next == ':' || next == ',') return at;
    }
    return NULL;
}

static void undefined_value(Reader *r, Span name, const char *at) {
    const char *later = defined_later(r, name);
    Span near = later ? (Span){"", 0} : read_nearest(name, r->scope.words.at, r->scope.words.n, bound_word);
    Buffer hint;
    buf_init(&hint, &r->scratch);
    if (near.n) buf_format(&hint, "did you mean %%%.*s?", (int)near.n, near.at);
    read_error(r, at, near.n ? buf_cstr(&hint) : NULL,
               later ? "%%%.*s is used before its definition" : "%%%.*s is not defined", (int)name.n, name.at);
    if (later) read_note(r, later, "it is defined here");
}

// %12 in the middle of the text, bound, with nothing special about it: most uses are this.
static inline bool read_plain_value(Reader *r, ValueId *out) {
    const char *p = r->lex.at;
    if (r->lex.end - p < 12 || *p != '%' || !lex_is(p[1], LEX_DIGIT) || r->scope.n_far) return false;
    uint32_t number = 0;
    const char *digit = ++p;
    for (; lex_is(*p, LEX_DIGIT) && p - digit < 8; p++) number = number * 10 + (uint32_t)(*p - '0');
    if (*p == '#' || lex_is(*p, LEX_DIGIT) || *digit == '0' || number >= r->scope.numbers.n) return false;
    Binding b = r->scope.numbers.at[number];
    if (!b.n) return false;
    r->lex.at = p;
    *out = b.first;
    return true;
}

// value ::= value-name ('#' int)?
bool read_value(Reader *r, ValueId *out) {
    Lexer *l = &r->lex;
    lex_skip(l);
    if (read_plain_value(r, out)) return true;
    const char *at = l->at;
    ValueName name;
    if (!read_value_name(r, &name)) return false;
    Binding b = *binding_of(&r->scope, name);
    *out = b.first;
    if (!b.n) {
        Span text = {at + 1, (size_t)(l->at - at - 1)};
        undefined_value(r, text, at);
        scope_bind(r, name, POISON, 1, at);
        *out = POISON;
        b.first = POISON;
    }
    if (l->at == l->end || *l->at != '#') return true;
    l->at++;
    int64_t i;
    const char *number = l->at;
    if (!read_int(r, &i)) return false;
    if (b.first == POISON) return true;
    if (i < 0 || i >= (int64_t)b.n) {
        *out = POISON;
        read_error(r, number, NULL, "%.*s has %u result%s, there is no #%lld", (int)(number - 1 - at), at, b.n,
                   plural(b.n), (long long)i);
        return true;
    }
    *out = b.first + (uint32_t)i;
    return true;
}

// Where a value is defined, for notes; NULL for arguments.
static const char *place_of_value(const Reader *r, ValueId v) {
    const Value *value = &r->m->values.at[v];
    return value->is_arg ? NULL : r->source->text + op_get(r->m, value->owner)->source;
}

void scope_bind(Reader *r, ValueName name, ValueId first, uint32_t n, const char *at) {
    Binding *b = binding_of(&r->scope, name);
    if (b->n && b->first != POISON) {
        const char *end = at;
        while (end < r->lex.end && lex_is(*end == '%' ? '_' : *end, LEX_LETTER | LEX_DIGIT | LEX_MARK | LEX_DASH))
            end++;
        const char *first_place = place_of_value(r, b->first);
        read_error(r, at, "a value has one definition; give this one another name", "%.*s is already defined",
                   (int)(end - at), at);
        if (first_place) read_note(r, first_place, "the first definition is this");
        return;
    }
    if (!b->n) vec_push(&r->scratch, &r->scope.bound, name);
    *b = (Binding){first, n};
}

void scope_leave(Reader *r, uint32_t mark) {
    Scope *s = &r->scope;
    while (s->bound.n > mark) binding_of(s, s->bound.at[--s->bound.n])->n = 0;
}
