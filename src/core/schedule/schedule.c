// Schedules: which values a line accepts, and printing.
#include "core/schedule/schedule.h"
#include "support/bytes.h"

const char *const annotation_modes[] = {"apply", "ignore", "error"};               // ORDER AnnotationMode
const char *const gather_policies[] = {"per_use", "shared", "weights_per_use", "whole_tables", "least"}; // ORDER GatherPolicy

// ---- Filters --------------------------------------------------------------------------------------------------------

static bool test_number(FilterTest test, int64_t a, int64_t b) {
    switch (test) {
    case TEST_EQ: return a == b;
    case TEST_NE: return a != b;
    case TEST_LT: return a < b;
    case TEST_LE: return a <= b;
    case TEST_GT: return a > b;
    case TEST_GE: return a >= b;
    }
    return false;
}

static bool filter_accepts(const Filter *f, const char *path, const Type *type) {
    int64_t bytes;
    switch (f->kind) {
    case FILTER_RANK: return test_number(f->test, type->rank, f->number);
    case FILTER_BYTES: return test_number(f->test, type_bytes(type, &bytes) ? bytes : INT64_MAX, f->number);
    case FILTER_DTYPE: return (f->test == TEST_EQ) == span_is(f->word.text, elem_text((Elem)type->elem));
    case FILTER_NAME: return (f->test == TEST_EQ) == pattern_match(f->word.text, path);
    }
    return false;
}

bool line_accepts(const TacticLine *line, const char *path, const Type *type) {
    if (!pattern_match(line->pattern.text, path)) return false;
    for (uint32_t i = 0; i < line->n_filters; i++)
        if (!filter_accepts(&line->filters[i], path, type)) return false;
    return true;
}

// ---- Text -----------------------------------------------------------------------------------------------------------

// In quotes where the bare pattern would read otherwise.
static void print_pattern(Span p, Buffer *out) {
    bool plain = p.n > 0 && p.at[0] != '#' && p.at[0] != '"' && !(p.n > 1 && p.at[0] == '/' && p.at[1] == '/');
    for (size_t i = 0; i < p.n; i++)
        plain = plain && p.at[i] != ' ' && p.at[i] != '\t' && p.at[i] != '\r' && p.at[i] != ':';
    if (!plain) buf_char(out, '"');
    buf_span(out, p);
    if (!plain) buf_char(out, '"');
}

static void print_filter(const Filter *f, Buffer *out) {
    static const char *const kinds[] = {"rank", "bytes", "dtype", "name"}; // ORDER FilterKind
    static const char *const tests[] = {"==", "!=", "<", "<=", ">", ">="}; // ORDER FilterTest
    buf_format(out, "%s %s ", kinds[f->kind], tests[f->test]);
    switch (f->kind) {
    case FILTER_RANK: buf_int(out, f->number); break;
    case FILTER_BYTES: buf_bytes_exact(out, f->number); break;
    case FILTER_DTYPE: buf_span(out, f->word.text); break;
    case FILTER_NAME: print_pattern(f->word.text, out); break;
    }
}

void line_print(const TacticLine *line, Buffer *out) {
    static const char *const values[] = {NULL, "first_divisible", "replicated", "unknown"};
    print_pattern(line->pattern.text, out);
    for (uint32_t i = 0; i < line->n_filters; i++) {
        buf_str(out, i == 0 ? " if " : " and ");
        print_filter(&line->filters[i], out);
    }
    buf_str(out, " : ");
    if (line->value == LINE_DIM)
        buf_int(out, line->dim);
    else
        buf_str(out, values[line->value]);
}

// Comments name values of the program, which may be called anything.
static void print_comment_line(Span words, Buffer *out) {
    size_t start = out->n;
    buf_span(out, words);
    text_make_printable(out->at + start, words.n, false);
}

// A comment of several lines, each with its `#`.
static void print_comment(Span comment, Buffer *out) {
    for (size_t i = 0; i < comment.n;) {
        size_t end = i;
        while (end < comment.n && comment.at[end] != '\n') end++;
        buf_str(out, "# ");
        print_comment_line((Span){comment.at + i, end - i}, out);
        buf_char(out, '\n');
        i = end + 1;
    }
}

