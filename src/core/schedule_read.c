// The reader of schedules: recursive descent, the grammar rule above each function, one caret error and out.
//
//     schedule  = { mesh | device | annotations | gathers | rules | tie | rule | tactic | auto | deny | expect }
#include "core/schedule.h"
#include "support/bytes.h"
#include "support/nearest.h"

typedef VEC(MeshAxis) MeshAxes;
typedef VEC(Word) Words;

typedef struct ScheduleReader {
    Context *ctx;
    Arena *arena;
    const Source *source;
    size_t at;
    MeshAxes axes;
    Word device;
    AnnotationMode annotations;
    bool trust_rules;
    GatherPolicy gathers;
    VEC(Tie) ties;
    VEC(UserRule) rules;
    VEC(Tactic) tactics;
    VEC(Demand) demands;
} ScheduleReader;

#define fail_at(r, offset, hint, ...) diag_error((r)->ctx, (r)->source, (offset), (hint), __VA_ARGS__)
#define PRINTABLE(s)                  ((s).n > 80 ? 80 : (int)(s).n), (s).at

// ---- Words ----------------------------------------------------------------------------------------------------------

static char peek_at(const ScheduleReader *r, size_t i) { return i < r->source->n ? r->source->text[i] : 0; }
static char peek(const ScheduleReader *r) { return peek_at(r, r->at); }
static bool at_end(const ScheduleReader *r) { return r->at >= r->source->n; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_word_start(char c) { return is_letter(c) || c == '_'; }

// Spaces, and comments from # or // to the end of the line. Both begin a comment only where a word could begin.
static void skip(ScheduleReader *r) {
    while (!at_end(r)) {
        if (is_space(peek(r))) {
            r->at++;
        } else if (peek(r) == '#' || (peek(r) == '/' && peek_at(r, r->at + 1) == '/')) {
            while (!at_end(r) && peek(r) != '\n') r->at++;
        } else {
            return;
        }
    }
}

static Word word_from(const ScheduleReader *r, size_t start) {
    return (Word){{r->source->text + start, r->at - start}, (uint32_t)start};
}

// What stands here, for "expected …, found …": a word, a symbol, or the end.
static const char *found(ScheduleReader *r) {
    if (at_end(r)) return "the end";
    size_t start = r->at, n = 1;
    Buffer b;
    buf_init(&b, r->arena);
    if (is_word_start(peek(r)) || is_digit(peek(r)))
        while (is_word_start(peek_at(r, start + n)) || is_digit(peek_at(r, start + n))) n++;
    if (peek(r) < 0x20 || peek(r) == 0x7f)
        buf_format(&b, "byte 0x%02x", (unsigned char)peek(r));
    else
        buf_format(&b, "'%.*s'", PRINTABLE(((Span){r->source->text + start, n})));
    return buf_cstr(&b);
}

static bool take_char(ScheduleReader *r, char c) {
    skip(r);
    if (at_end(r) || peek(r) != c) return false;
    r->at++;
    return true;
}

static bool expect_symbol(ScheduleReader *r, const char *symbol, const char *hint) {
    skip(r);
    size_t n = strlen(symbol);
    if (r->source->n - r->at >= n && memcmp(r->source->text + r->at, symbol, n) == 0) {
        r->at += n;
        return true;
    }
    return fail_at(r, r->at, hint, "expected '%s', found %s", symbol, found(r));
}

// name = letter { letter | digit | '-' | '.' }, without a final '-' or '.' and with no '->' inside
static bool read_schedule_name(ScheduleReader *r, Word *out, const char *what) {
    skip(r);
    size_t start = r->at;
    if (!is_word_start(peek(r))) return fail_at(r, r->at, NULL, "expected %s, found %s", what, found(r));
    while (!at_end(r)) {
        char c = peek(r), next = peek_at(r, r->at + 1);
        bool inner = (c == '-' || c == '.') && (is_word_start(next) || is_digit(next));
        if (!is_word_start(c) && !is_digit(c) && !inner) break;
        r->at++;
    }
    *out = word_from(r, start);
    return true;
}

// Whether the next word is `keyword`; takes it if so.
static bool take_keyword(ScheduleReader *r, const char *keyword) {
    skip(r);
    size_t n = strlen(keyword);
    if (r->source->n - r->at < n || memcmp(r->source->text + r->at, keyword, n) != 0) return false;
    char next = peek_at(r, r->at + n);
    if (is_word_start(next) || is_digit(next)) return false;
    r->at += n;
    return true;
}

// string = '"' { any byte but '"' and line end } '"'
static bool read_schedule_string(ScheduleReader *r, Word *out) {
    skip(r);
    size_t start = r->at;
    if (peek(r) != '"') return fail_at(r, r->at, NULL, "expected a name in quotes, found %s", found(r));
    r->at++;
    while (!at_end(r) && peek(r) != '"' && peek(r) != '\n') r->at++;
    if (peek(r) != '"') return fail_at(r, start, NULL, "this quote is never closed");
    *out = (Word){{r->source->text + start + 1, r->at - start - 1}, (uint32_t)start + 1};
    r->at++;
    return true;
}

// pattern = string | bytes up to a space, ':' or a '}' that closes no '{' of its own (patterns.h says what they mean)
static bool read_pattern(ScheduleReader *r, Word *out, const char *what) {
    skip(r);
    if (peek(r) == '"') {
        if (!read_schedule_string(r, out)) return false;
    } else {
        size_t start = r->at, depth = 0;
        for (; !at_end(r) && !is_space(peek(r)) && peek(r) != ':'; r->at++) {
            if (peek(r) == '}' && depth == 0) break;
            if (peek(r) == '{') depth++;
            if (peek(r) == '}') depth--;
        }
        *out = word_from(r, start);
        if (out->text.n == 0) return fail_at(r, r->at, NULL, "expected %s, found %s", what, found(r));
        if (depth > 0 && is_space(peek(r)))
            return fail_at(r, start, "write {a,b} without spaces, or quote the pattern",
                           "a { of this pattern is never closed");
    }
    size_t where;
    const char *problem = pattern_problem(out->text, &where);
    return !problem || fail_at(r, out->offset + where, NULL, "this is no pattern: %s", problem);
}

static bool read_integer(ScheduleReader *r, int64_t *out, const char *what) {
    skip(r);
    size_t start = r->at;
    if (!is_digit(peek(r))) return fail_at(r, r->at, NULL, "expected %s, found %s", what, found(r));
    *out = 0;
    for (; is_digit(peek(r)); r->at++) {
        int64_t digit = peek(r) - '0';
        if (*out > (INT64_MAX - digit) / 10) return fail_at(r, start, NULL, "this number is too large");
        *out = *out * 10 + digit;
    }
    return true;
}

// number unit, with no space between them
static bool read_quantity(ScheduleReader *r, int64_t (*unit_of)(Span), const char *what, const char *hint,
                          int64_t *out) {
    if (!read_integer(r, out, what)) return false;
    size_t start = r->at;
    while (is_word_start(peek(r))) r->at++;
    Word name = word_from(r, start);
    int64_t unit = unit_of(name.text);
    if (!unit)
        return fail_at(r, start, hint, "expected a unit after the number, found %s", name.text.n ? "another" : "none");
    if (*out > INT64_MAX / unit) return fail_at(r, start, NULL, "this number is too large");
    *out *= unit;
    return true;
}

// bytes = integer ( B | KiB | MiB | GiB | TiB | kB | MB | GB | TB )
static bool read_bytes(ScheduleReader *r, int64_t *out) {
    return read_quantity(r, byte_unit, "a number of bytes such as 16GiB", "one of " BYTE_UNITS, out);
}

static int64_t time_unit(Span name) {
    return span_is(name, "ms") ? 1 : span_is(name, "s") ? 1000 : span_is(name, "min") ? 60000 : 0;
}

// time = integer ( ms | s | min )
static bool read_time(ScheduleReader *r, int64_t *out) {
    return read_quantity(r, time_unit, "a time such as 10s", "one of ms, s, min", out);
}

// ---- mesh, device, tie ----------------------------------------------------------------------------------------------

// mesh = "mesh" name "=" integer { "," name "=" integer }
static bool read_mesh_line(ScheduleReader *r, size_t start) {
    if (r->axes.n > 0) return fail_at(r, start, NULL, "a second mesh line");
    int64_t devices = 1;
    do {
        MeshAxis axis;
        if (!read_schedule_name(r, &axis.name, "the name of an axis")) return false;
        for (uint32_t i = 0; i < r->axes.n; i++)
            if (span_eq(r->axes.at[i].name.text, axis.name.text))
                return fail_at(r, axis.name.offset, NULL, "axis %.*s is in the mesh twice", PRINTABLE(axis.name.text));
        if (!expect_symbol(r, "=", "a mesh is written batch=4, model=2")) return false;
        skip(r);
        size_t at = r->at;
        if (!read_integer(r, &axis.size, "the size of the axis")) return false;
        if (axis.size < 1) return fail_at(r, at, NULL, "an axis has at least one device");
        if (axis.size > MESH_MAX_DEVICES / devices)
            return fail_at(r, at, NULL, "the mesh has more than %d devices", MESH_MAX_DEVICES);
        devices *= axis.size;
        vec_push(r->arena, &r->axes, axis);
    } while (take_char(r, ','));
    return true;
}

// device = "device" name
static bool read_device(ScheduleReader *r, size_t start) {
    if (r->device.text.n > 0) return fail_at(r, start, NULL, "a second device line");
    return read_schedule_name(r, &r->device, "the name of a device");
}

// gathers = "gathers" ( "per_use" | "shared" | "weights_per_use" )
static bool read_gathers(ScheduleReader *r, size_t start) {
    (void)start;
    for (uint32_t k = 0; k < sizeof gather_policies / sizeof *gather_policies; k++)
        if (take_keyword(r, gather_policies[k])) {
            r->gathers = (GatherPolicy)k;
            return true;
        }
    return fail_at(r, r->at,
                   "per_use: one for each use; shared: one for all uses, the whole value lives between them; "
                   "weights_per_use: arguments one for each use, what is computed once",
                   "expected 'per_use', 'shared' or 'weights_per_use', found %s", found(r));
}

// annotations = "annotations" ( "apply" | "ignore" | "error" )
static bool read_annotations(ScheduleReader *r, size_t start) {
    (void)start;
    for (uint32_t k = 0; k < sizeof annotation_modes / sizeof *annotation_modes; k++)
        if (take_keyword(r, annotation_modes[k])) {
            r->annotations = (AnnotationMode)k;
            return true;
        }
    return fail_at(r, r->at, "apply: they are tactics before the schedule's; ignore: they are dropped",
                   "expected 'apply', 'ignore' or 'error', found %s", found(r));
}

// rules = "rules" "trust"
static bool read_rules(ScheduleReader *r, size_t start) {
    (void)start;
    r->trust_rules = true;
    return expect_symbol(r, "trust", "`rules trust` takes the sdy.sharding_rule of custom calls for their rules");
}

// A path as it is, without wildcards: { any byte but space and braces }
static bool read_path(ScheduleReader *r, Word *out) {
    if (!read_pattern(r, out, "a path")) return false;
    for (size_t i = 0; i < out->text.n; i++)
        if (strchr("*{}", out->text.at[i]))
            return fail_at(r, out->offset + i,
                           "a tie names the roots of two subtrees; all below them with equal tails is tied",
                           "a tie takes no pattern");
    return true;
}

// tie = "tie" path "->" path
static bool read_tie(ScheduleReader *r, size_t start) {
    (void)start;
    Tie tie;
    if (!read_path(r, &tie.from) || !expect_symbol(r, "->", "a tie is written: tie params -> out/0") ||
        !read_path(r, &tie.to))
        return false;
    vec_push(r->arena, &r->ties, tie);
    return true;
}

// ---- tactic ---------------------------------------------------------------------------------------------------------

static bool read_test(ScheduleReader *r, FilterTest *out) {
    static const struct {
        const char *text;
        FilterTest test;
    } tests[] = {{"==", TEST_EQ}, {"!=", TEST_NE}, {"<=", TEST_LE}, {">=", TEST_GE}, {"<", TEST_LT}, {">", TEST_GT}};
    skip(r);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        size_t n = strlen(tests[i].text);
        if (r->source->n - r->at < n || memcmp(r->source->text + r->at, tests[i].text, n) != 0) continue;
        r->at += n;
        *out = tests[i].test;
        return true;
    }
    return fail_at(r, r->at, NULL, "expected one of == != < <= > >=, found %s", found(r));
}

