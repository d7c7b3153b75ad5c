// The words of schedules: names, strings, patterns, numbers with units.
#include "core/schedule/schedule_read.h"
#include "support/bytes.h"

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Spaces, and comments from # or // to the end of the line. Both begin a comment only where a word could begin.
void skip_blank(ScheduleReader *r) {
    while (!word_at_end(r)) {
        if (is_space(word_peek(r))) {
            r->at++;
        } else if (word_peek(r) == '#' || (word_peek(r) == '/' && word_peek_at(r, r->at + 1) == '/')) {
            while (!word_at_end(r) && word_peek(r) != '\n') r->at++;
        } else {
            return;
        }
    }
}

Word word_since(const ScheduleReader *r, size_t start) {
    return (Word){{r->source->text + start, r->at - start}, (uint32_t)start};
}

// What stands here, for "expected …, found …": a word, a symbol, or the end.
const char *found_text(ScheduleReader *r) {
    if (word_at_end(r)) return "the end";
    size_t start = r->at, n = 1;
    Buffer b;
    buf_init(&b, r->arena);
    if (is_word_start(word_peek(r)) || is_digit(word_peek(r)))
        while (is_word_start(word_peek_at(r, start + n)) || is_digit(word_peek_at(r, start + n))) n++;
    if (word_peek(r) < 0x20 || word_peek(r) == 0x7f)
        buf_format(&b, "byte 0x%02x", (unsigned char)word_peek(r));
    else
        buf_format(&b, "'%.*s'", PRINTABLE(((Span){r->source->text + start, n})));
    return buf_cstr(&b);
}

bool take_char(ScheduleReader *r, char c) {
    skip_blank(r);
    if (word_at_end(r) || word_peek(r) != c) return false;
    r->at++;
    return true;
}

bool expect_symbol(ScheduleReader *r, const char *symbol, const char *hint) {
    skip_blank(r);
    size_t n = strlen(symbol);
    if (r->source->n - r->at >= n && memcmp(r->source->text + r->at, symbol, n) == 0) {
        r->at += n;
        return true;
    }
    return fail_at(r, r->at, hint, "expected '%s', found %s", symbol, found_text(r));
}

// name = letter { letter | digit | '-' | '.' }, without a final '-' or '.' and with no '->' inside
bool read_schedule_name(ScheduleReader *r, Word *out, const char *what) {
    skip_blank(r);
    size_t start = r->at;
    if (!is_word_start(word_peek(r))) return fail_at(r, r->at, NULL, "expected %s, found %s", what, found_text(r));
    while (!word_at_end(r)) {
        char c = word_peek(r), next = word_peek_at(r, r->at + 1);
        bool inner = (c == '-' || c == '.') && (is_word_start(next) || is_digit(next));
        if (!is_word_start(c) && !is_digit(c) && !inner) break;
        r->at++;
    }
    *out = word_since(r, start);
    return true;
}

// Whether the next word is `keyword`; takes it if so.
bool take_keyword(ScheduleReader *r, const char *keyword) {
    skip_blank(r);
    size_t n = strlen(keyword);
    if (r->source->n - r->at < n || memcmp(r->source->text + r->at, keyword, n) != 0) return false;
    char next = word_peek_at(r, r->at + n);
    if (is_word_start(next) || is_digit(next)) return false;
    r->at += n;
    return true;
}

// string = '"' { any byte but '"' and line end } '"'
bool read_schedule_string(ScheduleReader *r, Word *out) {
    skip_blank(r);
    size_t start = r->at;
    if (word_peek(r) != '"') return fail_at(r, r->at, NULL, "expected a name in quotes, found %s", found_text(r));
    r->at++;
    while (!word_at_end(r) && word_peek(r) != '"' && word_peek(r) != '\n') r->at++;
    if (word_peek(r) != '"') return fail_at(r, start, NULL, "this quote is never closed");
    *out = (Word){{r->source->text + start + 1, r->at - start - 1}, (uint32_t)start + 1};
    r->at++;
    return true;
}

// pattern = string | bytes up to a space, ':' or a '}' that closes no '{' of its own (patterns.h says what they mean)
bool read_schedule_pattern(ScheduleReader *r, Word *out, const char *what) {
    skip_blank(r);
    if (word_peek(r) == '"') {
        if (!read_schedule_string(r, out)) return false;
    } else {
        size_t start = r->at, depth = 0;
        for (; !word_at_end(r) && !is_space(word_peek(r)) && word_peek(r) != ':'; r->at++) {
            if (word_peek(r) == '}' && depth == 0) break;
            if (word_peek(r) == '{') depth++;
            if (word_peek(r) == '}') depth--;
        }
        *out = word_since(r, start);
        if (out->text.n == 0) return fail_at(r, r->at, NULL, "expected %s, found %s", what, found_text(r));
        if (depth > 0 && is_space(word_peek(r)))
            return fail_at(r, start, "write {a,b} without spaces, or quote the pattern",
                           "a { of this pattern is never closed");
    }
    size_t where;
    const char *problem = pattern_problem(out->text, &where);
    return !problem || fail_at(r, out->offset + where, NULL, "this is no pattern: %s", problem);
}

bool read_schedule_integer(ScheduleReader *r, int64_t *out, const char *what) {
    skip_blank(r);
    size_t start = r->at;
    if (!is_digit(word_peek(r))) return fail_at(r, r->at, NULL, "expected %s, found %s", what, found_text(r));
    *out = 0;
    for (; is_digit(word_peek(r)); r->at++) {
        int64_t digit = word_peek(r) - '0';
        if (*out > (INT64_MAX - digit) / 10) return fail_at(r, start, NULL, "this number is too large");
        *out = *out * 10 + digit;
    }
    return true;
}

// number unit, with no space between them
bool read_schedule_quantity(ScheduleReader *r, int64_t (*unit_of)(Span), const char *what, const char *hint,
                            int64_t *out) {
    if (!read_schedule_integer(r, out, what)) return false;
    size_t start = r->at;
    while (is_word_start(word_peek(r))) r->at++;
    Word name = word_since(r, start);
    int64_t unit = unit_of(name.text);
    if (!unit)
        return fail_at(r, start, hint, "expected a unit after the number, found %s", name.text.n ? "another" : "none");
    if (*out > INT64_MAX / unit) return fail_at(r, start, NULL, "this number is too large");
    *out *= unit;
    return true;
}

// bytes = integer ( B | KiB | MiB | GiB | TiB | kB | MB | GB | TB )
bool read_schedule_bytes(ScheduleReader *r, int64_t *out) {
    return read_schedule_quantity(r, byte_unit, "a number of bytes such as 16GiB", "one of " BYTE_UNITS, out);
}

static int64_t time_unit(Span name) {
    return span_is(name, "ms") ? 1 : span_is(name, "s") ? 1000 : span_is(name, "min") ? 60000 : 0;
}

// time = integer ( ms | s | min )
bool read_schedule_time(ScheduleReader *r, int64_t *out) {
    return read_schedule_quantity(r, time_unit, "a time such as 10s", "one of ms, s, min", out);
}
