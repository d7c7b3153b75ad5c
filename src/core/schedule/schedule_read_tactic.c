// Reads tactics in schedules: manual ones, and automatic ones with the limits of their search.
//
//     tactic BP on batch { x : 0  params/** if rank >= 2 : first_divisible }
//     auto Rest on model { budget 10s  memory 16GiB }
#include "core/schedule/schedule_read.h"

static bool read_test(ScheduleReader *r, FilterTest *out) {
    static const struct {
        const char *text;
        FilterTest test;
    } tests[] = {{"==", TEST_EQ}, {"!=", TEST_NE}, {"<=", TEST_LE}, {">=", TEST_GE}, {"<", TEST_LT}, {">", TEST_GT}};
    skip_blank(r);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        size_t n = strlen(tests[i].text);
        if (r->source->n - r->at < n || memcmp(r->source->text + r->at, tests[i].text, n) != 0) continue;
        r->at += n;
        *out = tests[i].test;
        return true;
    }
    return fail_at(r, r->at, NULL, "expected one of == != < <= > >=, found %s", found_text(r));
}

// filter = ( "rank" test integer | "bytes" test bytes | "dtype" ("==" | "!=") name | "name" ("==" | "!=") pattern )
static bool read_filter(ScheduleReader *r, Filter *f) {
    skip_blank(r);
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
        return fail_at(r, start, NULL, "expected rank, bytes, dtype or name after 'if', found %s", found_text(r));
    skip_blank(r);
    size_t test = r->at;
    if (!read_test(r, &f->test)) return false;
    if (f->kind >= FILTER_DTYPE && f->test != TEST_EQ && f->test != TEST_NE)
        return fail_at(r, test, NULL, "a name can be compared with == or != alone");
    switch (f->kind) {
    case FILTER_RANK: return read_schedule_integer(r, &f->number, "a rank");
    case FILTER_BYTES: return read_schedule_bytes(r, &f->number);
    case FILTER_DTYPE:
        if (!read_schedule_name(r, &f->word, "an element type")) return false;
        if (elem_from_text(f->word.text) != EL_COUNT) return true;
        return fail_at(r, f->word.offset, "e.g. f32, bf16, i32", "there is no element type %.*s",
                       PRINTABLE(f->word.text));
    case FILTER_NAME: return read_schedule_pattern(r, &f->word, "a pattern");
    }
    return false;
}

// value = [ "-" ] integer | "first_divisible" | "replicated" | "unknown"
static bool read_line_value(ScheduleReader *r, TacticLine *line) {
    skip_blank(r);
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
        bool negative = word_peek(r) == '-' && is_digit(word_peek_at(r, r->at + 1));
        if (negative) r->at++;
        if (!is_digit(word_peek(r)))
            return fail_at(r, r->at, "a dimension, first_divisible, replicated or unknown",
                           "expected a value, found %s", found_text(r));
        if (!read_schedule_integer(r, &line->dim, "a dimension")) return false;
        if (negative) line->dim = -line->dim;
    }
    return true;
}

// selector = pattern [ "if" filter { "and" filter } ]
bool read_selector(ScheduleReader *r, TacticLine *line) {
    VEC(Filter) filters = {0};
    if (!read_schedule_pattern(r, &line->pattern, "a pattern")) return false;
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
    if (word_peek(r) == ',')
        return fail_at(r, r->at, "lines follow each other without commas: x : 0   y : 0", "expected a pattern, found ','");
    return read_selector(r, line) && expect_symbol(r, ":", "a line is written: pattern : value") &&
           read_line_value(r, line);
}

static bool new_tactic_name(ScheduleReader *r, Tactic *t) {
    if (!read_schedule_name(r, &t->name, "the name of the tactic")) return false;
    if (r->tactics.n == SCHEDULE_MAX_TACTICS)
        return fail_at(r, t->name.offset, NULL, "a schedule has at most %d tactics", SCHEDULE_MAX_TACTICS);
    for (uint32_t i = 0; i < r->tactics.n; i++)
        if (span_eq(r->tactics.at[i].name.text, t->name.text))
            return fail_at(r, t->name.offset, "reports name tactics: give each its own", "a second tactic %.*s",
                           PRINTABLE(t->name.text));
    return expect_symbol(r, "on", "a tactic is written: tactic BP on batch { x : 0 }");
}

