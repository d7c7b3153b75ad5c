// Text: hashing of spans and the output buffer.
#include "support/text.h"
#include "support/guard.h"
#include <stdio.h>

// A product's low bits know only the low bits of its factors: the high half, where all have met, is folded down each time.
static uint64_t mix_word(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
}

uint32_t span_hash(Span s) {
    uint64_t h = s.n, word = 0;
    const char *p = s.at;
    size_t n = s.n;
    for (; n > 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        h = mix_word(h, word);
    }
    word = 0;
    if (n) memcpy(&word, p, n);
    return (uint32_t)mix_word(mix_word(h, word), 0);
}

void buf_init(Buffer *b, Arena *a) { *b = (Buffer){.arena = a}; }

static void reserve_bytes(Buffer *b, size_t more) {
    if (more <= b->cap - b->n) return;
    size_t cap = b->cap + b->cap / 2 + 64;
    if (cap < b->n + more) cap = b->n + more;
    if (cap < b->n) guard_out_of_memory(b->arena->ctx);
    b->at = arena_grow(b->arena, b->at, b->cap, cap);
    b->cap = cap;
}

void buf_put(Buffer *b, const char *s, size_t n) {
    if (!n) return;
    reserve_bytes(b, n);
    memcpy(b->at + b->n, s, n);
    b->n += n;
}

void buf_char(Buffer *b, char c) {
    reserve_bytes(b, 1);
    b->at[b->n++] = c;
}

void buf_uint(Buffer *b, uint64_t v) {
    char digits[20];
    size_t n = sizeof digits;
    do digits[--n] = (char)('0' + v % 10);
    while (v /= 10);
    buf_put(b, digits + n, sizeof digits - n);
}

void buf_int(Buffer *b, int64_t v) {
    if (v < 0) buf_char(b, '-');
    buf_uint(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void buf_vformat(Buffer *b, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    reserve_bytes(b, 128);
    int n = vsnprintf(b->at + b->n, b->cap - b->n, fmt, ap);
    if (n > 0 && (size_t)n >= b->cap - b->n) {
        reserve_bytes(b, (size_t)n + 1);
        vsnprintf(b->at + b->n, b->cap - b->n, fmt, again);
    }
    va_end(again);
    if (n > 0) b->n += (size_t)n;
}

const char *text_vformat(Arena *a, const char *fmt, va_list ap) {
    Buffer b;
    buf_init(&b, a);
    buf_vformat(&b, fmt, ap);
    return buf_cstr(&b);
}

void buf_format(Buffer *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    buf_vformat(b, fmt, ap);
    va_end(ap);
}

void buf_name(Buffer *b, Span name) {
    static const char *const escapes[] = {['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r"};
    for (size_t i = 0, start = 0; i <= name.n; i++) {
        unsigned char c = i < name.n ? (unsigned char)name.at[i] : 0;
        if (i < name.n && c >= 0x20 && c != 0x7f) continue;
        if (i > start) buf_put(b, name.at + start, i - start);
        start = i + 1;
        if (i == name.n) return;
        if (c <= '\r' && escapes[c])
            buf_str(b, escapes[c]);
        else
            buf_format(b, "\\x%02x", c);
    }
}

const char *buf_cstr(Buffer *b) {
    reserve_bytes(b, 1);
    b->at[b->n] = 0;
    return b->at;
}

size_t utf8_size(const char *text, size_t left) {
    const unsigned char *s = (const unsigned char *)text;
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    if (n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    // What fewer bytes could say, surrogates, and what lies beyond U+10FFFF.
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)) return 0;
    return n;
}

// The bytes of the next character, 0 if it is none, and whether a terminal would obey it instead of showing it.
static size_t next_character(const char *text, size_t left, bool keep_lines, bool *obeyed) {
    const unsigned char *s = (const unsigned char *)text;
    *obeyed = false;
    if (s[0] >= 0x20 && s[0] < 0x7f) return 1; // nearly all
    size_t size = utf8_size(text, left);
    *obeyed = size == 0 || (size == 1 && s[0] != '\t' && !(keep_lines && s[0] == '\n')) ||
              (size == 2 && s[0] == 0xc2 && s[1] < 0xa0) || // U+0080 to U+009F: controls too
              (size == 3 && s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) || // ends of lines, other directions
                                             (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9)));
    return size;
}

bool text_is_printable(const char *text, size_t n, bool keep_lines) {
    bool obeyed = false;
    for (size_t i = 0; i < n && !obeyed;) i += next_character(text + i, n - i, keep_lines, &obeyed);
    return !obeyed;
}

void text_make_printable(char *text, size_t n, bool keep_lines) {
    for (size_t i = 0; i < n;) {
        bool obeyed;
        size_t size = next_character(text + i, n - i, keep_lines, &obeyed);
        if (obeyed) memset(text + i, size ? ' ' : '?', size ? size : 1);
        i += size ? size : 1;
    }
}
