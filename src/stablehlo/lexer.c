// Lexer: what is too large or too rare to stand inline in lexer.h.
#include "stablehlo/lexer.h"

#define SP LEX_SPACE
#define DI (LEX_DIGIT | LEX_HEX)
#define HX (LEX_LETTER | LEX_HEX)
#define LE LEX_LETTER
#define MK LEX_MARK
const uint8_t lex_class[256] = {
    ['\t'] = SP, ['\n'] = SP, ['\r'] = SP, [' '] = SP, ['/'] = SP, ['$'] = MK, ['.'] = MK, ['-'] = LEX_DASH, ['0'] = DI,
    ['1'] = DI,  ['2'] = DI,  ['3'] = DI,  ['4'] = DI, ['5'] = DI, ['6'] = DI, ['7'] = DI, ['8'] = DI,       ['9'] = DI,
    ['_'] = LE,  ['a'] = HX,  ['b'] = HX,  ['c'] = HX, ['d'] = HX, ['e'] = HX, ['f'] = HX, ['g'] = LE,       ['h'] = LE,
    ['i'] = LE,  ['j'] = LE,  ['k'] = LE,  ['l'] = LE, ['m'] = LE, ['n'] = LE, ['o'] = LE, ['p'] = LE,       ['q'] = LE,
    ['r'] = LE,  ['s'] = LE,  ['t'] = LE,  ['u'] = LE, ['v'] = LE, ['w'] = LE, ['x'] = LE, ['y'] = LE,       ['z'] = LE,
    ['A'] = HX,  ['B'] = HX,  ['C'] = HX,  ['D'] = HX, ['E'] = HX, ['F'] = HX, ['G'] = LE, ['H'] = LE,       ['I'] = LE,
    ['J'] = LE,  ['K'] = LE,  ['L'] = LE,  ['M'] = LE, ['N'] = LE, ['O'] = LE, ['P'] = LE, ['Q'] = LE,       ['R'] = LE,
    ['S'] = LE,  ['T'] = LE,  ['U'] = LE,  ['V'] = LE, ['W'] = LE, ['X'] = LE, ['Y'] = LE, ['Z'] = LE,
};

void lex_skip_space(Lexer *l) {
    const char *p = l->at, *end = l->end;
    while (p < end && lex_is(*p, LEX_SPACE)) {
        if (*p != '/') {
            do p++;
            while (p < end && *p == ' ');
        } else if (end - p > 1 && p[1] == '/') {
            p = memchr(p, '\n', (size_t)(end - p));
            if (!p) p = end;
        } else {
            break;
        }
    }
    l->at = p;
}

bool lex_keyword_(Lexer *l, const char *word, size_t n) {
    lex_skip(l);
    if ((size_t)(l->end - l->at) < n || memcmp(l->at, word, n) != 0) return false;
    const char *p = l->at + n;
    if (p < l->end && lex_is(*p, LEX_LETTER | LEX_DIGIT | LEX_MARK)) return false;
    l->at = p;
    return true;
}

LexStatus lex_int(Lexer *l, int64_t *out) {
    lex_skip(l);
    const char *p = l->at;
    bool negative = p < l->end && *p == '-';
    if (negative) p++;
    if (p == l->end || !lex_is(*p, LEX_DIGIT)) return LEX_NONE;
    uint64_t v = 0, limit = (uint64_t)INT64_MAX + negative;
    bool overflow = false;
    for (; p < l->end && lex_is(*p, LEX_DIGIT); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > (limit - digit) / 10) overflow = true;
        v = v * 10 + digit;
    }
    l->at = p;
    *out = (int64_t)(negative ? 0 - v : v);
    return overflow ? LEX_OVERFLOW : LEX_OK;
}

static const char *digits(const char *p, const char *end) {
    while (p < end && lex_is(*p, LEX_DIGIT)) p++;
    return p;
}