// filter = ( "rank" test integer | "bytes" test bytes | "dtype" ("==" | "!=") name | "name" ("==" | "!=") pattern )
static bool read_filter(ScheduleReader *r, Filter *f) {
    skip(r);
    size_t start = r->at;
    if (take_keyword(r, "rank"))
        f->kind = FILTER_RANK;
    else if (take_keyword(r, "bytes"))
        f->kind = FILTER_BYTES;
    else if (take_keyword(r, "dtype"))
        f->kind = FILTER_DTYPE;
    else if (take_keyword(r, "name"))
        f->kind = FILTER_NAME;
    else
        return fail_at(r, start, NULL, "expected rank, bytes, dtype or name after 'if', found %s", found(r));
    skip(r);
    size_t test = r->at;
    if (!read_test(r, &f->test)) return false;
    if (f->kind >= FILTER_DTYPE && f->test != TEST_EQ && f->test != TEST_NE)
        return fail_at(r, test, NULL, "a name can be compared with == or != alone");
    switch (f->kind) {
    case FILTER_RANK: return read_integer(r, &f->number, "a rank");
    case FILTER_BYTES: return read_bytes(r, &f->number);
    case FILTER_DTYPE:
        if (!read_schedule_name(r, &f->word, "an element type")) return false;
        if (elem_from_text(f->word.text) != EL_COUNT) return true;
        return fail_at(r, f->word.offset, "e.g. f32, bf16, i32", "there is no element type %.*s",
                       PRINTABLE(f->word.text));
    case FILTER_NAME: return read_pattern(r, &f->word, "a pattern");
    }
    return false;
}

