// Proposes a schedule line for a custom call without a rule: a translation of its sdy.sharding_rule, or a line that keeps
// everything whole and can be edited.
//
//     #sdy.op_sharding_rule<([i, jk], [k])->([i, j]) {i=8, j=4, k=2} reduction={k}, custom>
//  ⇒  rule "f" : (i (j k), k) -> (i j) reduction(k)
#include "core/rule/rule_build.h"
#include "core/schedule/schedule.h"

enum { MAX_OFFERED = 64 }; // names of factors

typedef struct Offer {
    Buffer *out;
    Span rest;
    Span names[MAX_OFFERED]; // of operands, and where they end up
    bool in_result[MAX_OFFERED], reduced[MAX_OFFERED], whole[MAX_OFFERED];
    uint32_t n;
    bool ok;
} Offer;

static bool offer_take(Offer *o, char c) {
    while (o->rest.n > 0 && *o->rest.at == ' ') o->rest = (Span){o->rest.at + 1, o->rest.n - 1};
    if (o->rest.n == 0 || *o->rest.at != c) return false;
    o->rest = (Span){o->rest.at + 1, o->rest.n - 1};
    return true;
}

// name = letter [ "_" digits ]
static bool offer_name(Offer *o, Span *name) {
    offer_take(o, ' ');
    const char *at = o->rest.at;
    size_t n = 0;
    if (o->rest.n > 0 && is_letter(*at)) n = 1;
    if (n && o->rest.n > 1 && at[1] == '_')
        for (n = 2; n < o->rest.n && at[n] >= '0' && at[n] <= '9';) n++;
    *name = (Span){at, n};
    o->rest = (Span){at + n, o->rest.n - n};
    return n > 0;
}

static uint32_t offer_index(Offer *o, Span name) {
    for (uint32_t i = 0; i < o->n; i++)
        if (span_eq(o->names[i], name)) return i;
    if (o->n == MAX_OFFERED) return o->ok = false, 0;
    o->names[o->n] = name;
    return o->n++;
}

// tensors = "(" [ "[" dims "]" { "," "[" dims "]" } ] ")", each dimension one name behind the other
static void offer_tensors(Offer *o, bool results) {
    o->ok &= offer_take(o, '(');
    buf_char(o->out, '(');
    for (bool first = true; o->ok && !offer_take(o, ')'); first = false) {
        if (!first) o->ok &= offer_take(o, ','), buf_str(o->out, ", ");
        o->ok &= offer_take(o, '[');
        for (bool first_dim = true; o->ok && !offer_take(o, ']'); first_dim = false) {
            if (!first_dim) o->ok &= offer_take(o, ','), buf_char(o->out, ' ');
            Span names[MAX_OFFERED];
            uint32_t n = 0;
            while (n < MAX_OFFERED && offer_name(o, &names[n])) n++;
            o->ok &= n > 0;
            if (n > 1) buf_char(o->out, '(');
            for (uint32_t i = 0; i < n; i++) {
                if (i) buf_char(o->out, ' ');
                buf_span(o->out, names[i]);
                uint32_t k = offer_index(o, names[i]);
                o->in_result[k] |= results;
            }
            if (n > 1) buf_char(o->out, ')');
        }
    }
    buf_char(o->out, ')');
}

static bool offer_word(Offer *o, const char *word) {
    offer_take(o, ' ');
    size_t n = strlen(word);
    if (o->rest.n < n || memcmp(o->rest.at, word, n) != 0) return false;
    o->rest = (Span){o->rest.at + n, o->rest.n - n};
    return true;
}

static void offer_list(Offer *o, bool *set) {
    o->ok &= offer_take(o, '=') && offer_take(o, '{');
    do {
        Span name;
        o->ok &= offer_name(o, &name);
        if (o->ok) set[offer_index(o, name)] = true;
    } while (o->ok && offer_take(o, ','));
    o->ok &= offer_take(o, '}');
}

static void offer_kind(const Offer *o, const char *word, const bool *set) {
    bool any = false;
    for (uint32_t i = 0; i < o->n; i++) {
        if (!set[i]) continue;
        if (any)
            buf_str(o->out, ", ");
        else
            buf_format(o->out, " %s(", word);
        buf_span(o->out, o->names[i]);
        any = true;
    }
    if (any) buf_char(o->out, ')');
}

// The notation of a schedule for what the attribute says. False if it cannot be read.
static bool offer_from_attribute(Span text, Buffer *out) {
    Offer o = {.out = out, .rest = text, .ok = true};
    if (!offer_word(&o, "#sdy.op_sharding_rule<")) return false;
    offer_tensors(&o, false);
    o.ok &= offer_word(&o, "->");
    buf_str(out, " -> ");
    offer_tensors(&o, true);
    if (o.ok && offer_take(&o, '{'))
        while (o.rest.n > 0 && !offer_take(&o, '}')) o.rest = (Span){o.rest.at + 1, o.rest.n - 1}; // sizes
    while (o.ok) {
        bool ignored[MAX_OFFERED];
        if (offer_word(&o, "reduction"))
            offer_list(&o, o.reduced);
        else if (offer_word(&o, "need_replication") || offer_word(&o, "permutation"))
            offer_list(&o, o.whole);
        else if (offer_word(&o, "blocked_propagation"))
            offer_list(&o, ignored);
        else
            break;
    }
    for (uint32_t i = 0; i < o.n; i++) o.whole[i] |= !o.in_result[i] && !o.reduced[i];
    offer_kind(&o, "reduction", o.reduced);
    offer_kind(&o, "whole", o.whole);
    return o.ok;
}

// Every dimension whole; tensors of one shape have the same names.
static void offer_whole(const RuleBuilder *b, Buffer *out) {
    uint32_t next = 0, first[MAX_OFFERED];
    buf_char(out, '(');
    for (uint32_t t = 0; t < tensors_of(b); t++) {
        if (t == b->n_operands)
            buf_str(out, ") -> (");
        else if (t)
            buf_str(out, ", ");
        uint32_t same = 0;
        while (same < t && b->types[same] != b->types[t]) same++;
        first[t] = same < t ? first[same] : next;
        if (same == t) next += rank_of(b, t);
        for (uint32_t d = 0; d < rank_of(b, t); d++) buf_format(out, d ? " d%u" : "d%u", first[t] + d);
    }
    if (b->n_results == 0) buf_str(out, ") -> (");
    buf_char(out, ')');
    for (uint32_t i = 0; i < next; i++) buf_format(out, i ? ", d%u" : " whole(d%u", i);
    if (next) buf_char(out, ')');
}

const char *rule_offer(RuleBuilder *b, Span target, Span attribute, bool *given) {
    Buffer line;
    buf_init(&line, b->arena);
    buf_format(&line, "rule \"%.*s\" : ", (int)target.n, target.at);
    size_t head = line.n;
    *given = attribute.n > 0 && offer_from_attribute(attribute, &line);
    if (!*given) {
        if (tensors_of(b) > MAX_OFFERED) return NULL;
        line.n = head;
        offer_whole(b, &line);
    }
    return buf_cstr(&line);
}

bool rule_trust(RuleBuilder *b, const char *line) {
    Source source;
    Schedule s;
    source_from_memory(&source, "<sdy.sharding_rule>", line, strlen(line));
    if (!schedule_read(b->m->ctx, b->arena, &source, &s) || s.n_rules != 1) return false;
    rule_give_user(b, &s.rules[0]);
    return true;
}
