// Rules as text, in Shardy's notation, and as JSON.
//
//     stablehlo.dot_general: ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}
//     stablehlo.custom_call: ([i])->([j]) {i=4, j=4} need_replication={i, j} // no rule for custom call @f
#include "core/rule/rule.h"
#include "support/json.h"

// i … z, then z_1, z_2, …
void rule_factor_name(uint32_t factor, Buffer *out) {
    uint32_t letters = 'z' - 'i' + 1;
    buf_char(out, factor < letters ? (char)('i' + factor) : 'z');
    if (factor >= letters) buf_format(out, "_%u", factor - letters + 1);
}

static void print_tensors(const Rule *r, uint32_t first, uint32_t n, Buffer *out) {
    buf_char(out, '(');
    for (uint32_t t = first; t < first + n; t++) {
        buf_str(out, t > first ? ", [" : "[");
        for (uint32_t d = 0; d < rule_rank(r, t); d++) {
            uint32_t n_factors;
            const uint8_t *factors = rule_dim(r, t, d, &n_factors);
            if (d > 0) buf_str(out, ", ");
            if (n_factors == 0) buf_char(out, '_');
            for (uint32_t i = 0; i < n_factors; i++) rule_factor_name(factors[i], out);
        }
        buf_char(out, ']');
    }
    buf_char(out, ')');
}

static void print_kind(const Rule *r, FactorKind kind, FactorKind or_kind, const char *label, Buffer *out) {
    bool any = false;
    for (uint32_t f = 0; f < r->n_factors; f++) {
        if (r->factors[f].kind != kind && r->factors[f].kind != or_kind) continue;
        if (any)
            buf_str(out, ", ");
        else
            buf_format(out, " %s={", label);
        any = true;
        rule_factor_name(f, out);
    }
    if (any) buf_char(out, '}');
}