// value = [ "-" ] integer | "first_divisible" | "replicated" | "unknown"
static bool read_line_value(ScheduleReader *r, TacticLine *line) {
    skip(r);
    line->value_offset = (uint32_t)r->at;
    line->dim = 0;
    if (take_keyword(r, "first_divisible"))
        line->value = LINE_FIRST_DIVISIBLE;
    else if (take_keyword(r, "replicated"))
        line->value = LINE_REPLICATED;
    else if (take_keyword(r, "unknown"))
        line->value = LINE_UNKNOWN;
    else {
        line->value = LINE_DIM;
        bool negative = peek(r) == '-' && is_digit(peek_at(r, r->at + 1));
        if (negative) r->at++;
        if (!is_digit(peek(r)))
            return fail_at(r, r->at, "a dimension, first_divisible, replicated or unknown",
                           "expected a value, found %s", found(r));
        if (!read_integer(r, &line->dim, "a dimension")) return false;
        if (negative) line->dim = -line->dim;
    }
    return true;
}

// selector = pattern [ "if" filter { "and" filter } ]
static bool read_selector(ScheduleReader *r, TacticLine *line) {
    VEC(Filter) filters = {0};
    if (!read_pattern(r, &line->pattern, "a pattern")) return false;
    if (take_keyword(r, "if")) do {
            Filter f = {0};
            if (!read_filter(r, &f)) return false;
            vec_push(r->arena, &filters, f);
        } while (take_keyword(r, "and"));
    line->filters = filters.at;
    line->n_filters = filters.n;
    return true;
}

