// Text: byte spans that point into something else, and a growing output buffer.
#ifndef PARTIR_SUPPORT_TEXT_H
#define PARTIR_SUPPORT_TEXT_H

#include "support/arena.h"
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

typedef struct Span {
    const char *at;
    size_t n;
} Span;

#define SPAN(literal) ((Span){(literal), sizeof(literal) - 1})
static inline Span span_of(const char *s) { return (Span){s, strlen(s)}; }
static inline bool span_eq(Span a, Span b) { return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0); }
static inline bool span_is(Span a, const char *s) { return span_eq(a, span_of(s)); }
uint32_t span_hash(Span s);

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline int hex_digit(char c) { // -1 if it is none
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

typedef struct Buffer {
    Arena *arena;
    char *at;
    size_t n, cap;
} Buffer;

void buf_init(Buffer *b, Arena *a);
void buf_put(Buffer *b, const char *s, size_t n);
void buf_char(Buffer *b, char c);
void buf_int(Buffer *b, int64_t v);
void buf_uint(Buffer *b, uint64_t v);
void buf_format(Buffer *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *text_vformat(Arena *a, const char *fmt, va_list ap); // lives as long as the arena
static inline void buf_span(Buffer *b, Span s) { buf_put(b, s.at, s.n); }
static inline void buf_str(Buffer *b, const char *s) { buf_put(b, s, strlen(s)); }
static inline const char *plural(int64_t n) { return n == 1 ? "" : "s"; } // "%u op%s": 1 op, 2 ops
// A name that a program or a file brings, for a place within a line: control characters as Python writes them (\n, \x1b).
void buf_name(Buffer *b, Span name);
const char *buf_cstr(Buffer *b); // NUL-terminated view, valid until the next write

size_t utf8_size(const char *text, size_t left); // bytes of the UTF-8 character at its front; 0 if there is none

// Text for people: what a terminal would obey (control characters but tab, and but newline if lines are kept) becomes
// spaces, bytes that are no UTF-8 question marks. What a program holds may be anything.
void text_make_printable(char *text, size_t n, bool keep_lines);
bool text_is_printable(const char *text, size_t n, bool keep_lines); // nothing in it would be changed

#endif