// axis = name [ ":(" integer ")" integer ]
bool read_tactic_axis(ScheduleReader *r, Word *out) {
    static const char *const hint = "a part of an axis is written model:(1)2: chunks of more major parts, then its own";
    if (!read_schedule_name(r, out, "the name of an axis")) return false;
    if (word_peek(r) != ':') return true;
    r->at++;
    if (word_peek(r) != '(') return fail_at(r, r->at, hint, "expected '(', found %s", found_text(r));
    r->at++;
    size_t first = r->at;
    while (is_digit(word_peek(r))) r->at++;
    if (r->at == first || word_peek(r) != ')')
        return fail_at(r, r->at, hint, "expected a number and ')', found %s", found_text(r));
    size_t second = ++r->at;
    while (is_digit(word_peek(r))) r->at++;
    if (r->at == second) return fail_at(r, r->at, hint, "expected the size of the part, found %s", found_text(r));
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
bool read_tactic(ScheduleReader *r, size_t start) {
    (void)start;
    Tactic t = {0};
    if (!new_tactic_name(r, &t) || !read_tactic_axes(r, &t)) return false;
    skip_blank(r);
    size_t open = r->at;
    if (!expect_symbol(r, "{", "a tactic is written: tactic BP on batch { x : 0 }")) return false;
    VEC(TacticLine) lines = {0};
    while (!take_char(r, '}')) {
        TacticLine line = {0};
        if (word_at_end(r)) return fail_at(r, open, NULL, "this { is never closed");
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
    skip_blank(r);
    size_t start = r->at, end = start;
    while (is_digit(word_peek_at(r, end))) end++;
    bool timed = end == start || is_word_start(word_peek_at(r, end));
    if (timed ? !read_schedule_time(r, &t->budget_ms)
              : !read_schedule_integer(r, &t->budget_evaluations, "a number of evaluations"))
        return false;
    if (t->budget_ms || t->budget_evaluations) return true;
    return fail_at(r, start, "budget 1s, or a number of evaluations", "a search needs a budget above 0");
}

// option = "budget" budget | "memory" bytes | "seed" integer | "objective" ( "time" | "memory" ) | "leave" pattern
static bool read_option(ScheduleReader *r, Tactic *t, bool *said, Words *leave) {
    static const char *const words[] = {"budget", "memory", "seed", "objective", "leave"};
    skip_blank(r);
    size_t start = r->at;
    uint32_t k = 0;
    while (k < 5 && !take_keyword(r, words[k])) k++;
    if (k == 5)
        return fail_at(r, start, NULL, "expected budget, memory, seed, objective or leave, found %s", found_text(r));
    if (k < 4 && said[k]) return fail_at(r, start, NULL, "this is said twice");
    said[k] = true;
    Word pattern;
    switch (k) {
    case 0: return read_budget(r, t);
    case 1: return read_schedule_bytes(r, &t->memory_bytes);
    case 2: return read_schedule_integer(r, &t->seed, "a seed");
    case 3:
        t->least_memory = take_keyword(r, "memory");
        if (t->least_memory || take_keyword(r, "time")) return true;
        return fail_at(r, r->at, NULL, "expected time or memory, found %s", found_text(r));
    default:
        if (!read_schedule_pattern(r, &pattern, "a pattern of what is left alone")) return false;
        vec_push(r->arena, leave, pattern);
        return true;
    }
}

// auto = "auto" name "on" axes "{" { option } "}"
bool read_auto(ScheduleReader *r, size_t start) {
    (void)start;
    Tactic t = {.automatic = true};
    if (!new_tactic_name(r, &t) || !read_tactic_axes(r, &t)) return false;
    skip_blank(r);
    size_t open = r->at;
    if (!expect_symbol(r, "{", "an automatic tactic is written: auto Rest on model { budget 1s  memory 16GiB }"))
        return false;
    bool said[5] = {0};
    Words leave = {0};
    while (!take_char(r, '}')) {
        if (word_at_end(r)) return fail_at(r, open, NULL, "this { is never closed");
        if (!read_option(r, &t, said, &leave)) return false;
    }
    t.leave = leave.at;
    t.n_leave = leave.n;
    vec_push(r->arena, &r->tactics, t);
    return true;
}