// line = selector ":" value
static bool read_tactic_line(ScheduleReader *r, TacticLine *line) {
    return read_selector(r, line) && expect_symbol(r, ":", "a line is written: pattern : value") &&
           read_line_value(r, line);
}

static bool new_tactic_name(ScheduleReader *r, Tactic *t) {
    if (!read_schedule_name(r, &t->name, "the name of the tactic")) return false;
    for (uint32_t i = 0; i < r->tactics.n; i++)
        if (span_eq(r->tactics.at[i].name.text, t->name.text))
            return fail_at(r, t->name.offset, "reports name tactics: give each its own", "a second tactic %.*s",
                           PRINTABLE(t->name.text));
    return expect_symbol(r, "on", "a tactic is written: tactic BP on batch { x : 0 }");
}

// axis = name [ ":(" integer ")" integer ]
static bool read_tactic_axis(ScheduleReader *r, Word *out) {
    static const char *const hint = "a part of an axis is written model:(1)2: chunks of more major parts, then its own";
    if (!read_schedule_name(r, out, "the name of an axis")) return false;
    if (peek(r) != ':') return true;
    r->at++;
    if (peek(r) != '(') return fail_at(r, r->at, hint, "expected '(', found %s", found(r));
    r->at++;
    size_t first = r->at;
    while (is_digit(peek(r))) r->at++;
    if (r->at == first || peek(r) != ')') return fail_at(r, r->at, hint, "expected a number and ')', found %s", found(r));
    size_t second = ++r->at;
    while (is_digit(peek(r))) r->at++;
    if (r->at == second) return fail_at(r, r->at, hint, "expected the size of the part, found %s", found(r));
    *out = (Word){{out->text.at, (size_t)(r->source->text + r->at - out->text.at)}, out->offset};
    return true;
}