Span lex_number(Lexer *l, bool *is_float) {
    lex_skip(l);
    const char *start = l->at, *p = start, *end = l->end;
    *is_float = false;
    if (p < end && *p == '-') p++;
    if (p == end || !lex_is(*p, LEX_DIGIT)) return (Span){start, 0};
    if (end - p > 2 && p[0] == '0' && p[1] == 'x' && lex_is(p[2], LEX_HEX)) {
        p = lex_hex_end(p + 2, end);
    } else {
        p = digits(p, end);
        if (p < end && *p == '.') {
            *is_float = true;
            p = digits(p + 1, end);
            const char *e = p;
            if (e < end && (*e == 'e' || *e == 'E')) {
                e++;
                if (e < end && (*e == '+' || *e == '-')) e++;
                if (e < end && lex_is(*e, LEX_DIGIT)) p = digits(e, end);
            }
        }
    }
    l->at = p;
    return (Span){start, (size_t)(p - start)};
}

LexStatus lex_string(Lexer *l, Span *raw, bool *escapes) {
    if (lex_peek(l) != '"') return LEX_NONE;
    const char *start = l->at + 1, *p = start;
    *escapes = false;
    for (; p < l->end && *p != '"' && *p != '\n'; p++)
        if (*p == '\\') {
            *escapes = true;
            if (l->end - p > 1) p++;
        }
    if (p >= l->end || *p != '"') return LEX_OVERFLOW;
    *raw = (Span){start, (size_t)(p - start)};
    l->at = p + 1;
    return LEX_OK;
}

static int hex_value(char c) { return lex_is(c, LEX_DIGIT) ? c - '0' : (c | 0x20) - 'a' + 10; }

const char *lex_unescape(Arena *a, Span raw, size_t *n) {
    char *out = arena_alloc(a, raw.n + 1);
    size_t k = 0;
    for (size_t i = 0; i < raw.n; i++) {
        if (raw.at[i] != '\\') {
            out[k++] = raw.at[i];
            continue;
        }
        if (++i == raw.n) return NULL;
        char c = raw.at[i];
        if (c == '\\' || c == '"') {
            out[k++] = c;
        } else if (lex_is(c, LEX_HEX) && i + 1 < raw.n && lex_is(raw.at[i + 1], LEX_HEX)) {
            out[k++] = (char)(hex_value(c) * 16 + hex_value(raw.at[++i]));
        } else if (c == 'n' || c == 't') {
            out[k++] = c == 'n' ? '\n' : '\t';
        } else {
            return NULL;
        }
    }
    out[k] = 0;
    *n = k;
    return out;
}

// Eight bytes at a time: constants of many megabytes are hex. A byte is a hex digit if it lies in 0-9 or, lower-cased,
// in a-f; with the top bit of each byte as flag, x + (0x80 - lo) sets it for x >= lo, and x + (0x7f - hi) for x > hi (x
// below 0x80).
const char *lex_hex_end(const char *p, const char *end) {
    const uint64_t ones = 0x0101010101010101u, tops = ones * 0x80;
    while (end - p >= 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        uint64_t low = x | ones * 0x20;
        uint64_t digit = (x + ones * (0x80 - '0')) & ~(x + ones * (0x7f - '9'));
        uint64_t letter = (low + ones * (0x80 - 'a')) & ~(low + ones * (0x7f - 'f'));
        if ((x & tops) || ((digit | letter) & tops) != tops) break;
        p += 8;
    }
    while (p < end && lex_is(*p, LEX_HEX)) p++;
    return p;
}

enum { MAX_BRACKETS = 512 };

static char closing(char open) {
    return (char)(open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : open == '<' ? '>' : 0);
}

bool lex_balanced(Lexer *l) {
    char open[MAX_BRACKETS]; // the brackets that must close
    size_t depth = 0;
    Lexer in = *l;
    lex_skip(&in);
    for (; in.at < in.end; in.at++) {
        char c = *in.at;
        if (c == '"') {
            Span s;
            bool escapes;
            if (lex_string(&in, &s, &escapes) != LEX_OK) return false;
            in.at--;
        } else if (closing(c)) {
            if (depth == MAX_BRACKETS) return false;
            open[depth++] = closing(c);
        } else if (c == '-' && in.end - in.at > 1 && in.at[1] == '>') {
            in.at++;
        } else if (c == ')' || c == ']' || c == '}' || c == '>') {
            if (depth == 0 || open[depth - 1] != c) return false;
            if (--depth == 0) {
                l->at = in.at + 1;
                return true;
            }
        } else if (depth == 0) {
            return false;
        }
    }
    return false;
}