void tactic_print(const Tactic *t, Buffer *out) {
    print_comment(t->comment, out);
    buf_str(out, t->automatic ? "auto " : "tactic ");
    buf_span(out, t->name.text);
    for (uint32_t i = 0; i < t->n_axes; i++) {
        buf_str(out, i == 0 ? " on " : ", ");
        buf_span(out, t->axes[i].text);
    }
    buf_str(out, " {\n");
    for (uint32_t i = 0; i < t->n_lines; i++) {
        buf_str(out, "  ");
        line_print(&t->lines[i], out);
        if (t->lines[i].comment.n) buf_str(out, "  # "), print_comment_line(t->lines[i].comment, out);
        buf_char(out, '\n');
    }
    if (t->budget_ms % 1000 != 0)
        buf_format(out, "  budget %lldms\n", (long long)t->budget_ms);
    else if (t->budget_ms != 0)
        buf_format(out, "  budget %llds\n", (long long)(t->budget_ms / 1000));
    if (t->budget_evaluations != 0) buf_format(out, "  budget %lld\n", (long long)t->budget_evaluations);
    if (t->memory_bytes != 0) {
        buf_str(out, "  memory ");
        buf_bytes_exact(out, t->memory_bytes);
        buf_char(out, '\n');
    }
    if (t->seed != 0) buf_format(out, "  seed %lld\n", (long long)t->seed);
    if (t->least_memory) buf_str(out, "  objective memory\n");
    for (uint32_t i = 0; i < t->n_leave; i++) {
        buf_str(out, "  leave ");
        print_pattern(t->leave[i].text, out);
        buf_char(out, '\n');
    }
    buf_str(out, "}\n");
}

static void print_spans(const Span *spans, uint32_t n, Buffer *out) {
    buf_char(out, '(');
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) buf_str(out, ", ");
        buf_span(out, spans[i]);
    }
    buf_char(out, ')');
}

void user_rule_print(const UserRule *r, Buffer *out) {
    buf_format(out, "\"%.*s\" : ", (int)r->target.n, r->target.at);
    print_spans(r->tensors, r->n_operands, out);
    buf_str(out, " -> ");
    print_spans(r->tensors + r->n_operands, r->n_results, out);
    if (r->n_reduction > 0) {
        buf_str(out, " reduction");
        print_spans(r->reduction, r->n_reduction, out);
    }
    if (r->n_whole > 0) {
        buf_str(out, " whole");
        print_spans(r->whole, r->n_whole, out);
    }
}

// To be read again: 3GFLOP, the largest unit that divides.
static void print_flop_limit(int64_t n, Buffer *out) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    uint32_t u = 0;
    for (; u < 4 && n % 1000 == 0; u++) n /= 1000;
    buf_format(out, "%lld%sFLOP", (long long)n, prefixes[u]);
}

void demand_print(const Demand *d, Buffer *out) {
    buf_str(out, d->kind == EXPECT_COLLECTIVE ? "expect " : "deny ");
    if (d->kind == DENY_CONFLICT) buf_str(out, "conflict");
    if (d->kind == DENY_REPLICATED) buf_str(out, "replicated");
    buf_span(out, d->collective.text);
    if (d->kind == EXPECT_COLLECTIVE) buf_format(out, " %lld", (long long)d->count);
    for (uint32_t i = 0; i < d->n_axes; i++) {
        buf_str(out, i ? ", " : " on ");
        buf_span(out, d->axes[i].text);
    }
    if (d->in.text.n) buf_str(out, " in "), print_pattern(d->in.text, out);
    if (!d->above) return;
    buf_str(out, " above ");
    if (d->kind == DENY_REPLICATED)
        print_flop_limit(d->above, out);
    else
        buf_bytes_exact(out, d->above);
}

void schedule_print(const Schedule *s, Buffer *out) {
    for (uint32_t i = 0; i < s->n_axes; i++) {
        buf_str(out, i == 0 ? "mesh " : ", ");
        buf_span(out, s->axes[i].name.text);
        buf_format(out, "=%lld", (long long)s->axes[i].size);
    }
    if (s->n_axes > 0) buf_char(out, '\n');
    if (s->device.text.n > 0) {
        bool file = memchr(s->device.text.at, '/', s->device.text.n) || memchr(s->device.text.at, ' ', s->device.text.n);
        buf_format(out, file ? "device \"%.*s\"\n" : "device %.*s\n", (int)s->device.text.n, s->device.text.at);
    }
    if (s->annotations) buf_format(out, "annotations %s\n", annotation_modes[s->annotations]);
    if (s->trust_rules) buf_str(out, "rules trust\n");
    if (s->gathers || s->gathers_given) buf_format(out, "gathers %s\n", gather_policies[s->gathers]);
    for (uint32_t i = 0; i < s->n_ties; i++) {
        buf_str(out, "tie ");
        print_pattern(s->ties[i].from.text, out);
        buf_str(out, " -> ");
        print_pattern(s->ties[i].to.text, out);
        buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < s->n_rules; i++) {
        buf_str(out, "rule ");
        user_rule_print(&s->rules[i], out);
        buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < s->n_tactics; i++) tactic_print(&s->tactics[i], out);
    for (uint32_t i = 0; i < s->n_demands; i++) {
        demand_print(&s->demands[i], out);
        buf_char(out, '\n');
    }
}