// axes = axis { "," axis }
static bool read_tactic_axes(ScheduleReader *r, Tactic *t) {
    VEC(Word) axes = {0};
    do {
        Word axis;
        if (!read_tactic_axis(r, &axis)) return false;
        for (uint32_t i = 0; i < axes.n; i++)
            if (span_eq(axes.at[i].text, axis.text))
                return fail_at(r, axis.offset, NULL, "axis %.*s is named twice", PRINTABLE(axis.text));
        vec_push(r->arena, &axes, axis);
    } while (take_char(r, ','));
    t->axes = axes.at;
    t->n_axes = axes.n;
    return true;
}

// tactic = "tactic" name "on" axes "{" { line } "}"
static bool read_tactic(ScheduleReader *r, size_t start) {
    (void)start;
    Tactic t = {0};
    if (!new_tactic_name(r, &t) || !read_tactic_axes(r, &t)) return false;
    skip(r);
    size_t open = r->at;
    if (!expect_symbol(r, "{", NULL)) return false;
    VEC(TacticLine) lines = {0};
    while (!take_char(r, '}')) {
        TacticLine line = {0};
        if (at_end(r)) return fail_at(r, open, NULL, "this { is never closed");
        if (!read_tactic_line(r, &line)) return false;
        vec_push(r->arena, &lines, line);
    }
    t.lines = lines.at;
    t.n_lines = lines.n;
    vec_push(r->arena, &r->tactics, t);
    return true;
}

// budget = integer | time: evaluations, or how long
static bool read_budget(ScheduleReader *r, Tactic *t) {
    skip(r);
    size_t start = r->at, end = start;
    while (is_digit(peek_at(r, end))) end++;
    bool timed = end == start || is_word_start(peek_at(r, end));
    if (timed ? !read_time(r, &t->budget_ms) : !read_integer(r, &t->budget_evaluations, "a number of evaluations"))
        return false;
    if (t->budget_ms || t->budget_evaluations) return true;
    return fail_at(r, start, "budget 1s, or a number of evaluations", "a search needs a budget above 0");
}

// option = "budget" budget | "memory" bytes | "seed" integer | "objective" ( "time" | "memory" ) | "leave" pattern
static bool read_option(ScheduleReader *r, Tactic *t, bool *said, Words *leave) {
    static const char *const words[] = {"budget", "memory", "seed", "objective", "leave"};
    skip(r);
    size_t start = r->at;
    uint32_t k = 0;
    while (k < 5 && !take_keyword(r, words[k])) k++;
    if (k == 5) return fail_at(r, start, NULL, "expected budget, memory, seed, objective or leave, found %s", found(r));
    if (k < 4 && said[k]) return fail_at(r, start, NULL, "this is said twice");
    said[k] = true;
    Word pattern;
    switch (k) {
    case 0: return read_budget(r, t);
    case 1: return read_bytes(r, &t->memory_bytes);
    case 2: return read_integer(r, &t->seed, "a seed");
    case 3:
        t->least_memory = take_keyword(r, "memory");
        if (t->least_memory || take_keyword(r, "time")) return true;
        return fail_at(r, r->at, NULL, "expected time or memory, found %s", found(r));
    default:
        if (!read_pattern(r, &pattern, "a pattern of what is left alone")) return false;
        vec_push(r->arena, leave, pattern);
        return true;
    }
}

