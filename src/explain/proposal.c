// Proposals: copies of the tactics, each with one change, and the change in words.
#include "explain/proposal.h"

static const char *format_text(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *format_text(Arena *a, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = text_vformat(a, format, arguments);
    va_end(arguments);
    return text;
}

static const char *line_text(const TacticLine *line, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    line_print(line, &b);
    return buf_cstr(&b);
}

#define NAME(t) (int)(t).name.text.n, (t).name.text.at

// The tactics without the one at `skip` (NO_ID: with all), and room for one more.
static Tactic *copy_tactics(const Edited *e, uint32_t skip, uint32_t *n) {
    Tactic *copy = arena_new(e->a, Tactic, e->n + 1);
    *n = 0;
    for (uint32_t i = 0; i < e->n; i++)
        if (i != skip) copy[(*n)++] = e->tactics[i];
    return copy;
}

static void insert_tactic(Tactic *tactics, uint32_t *n, uint32_t at, Tactic t) {
    memmove(tactics + at + 1, tactics + at, (*n - at) * sizeof *tactics);
    tactics[at] = t;
    ++*n;
}

// The lines of a tactic without the one at `skip`, and room for one more.
static TacticLine *copy_lines(const Edited *e, const Tactic *t, uint32_t skip, uint32_t *n) {
    TacticLine *copy = arena_new(e->a, TacticLine, t->n_lines + 1);
    *n = 0;
    for (uint32_t i = 0; i < t->n_lines; i++)
        if (i != skip) copy[(*n)++] = t->lines[i];
    return copy;
}

static Proposal with_lines(const Edited *e, uint32_t k, const TacticLine *lines, uint32_t n_lines, const char *says) {
    Proposal x = {.same = k, .gathers = e->gathers, .says = says};
    Tactic *tactics = copy_tactics(e, n_lines ? NO_ID : k, &x.n);
    if (n_lines) tactics[k].lines = lines, tactics[k].n_lines = n_lines;
    x.tactics = tactics;
    return x;
}

Proposal propose_value(const Edited *e, uint32_t k, uint32_t line, LineValue value, int64_t dim) {
    const Tactic *t = &e->tactics[k];
    uint32_t n;
    TacticLine *lines = copy_lines(e, t, NO_ID, &n);
    lines[line].value = value;
    lines[line].dim = dim;
    return with_lines(e, k, lines, n,
                      format_text(e->a, "in %.*s, `%s` instead of `%s`", NAME(*t), line_text(&lines[line], e->a),
                                  line_text(&t->lines[line], e->a)));
}

Proposal propose_without_line(const Edited *e, uint32_t k, uint32_t line) {
    const Tactic *t = &e->tactics[k];
    uint32_t n;
    const TacticLine *lines = copy_lines(e, t, line, &n);
    const char *says = n ? format_text(e->a, "%.*s without `%s`", NAME(*t), line_text(&t->lines[line], e->a))
                         : format_text(e->a, "without %.*s", NAME(*t));
    return with_lines(e, k, lines, n, says);
}

Proposal propose_line(const Edited *e, uint32_t k, const TacticLine *line) {
    const Tactic *t = &e->tactics[k];
    uint32_t n;
    TacticLine *lines = copy_lines(e, t, NO_ID, &n);
    lines[n++] = *line;
    return with_lines(e, k, lines, n, format_text(e->a, "in %.*s, `%s` too", NAME(*t), line_text(line, e->a)));
}

static bool has_tactic(const Edited *e, const char *name) {
    for (uint32_t i = 0; i < e->n; i++)
        if (span_is(e->tactics[i].name.text, name)) return true;
    return false;
}

// "NAME", or with a number where that is taken.
static Span new_name(const Edited *e, const char *name) {
    const char *text = name;
    for (uint32_t i = 2; has_tactic(e, text); i++) text = format_text(e->a, "%s_%u", name, i);
    return span_of(text);
}

static const char *place_text(const Edited *e, uint32_t at) {
    if (e->n == 0 || at >= e->n) return "after all others";
    return format_text(e->a, "before %.*s", NAME(e->tactics[at]));
}

Proposal propose_tactic(const Edited *e, uint32_t at, Span axis, const TacticLine *line) {
    Proposal x = {.same = at, .gathers = e->gathers};
    Tactic *tactics = copy_tactics(e, NO_ID, &x.n);
    Word *axes = arena_new(e->a, Word, 1);
    TacticLine *lines = arena_new(e->a, TacticLine, 1);
    *axes = (Word){.text = axis};
    *lines = *line;
    insert_tactic(tactics, &x.n, at,
                  (Tactic){.name.text = new_name(e, "FIX"), .n_axes = 1, .axes = axes, .n_lines = 1, .lines = lines});
    x.tactics = tactics;
    x.says = format_text(e->a, "a tactic on %.*s %s: `%s`", (int)axis.n, axis.at, place_text(e, at), line_text(line, e->a));
    return x;
}

Proposal propose_move(const Edited *e, uint32_t from, uint32_t to) {
    Proposal x = {.same = from < to ? from : to, .gathers = e->gathers};
    Tactic *tactics = copy_tactics(e, from, &x.n);
    insert_tactic(tactics, &x.n, to, e->tactics[from]);
    x.tactics = tactics;
    x.says = from < to ? format_text(e->a, "%.*s after %.*s", NAME(e->tactics[from]), NAME(e->tactics[to]))
                       : format_text(e->a, "%.*s before %.*s", NAME(e->tactics[from]), NAME(e->tactics[to]));
    return x;
}

Proposal propose_split(const Edited *e, uint32_t k, uint32_t line, uint32_t to) {
    const Tactic *t = &e->tactics[k];
    uint32_t n;
    const TacticLine *rest = copy_lines(e, t, line, &n);
    Proposal x = with_lines(e, k, rest, n, "");
    Tactic *tactics = copy_tactics(&(Edited){e->a, x.n, x.tactics, e->gathers}, NO_ID, &x.n);
    Tactic own = *t;
    own.name.text = new_name(e, format_text(e->a, "%.*s_2", NAME(*t)));
    own.lines = &t->lines[line];
    own.n_lines = 1;
    insert_tactic(tactics, &x.n, to, own);
    x.tactics = tactics;
    x.same = to < k ? to : k;
    x.says = format_text(e->a, "`%s` of %.*s as a tactic of its own %s", line_text(&t->lines[line], e->a), NAME(*t),
                         to == k + 1 ? format_text(e->a, "after %.*s", NAME(*t)) : place_text(e, to));
    return x;
}

Proposal propose_gathers(const Edited *e, GatherPolicy gathers) {
    Proposal x = {.same = e->n, .gathers = gathers};
    x.tactics = copy_tactics(e, NO_ID, &x.n);
    x.says = format_text(e->a, "`gathers %s`", gather_policies[gathers]);
    return x;
}

static bool same_tactic(const Tactic *a, const Tactic *b) {
    return span_eq(a->name.text, b->name.text) && a->n_lines == b->n_lines && a->lines == b->lines;
}

void proposal_print(const Proposal *x, const Edited *e, int indent, Buffer *out) {
    if (x->gathers != e->gathers) buf_format(out, "%*sgathers %s\n", indent, "", gather_policies[x->gathers]);
    uint32_t end = 0; // tactics behind the last change
    while (x->same + end < x->n && x->same + end < e->n && same_tactic(&x->tactics[x->n - 1 - end], &e->tactics[e->n - 1 - end]))
        end++;
    for (uint32_t i = x->same; i + end < x->n; i++) {
        Buffer text;
        buf_init(&text, out->arena);
        tactic_print(&x->tactics[i], &text);
        for (size_t at = 0; at < text.n;) {
            size_t stop = at;
            while (stop < text.n && text.at[stop] != '\n') stop++;
            buf_format(out, "%*s%.*s\n", indent, "", (int)(stop - at), text.at + at);
            at = stop + 1;
        }
    }
}
