// Matches patterns as a nondeterministic automaton: it keeps a set of positions in the pattern, and each byte of the path
// advances all of them. Matching never backtracks, so it is linear in the path for every pattern.
#include "core/schedule/pattern.h"

const char *pattern_problem(Span pattern, size_t *where) {
    size_t depth = 0, open = 0;
    *where = 0;
    if (pattern.n == 0) return "it is empty";
    if (pattern.n > PATTERN_MAX) return "it is too long";
    if (!text_is_printable(pattern.at, pattern.n, false)) return "it holds what cannot be shown; write * for that";
    for (size_t i = 0; i < pattern.n; i++) {
        if (pattern.at[i] == '{' && depth++ == 0) open = i;
        if (pattern.at[i] != '}') continue;
        *where = i;
        if (depth == 0) return "this } closes nothing";
        depth--;
    }
    *where = open;
    return depth > 0 ? "this { is never closed" : NULL;
}

// Positions in the pattern that the path so far has led to.
typedef struct Reached {
    Span pattern;
    bool on[PATTERN_MAX + 1];
    uint16_t list[PATTERN_MAX + 1];
    uint32_t n;
} Reached;

static bool is_end_of_choice(Span p, size_t i) { return i == p.n || p.at[i] == ',' || p.at[i] == '}'; }

// The position of the brace that closes the group around position i, which is inside it.
static size_t closing_brace(Span p, size_t i) {
    size_t depth = 0;
    for (; i < p.n; i++) {
        if (p.at[i] == '{') depth++;
        if (p.at[i] == '}' && depth-- == 0) return i;
    }
    return p.n;
}

static bool is_star_star(Span p, size_t i) { return i + 1 < p.n && p.at[i] == '*' && p.at[i + 1] == '*'; }

static void reach_state(Reached *r, size_t i) {
    if (r->on[i]) return;
    r->on[i] = true;
    r->list[r->n++] = (uint16_t)i;
}

// Moves that take no byte, until there are no more. The list grows under the loop.
// `**` has two positions: the first star is its start, the second the place from which it takes bytes.
static void reach_for_free(Reached *r) {
    Span p = r->pattern;
    for (uint32_t k = 0; k < r->n; k++) {
        size_t i = r->list[k];
        if (i == p.n) continue;
        bool after_star = i > 0 && p.at[i - 1] == '*' && p.at[i] == '*';
        if (after_star) {
            reach_state(r, i + 1);
        } else if (is_star_star(p, i)) {
            reach_state(r, i + 1);
            if (i + 2 < p.n && p.at[i + 2] == '/') reach_state(r, i + 3); // **/x is also x
        } else if (p.at[i] == '*' || p.at[i] == '}') {
            reach_state(r, i + 1);
        } else if (p.at[i] == ',' && closing_brace(p, i) < p.n) {
            reach_state(r, closing_brace(p, i) + 1);
        } else if (p.at[i] == '/' && is_star_star(p, i + 1) && is_end_of_choice(p, i + 3)) {
            reach_state(r, i + 3); // x/** is also x
        } else if (p.at[i] == '{') {
            size_t end = closing_brace(p, i + 1), depth = 0;
            reach_state(r, i + 1);
            for (size_t j = i + 1; j < end; j++) {
                if (p.at[j] == '{') depth++;
                if (p.at[j] == '}') depth--;
                if (p.at[j] == ',' && depth == 0) reach_state(r, j + 1);
            }
        }
    }
}

static void reach_by_byte(const Reached *from, char c, Reached *to) {
    Span p = from->pattern;
    to->n = 0;
    memset(to->on, 0, p.n + 1);
    for (uint32_t k = 0; k < from->n; k++) {
        size_t i = from->list[k];
        if (i == p.n || p.at[i] == '{' || p.at[i] == '}' || (p.at[i] == ',' && closing_brace(p, i) < p.n)) continue;
        bool after_star = i > 0 && p.at[i - 1] == '*' && p.at[i] == '*';
        if (after_star)
            reach_state(to, i);
        else if (is_star_star(p, i))
            continue;
        else if (p.at[i] == '*') {
            if (c != '/') reach_state(to, i);
        } else if (p.at[i] == c)
            reach_state(to, i + 1);
    }
}

// Whether the byte stands for itself alone, if all before it do.
static bool is_plain_byte(Span p, size_t i) {
    char c = p.at[i];
    return c != '*' && c != '{' && c != '}' && c != ',' && !(c == '/' && is_star_star(p, i + 1));
}

bool pattern_match(Span pattern, const char *path) {
    if (pattern.n > PATTERN_MAX) return false;
    // What comes before the first special byte must be there as it is: this settles most pairs.
    size_t same = 0;
    while (same < pattern.n && is_plain_byte(pattern, same)) {
        if (path[same] != pattern.at[same]) return false;
        same++;
    }
    if (same == pattern.n) return path[same] == 0;
    Reached sets[2];
    sets[0].pattern = sets[1].pattern = pattern;
    sets[0].n = 0;
    memset(sets[0].on, 0, pattern.n + 1);
    reach_state(&sets[0], same);
    Reached *now = &sets[0], *next = &sets[1];
    for (const char *c = path + same; *c; c++) {
        reach_for_free(now);
        reach_by_byte(now, *c, next);
        if (next->n == 0) return false;
        Reached *swap = now;
        now = next;
        next = swap;
    }
    reach_for_free(now);
    return now->on[pattern.n];
}