// auto = "auto" name "on" axes "{" { option } "}"
static bool read_auto(ScheduleReader *r, size_t start) {
    (void)start;
    Tactic t = {.automatic = true};
    if (!new_tactic_name(r, &t) || !read_tactic_axes(r, &t)) return false;
    skip(r);
    size_t open = r->at;
    if (!expect_symbol(r, "{", "an automatic tactic is written: auto Rest on model { budget 1s  memory 16GiB }"))
        return false;
    bool said[5] = {0};
    Words leave = {0};
    while (!take_char(r, '}')) {
        if (at_end(r)) return fail_at(r, open, NULL, "this { is never closed");
        if (!read_option(r, &t, said, &leave)) return false;
    }
    t.leave = leave.at;
    t.n_leave = leave.n;
    vec_push(r->arena, &r->tactics, t);
    return true;
}

// ---- rule -----------------------------------------------------------------------------------------------------------

static const Word *find_schedule_word(const Words *words, Span name) {
    for (uint32_t i = 0; i < words->n; i++)
        if (span_eq(words->at[i].text, name)) return &words->at[i];
    return NULL;
}

// tensor = { name | "(" { name } ")" }; ends before a "," or a ")" of its own level. As text again: "b (h k)".
static bool read_rule_tensor(ScheduleReader *r, Span *out, Words *names) {
    Words here = {0};
    Buffer text;
    buf_init(&text, r->arena);
    bool in_group = false;
    for (;;) {
        Word name;
        skip(r);
        if (peek(r) == ',' || (peek(r) == ')' && !in_group)) break;
        bool separate = text.n > 0 && text.at[text.n - 1] != '(' && peek(r) != ')';
        if (separate) buf_char(&text, ' ');
        if (take_char(r, '(')) {
            if (in_group) return fail_at(r, r->at - 1, NULL, "a group within a group");
            in_group = true;
            buf_char(&text, '(');
        } else if (take_char(r, ')')) {
            in_group = false;
            buf_char(&text, ')');
        } else {
            if (!read_schedule_name(r, &name, "the name of a factor")) return false;
            if (find_schedule_word(&here, name.text))
                return fail_at(r, name.offset, NULL, "%.*s is twice in one tensor", PRINTABLE(name.text));
            vec_push(r->arena, &here, name);
            vec_push(r->arena, names, name);
            buf_span(&text, name.text);
        }
    }
    if (in_group) return fail_at(r, r->at, NULL, "expected ')', found %s", found(r));
    *out = (Span){text.at, text.n};
    return true;
}

// tensors = "(" [ tensor { "," tensor } ] ")"
static bool read_tensors(ScheduleReader *r, Words *names, uint32_t *n, const Span **out) {
    VEC(Span) tensors = {0};
    if (!expect_symbol(r, "(", "a rule is written: rule \"f\" : (b s, s d) -> (b d) reduction(s)")) return false;
    if (!take_char(r, ')')) {
        do {
            Span tensor;
            if (!read_rule_tensor(r, &tensor, names)) return false;
            vec_push(r->arena, &tensors, tensor);
        } while (take_char(r, ','));
        if (!expect_symbol(r, ")", NULL)) return false;
    }
    *n = tensors.n;
    *out = tensors.at;
    return true;
}

// names = "(" name { "," name } ")"
static bool read_factor_list(ScheduleReader *r, Words *out) {
    if (!expect_symbol(r, "(", NULL)) return false;
    do {
        Word name;
        if (!read_schedule_name(r, &name, "the name of a factor")) return false;
        vec_push(r->arena, out, name);
    } while (take_char(r, ','));
    return expect_symbol(r, ")", NULL);
}

static const Span *spans_of(ScheduleReader *r, const Words *words) {
    Span *spans = arena_new(r->arena, Span, words->n);
    for (uint32_t i = 0; i < words->n; i++) spans[i] = words->at[i].text;
    return spans;
}

