// Lexer: the text as words, numbers, strings and punctuation. There are no token objects: each function looks at the
// cursor and moves it past what it takes. Space and // comments before a token are skipped. The text has no NUL at its
// end.
//
//     stablehlo.slice %3 [0:4:2]      lex_word -> "stablehlo.slice"   lex_eat('%')   lex_int -> 3   lex_eat('[')   …
#ifndef PARTIR_STABLEHLO_LEXER_H
#define PARTIR_STABLEHLO_LEXER_H

#include "support/text.h"

typedef struct Lexer {
    const char *at, *end;
} Lexer;

enum {
    LEX_SPACE = 1,  // also '/', which may open a comment
    LEX_DIGIT = 2,  // 0-9
    LEX_LETTER = 4, // a-z A-Z _
    LEX_MARK = 8,   // $ . : in words, after their first letter
    LEX_DASH = 16,  // - : in value names only
    LEX_HEX = 32    // 0-9 a-f A-F
};
extern const uint8_t lex_class[256];
static inline bool lex_is(char c, unsigned classes) { return (lex_class[(unsigned char)c] & classes) != 0; }

void lex_skip_space(Lexer *l);
static inline void lex_skip(Lexer *l) {
    if (l->at == l->end || !lex_is(*l->at, LEX_SPACE)) return;
    if (*l->at == ' ' && l->end - l->at > 1 && !lex_is(l->at[1], LEX_SPACE))
        l->at++; // by far the most often
    else
        lex_skip_space(l);
}

// The next byte that is no space, or 0 at the end of the text.
static inline char lex_peek(Lexer *l) {
    lex_skip(l);
    return l->at < l->end ? *l->at : 0;
}

// Takes the byte if it is next.
static inline bool lex_eat(Lexer *l, char c) {
    if (lex_peek(l) != c || l->at == l->end) return false;
    l->at++;
    return true;
}

// Takes exactly these bytes, whatever follows them.
static inline bool lex_literal_(Lexer *l, const char *text, size_t n) {
    lex_skip(l);
    if ((size_t)(l->end - l->at) < n || memcmp(l->at, text, n) != 0) return false;
    l->at += n;
    return true;
}
#define lex_literal(l, literal) lex_literal_((l), (literal), sizeof(literal) - 1)

// The first byte from `p` on that is of none of these classes.
static inline const char *lex_run(const char *p, const char *end, unsigned classes) {
    for (; end - p >= 4; p += 4) { // one look at the end for four bytes
        if (!lex_is(p[0], classes)) return p;
        if (!lex_is(p[1], classes)) return p + 1;
        if (!lex_is(p[2], classes)) return p + 2;
        if (!lex_is(p[3], classes)) return p + 3;
    }
    while (p < end && lex_is(*p, classes)) p++;
    return p;
}

// word ::= [A-Za-z_] [A-Za-z0-9_$.]*          Empty if no word is next.
static inline Span lex_word(Lexer *l) {
    lex_skip(l);
    Span s = {l->at, 0};
    if (l->at < l->end && lex_is(*l->at, LEX_LETTER))
        l->at = lex_run(l->at + 1, l->end, LEX_LETTER | LEX_DIGIT | LEX_MARK);
    s.n = (size_t)(l->at - s.at);
    return s;
}

// Takes exactly this word.
bool lex_keyword_(Lexer *l, const char *word, size_t n);
#define lex_keyword(l, literal) lex_keyword_((l), (literal), sizeof(literal) - 1)

typedef enum LexStatus { LEX_NONE, LEX_OK, LEX_OVERFLOW } LexStatus;
// int ::= -? [0-9]+         LEX_NONE leaves the cursor where it was.
LexStatus lex_int(Lexer *l, int64_t *out);

// number ::= -? (0x [0-9A-Fa-f]+ | [0-9]+ (. [0-9]* ([eE] [+-]? [0-9]+)?)?)         Empty if none is next.
Span lex_number(Lexer *l, bool *is_float);

// string ::= '"' … '"'      `raw` is what stands between the quotes, `escapes` tells whether it holds a backslash.
// LEX_OVERFLOW: the string does not end before its line does.
LexStatus lex_string(Lexer *l, Span *raw, bool *escapes);
// \n \t \\ \" and \XX (two hex digits) undone, in `a`. NULL if an escape is none of these.
const char *lex_unescape(Arena *a, Span raw, size_t *n);

// The first byte from `p` on that is no hex digit.
const char *lex_hex_end(const char *p, const char *end);

// Past the bracket that closes the one at the cursor: (), [], {}, <> nest, -> is no bracket, strings are skipped.
// False if there is none, or they cross.
bool lex_balanced(Lexer *l);

#endif
