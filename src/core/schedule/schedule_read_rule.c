// Reads rules in schedules: how the dimensions of a custom call correspond.
//
//     rule "my_kernel" : (b h s d, b h t d) -> (b h s d) reduction(t)
#include "core/schedule/schedule_read.h"

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
        skip_blank(r);
        if (word_peek(r) == ',' || (word_peek(r) == ')' && !in_group)) break;
        bool separate = text.n > 0 && text.at[text.n - 1] != '(' && word_peek(r) != ')';
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
    if (in_group) return fail_at(r, r->at, NULL, "expected ')', found %s", found_text(r));
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
bool read_rule(ScheduleReader *r, size_t start) {
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
    rule.offset = target.offset;
    rule.tensors = tensors;
    rule.n_reduction = reduced.n;
    rule.reduction = spans_of(r, &reduced);
    rule.n_whole = whole.n;
    rule.whole = spans_of(r, &whole);
    vec_push(r->arena, &r->rules, rule);
    return true;
}