// What must hold of the names whatever the shapes: soundness rests on it.
static bool check_rule(ScheduleReader *r, const Words *in, const Words *out, const Words *reduced, const Words *whole) {
    for (uint32_t i = 0; i < reduced->n; i++) {
        Word w = reduced->at[i];
        if (!find_schedule_word(in, w.text))
            return fail_at(r, w.offset, NULL, "%.*s is in no operand", PRINTABLE(w.text));
        if (find_schedule_word(out, w.text))
            return fail_at(r, w.offset, NULL, "%.*s is in a result, so that it is not reduced", PRINTABLE(w.text));
        if (find_schedule_word(whole, w.text))
            return fail_at(r, w.offset, NULL, "%.*s cannot be both reduced and whole", PRINTABLE(w.text));
    }
    for (uint32_t i = 0; i < whole->n; i++) {
        Word w = whole->at[i];
        if (!find_schedule_word(in, w.text) && !find_schedule_word(out, w.text))
            return fail_at(r, w.offset, NULL, "%.*s is in no tensor", PRINTABLE(w.text));
    }
    for (uint32_t i = 0; i < in->n; i++) {
        Word w = in->at[i];
        if (!find_schedule_word(out, w.text) && !find_schedule_word(reduced, w.text) &&
            !find_schedule_word(whole, w.text))
            return fail_at(r, w.offset,
                           "say reduction(…) if results on chunks of it add up, whole(…) if it may not be cut",
                           "%.*s is in no result", PRINTABLE(w.text));
    }
    return true;
}

// rule = "rule" string ":" tensors "->" tensors [ "reduction" names ] [ "whole" names ]
static bool read_rule(ScheduleReader *r, size_t start) {
    (void)start;
    Word target;
    Words in = {0}, out = {0}, reduced = {0}, whole = {0};
    const Span *operands, *results;
    UserRule rule = {0};
    if (!read_schedule_string(r, &target) ||
        !expect_symbol(r, ":", "a rule is written: rule \"f\" : (b s, s d) -> (b d) reduction(s)"))
        return false;
    for (uint32_t i = 0; i < r->rules.n; i++)
        if (span_eq(r->rules.at[i].target, target.text))
            return fail_at(r, target.offset, NULL, "a second rule for %.*s", PRINTABLE(target.text));
    if (!read_tensors(r, &in, &rule.n_operands, &operands) || !expect_symbol(r, "->", NULL) ||
        !read_tensors(r, &out, &rule.n_results, &results))
        return false;
    if (take_keyword(r, "reduction") && !read_factor_list(r, &reduced)) return false;
    if (take_keyword(r, "whole") && !read_factor_list(r, &whole)) return false;
    if (!check_rule(r, &in, &out, &reduced, &whole)) return false;

    Span *tensors = arena_new(r->arena, Span, (uint64_t)rule.n_operands + rule.n_results);
    for (uint32_t i = 0; i < rule.n_operands; i++) tensors[i] = operands[i];
    for (uint32_t i = 0; i < rule.n_results; i++) tensors[rule.n_operands + i] = results[i];
    rule.target = target.text;
    rule.tensors = tensors;
    rule.n_reduction = reduced.n;
    rule.reduction = spans_of(r, &reduced);
    rule.n_whole = whole.n;
    rule.whole = spans_of(r, &whole);
    vec_push(r->arena, &r->rules, rule);
    return true;
}

// ---- deny, expect ----------------------------------------------------------------------------------------------------

static int64_t flop_unit(Span name) {
    static const char *const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"};
    int64_t flops = 1;
    for (int i = 0; i < 5; i++, flops *= 1000)
        if (span_is(name, units[i])) return flops;
    return 0;
}

static bool read_flops(ScheduleReader *r, int64_t *out) {
    return read_quantity(r, flop_unit, "a number of FLOPs such as 1GFLOP", "one of FLOP, kFLOP, MFLOP, GFLOP, TFLOP",
                         out);
}

// collective = "all_gather" | "all_reduce" | "reduce_scatter" | "all_to_all" | "collective_permute" | "collective"
static bool read_collective(ScheduleReader *r, Word *out) {
    static const char *const kinds[] = {"all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute",
                                        "collective"};
    if (!read_schedule_name(r, out, "a collective, conflict or replicated")) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (span_is(out->text, kinds[i])) return true;
    const char *near = nearest_name(out->text, kinds, sizeof kinds / sizeof *kinds);
    return fail_at(r, out->offset, near ? near : "all_gather, all_reduce, reduce_scatter, all_to_all, collective_permute or collective",
                   "there is no collective %.*s", PRINTABLE(out->text));
}

// where = [ "on" axis { "," axis } ] [ "in" pattern ] [ "above" bytes ]
static bool read_where(ScheduleReader *r, Demand *d) {
    if (take_keyword(r, "on")) {
        Words axes = {0};
        do {
            Word axis;
            if (!read_tactic_axis(r, &axis)) return false;
            vec_push(r->arena, &axes, axis);
        } while (take_char(r, ','));
        d->n_axes = axes.n;
        d->axes = axes.at;
    }
    if (take_keyword(r, "in") && !read_pattern(r, &d->in, "a pattern")) return false;
    return !take_keyword(r, "above") || read_bytes(r, &d->above);
}