void rule_print(const Rule *r, Buffer *out) {
    print_tensors(r, 0, r->n_operands, out);
    buf_str(out, "->");
    print_tensors(r, r->n_operands, r->n_results, out);
    for (uint32_t f = 0; f < r->n_factors; f++) {
        buf_str(out, f == 0 ? " {" : ", ");
        rule_factor_name(f, out);
        buf_char(out, '=');
        if (r->factors[f].size == DIM_DYNAMIC)
            buf_char(out, '?');
        else
            buf_int(out, r->factors[f].size);
    }
    if (r->n_factors > 0) buf_char(out, '}');
    print_kind(r, FACTOR_REDUCE, FACTOR_REDUCE, "reduction", out);
    print_kind(r, FACTOR_WHOLE, FACTOR_WHOLE, "need_replication", out);
    print_kind(r, FACTOR_SHIFT, FACTOR_MOVE, "permutation", out);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void json_tensors(const Rule *r, uint32_t first, uint32_t n, Buffer *out) {
    buf_char(out, '[');
    for (uint32_t t = first; t < first + n; t++) {
        buf_str(out, t > first ? ", [" : "[");
        for (uint32_t d = 0; d < rule_rank(r, t); d++) {
            uint32_t n_factors;
            const uint8_t *factors = rule_dim(r, t, d, &n_factors);
            buf_str(out, d > 0 ? ", [" : "[");
            for (uint32_t i = 0; i < n_factors; i++) {
                buf_str(out, i > 0 ? ", \"" : "\"");
                rule_factor_name(factors[i], out);
                buf_char(out, '"');
            }
            buf_char(out, ']');
        }
        buf_char(out, ']');
    }
    buf_char(out, ']');
}

// The members of the object, without its braces.
static void json_members(const Rule *r, Buffer *out) {
    static const char *const kinds[] = {"pass", "reduce", "whole", "shift", "move"}; // ORDER FactorKind
    bool reduces = false;
    Buffer text;
    buf_init(&text, out->arena);
    rule_print(r, &text);
    buf_str(out, "\"rule\": ");
    buf_json_string(out, (Span){text.at, text.n});
    buf_str(out, ", \"factors\": [");
    for (uint32_t f = 0; f < r->n_factors; f++) {
        reduces = reduces || r->factors[f].kind == FACTOR_REDUCE;
        buf_str(out, f > 0 ? ", {\"name\": \"" : "{\"name\": \"");
        rule_factor_name(f, out);
        buf_str(out, "\", \"size\": ");
        if (r->factors[f].size == DIM_DYNAMIC)
            buf_str(out, "null");
        else
            buf_int(out, r->factors[f].size);
        buf_format(out, ", \"kind\": \"%s\"}", kinds[r->factors[f].kind]);
    }
    buf_str(out, "], \"operands\": ");
    json_tensors(r, 0, r->n_operands, out);
    buf_str(out, ", \"results\": ");
    json_tensors(r, r->n_operands, r->n_results, out);
    if (reduces) buf_format(out, ", \"monoid\": \"%s\"", monoid_name((Monoid)r->monoid));
    if (r->refuse) buf_str(out, ", \"refused\": true");
    if (r->note) {
        buf_str(out, ", \"note\": ");
        buf_json_string(out, span_of(r->note));
    }
}

// ---- All ops of a module --------------------------------------------------------------------------------------------

typedef struct Listing {
    const Module *m;
    RuleBook *book;
    bool json;
    uint32_t n;
    size_t offset; // where we are in the source, and on which line
    uint32_t line;
    Buffer *out;
} Listing;

// Ops come in the order of the source, so that lines are counted once over.
static uint32_t line_of(Listing *l, size_t offset) {
    const Source *s = &l->m->source;
    if (offset < l->offset) l->offset = 0, l->line = 1;
    for (; l->offset < offset && l->offset < s->n; l->offset++) l->line += s->text[l->offset] == '\n';
    return l->line;
}

static void list_op(Listing *l, OpId op) {
    const Rule *r = rulebook_rule(l->book, op);
    const char *name = op_info[op_kind(l->m, op)].name;
    if (l->json) {
        buf_str(l->out, l->n++ > 0 ? ",\n  {\"op\": " : "\n  {\"op\": ");
        buf_json_string(l->out, span_of(name));
        buf_format(l->out, ", \"line\": %u, ", line_of(l, op_get(l->m, op)->source));
        json_members(r, l->out);
        buf_char(l->out, '}');
        return;
    }
    buf_format(l->out, "%s: ", name);
    rule_print(r, l->out);
    if (r->note) buf_format(l->out, " // %s", r->note);
    buf_char(l->out, '\n');
}

// Regions of reductions, sorts and the like work on scalars: their ops are not partitioned and have no line.
static bool has_lines_inside(OpKind kind) {
    return kind == OP_func_func || kind == OP_partir_loop || runs_regions(kind);
}

static bool has_line(OpKind kind) { return kind != OP_func_func && !op_is_terminator(kind) && kind != OP_sdy_mesh; }

void rules_print(const Module *m, Arena *a, bool json, Buffer *out) {
    Listing l = {.m = m, .book = rulebook_new(m, a, NULL, 0), .json = json, .line = 1, .out = out};
    VEC(OpId) outer = {0}; // ops whose regions we are in, and which of these is next
    VEC(uint32_t) region = {0};
    if (json) buf_str(out, "{\"version\": 1, \"rules\": [");
    OpId op = m->regions.at[0].first;
    for (;;) {
        if (op == NO_ID) {
            if (outer.n == 0) break;
            OpId parent = outer.at[outer.n - 1];
            uint32_t next = ++region.at[region.n - 1];
            if (next < op_get(m, parent)->n_regions) {
                op = m->regions.at[op_region(m, parent, next)].first;
            } else {
                outer.n--;
                region.n--;
                op = op_get(m, parent)->next;
            }
            continue;
        }
        if (has_line(op_kind(m, op))) list_op(&l, op);
        if (has_lines_inside(op_kind(m, op)) && op_get(m, op)->n_regions > 0) {
            vec_push(a, &outer, op);
            vec_push(a, &region, 0);
            op = m->regions.at[op_region(m, op, 0)].first;
        } else {
            op = op_get(m, op)->next;
        }
    }
    if (json) buf_str(out, l.n > 0 ? "\n]}\n" : "]}\n");
}