// deny = "deny" ( collective where | "conflict" | "replicated" [ "above" flops ] )
static bool read_deny(ScheduleReader *r, size_t start) {
    Demand d = {.kind = DENY_COLLECTIVE, .offset = (uint32_t)start};
    if (take_keyword(r, "conflict")) {
        d.kind = DENY_CONFLICT;
    } else if (take_keyword(r, "replicated")) {
        d.kind = DENY_REPLICATED;
        if (take_keyword(r, "above") && !read_flops(r, &d.above)) return false;
    } else if (!read_collective(r, &d.collective) || !read_where(r, &d)) {
        return false;
    }
    vec_push(r->arena, &r->demands, d);
    return true;
}

// expect = "expect" collective integer where
static bool read_expect(ScheduleReader *r, size_t start) {
    Demand d = {.kind = EXPECT_COLLECTIVE, .offset = (uint32_t)start};
    if (!read_collective(r, &d.collective) || !read_integer(r, &d.count, "how many")) return false;
    if (!read_where(r, &d)) return false;
    vec_push(r->arena, &r->demands, d);
    return true;
}

// ---- schedule -------------------------------------------------------------------------------------------------------

static const struct Statement {
    const char *keyword;
    bool (*read)(ScheduleReader *r, size_t start);
} statements[] = {{"mesh", read_mesh_line},  {"device", read_device},
                  {"gathers", read_gathers}, {"tie", read_tie},
                  {"tactic", read_tactic},   {"auto", read_auto},
                  {"rule", read_rule},       {"deny", read_deny},
                  {"expect", read_expect},   {"annotations", read_annotations},
                  {"rules", read_rules}};

static bool read_statement(ScheduleReader *r) {
    const char *keywords[sizeof statements / sizeof *statements];
    uint32_t n = sizeof statements / sizeof *statements;
    size_t start = r->at;
    for (uint32_t i = 0; i < n; i++) {
        if (take_keyword(r, statements[i].keyword)) return statements[i].read(r, start);
        keywords[i] = statements[i].keyword;
    }
    while (is_word_start(peek(r))) r->at++;
    const char *near = nearest_name(word_from(r, start).text, keywords, n);
    r->at = start;
    return fail_at(r, start, near ? near : "a schedule is made of mesh, device, annotations, gathers, rules, tie, rule, tactic, auto, deny and expect",
                   "expected a statement, found %s", found(r));
}

bool selector_read(Context *ctx, Arena *a, const Source *source, TacticLine *out) {
    ScheduleReader r = {.ctx = ctx, .arena = a, .source = source};
    if (source->n > UINT32_MAX) return diag_error(ctx, source, 0, NULL, "a pattern of more than 4 GiB");
    *out = (TacticLine){0};
    if (!read_selector(&r, out)) return false;
    skip(&r);
    return at_end(&r) || fail_at(&r, r.at, "a path with a space or a colon is written in quotes",
                                 "expected 'if' or the end of the pattern, found %s", found(&r));
}

bool schedule_read(Context *ctx, Arena *a, const Source *source, Schedule *out) {
    ScheduleReader r = {.ctx = ctx, .arena = a, .source = source};
    if (source->n > UINT32_MAX) return diag_error(ctx, source, 0, NULL, "a schedule of more than 4 GiB");
    for (skip(&r); !at_end(&r); skip(&r))
        if (!read_statement(&r)) return false;
    *out = (Schedule){.source = source,
                      .n_axes = r.axes.n,
                      .axes = r.axes.at,
                      .device = r.device,
                      .annotations = r.annotations,
                      .trust_rules = r.trust_rules,
                      .gathers = r.gathers,
                      .n_ties = r.ties.n,
                      .ties = r.ties.at,
                      .n_rules = r.rules.n,
                      .rules = r.rules.at,
                      .n_tactics = r.tactics.n,
                      .tactics = r.tactics.at,
                      .n_demands = r.demands.n,
                      .demands = r.demands.at};
    return true;
}
