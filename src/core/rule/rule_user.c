// The user's rule for a custom call, fitted to the shapes of one call.
//
//     rule "my_kernel" : (b h s d, b (h k)) -> (b h s d) reduction(k)
//
// Sizes come from the call: a factor alone in a dimension has its size, one in a group what the others leave. A rule
// that does not fit is not used at all; the note and a warning say why.
#include "core/rule/rule_build.h"

enum { MAX_NAMES = 64 };

typedef struct UserFactor {
    Span name;
    int64_t size; // 0: not known yet
    FactorKind kind;
} UserFactor;

typedef struct UserFit {
    RuleBuilder *b;
    const UserRule *rule;
    UserFactor factors[MAX_NAMES];
    uint32_t n;
    const char *problem;
} UserFit;

// The next dimension of a tensor's text: the names of one group, or one name. False at the end.
typedef struct DimReader {
    Span rest;
    Span names; // of the dimension just read, separated by spaces
} DimReader;

static Span span_skip(Span s, size_t n) { return (Span){s.at + n, s.n - n}; }

static Span skip_spaces(Span s) {
    while (s.n > 0 && *s.at == ' ') s = span_skip(s, 1);
    return s;
}

static bool next_dim(DimReader *r) {
    r->rest = skip_spaces(r->rest);
    if (r->rest.n == 0) return false;
    bool group = *r->rest.at == '(';
    if (group) r->rest = span_skip(r->rest, 1);
    size_t n = 0;
    while (n < r->rest.n && r->rest.at[n] != ')' && (group || r->rest.at[n] != ' ')) n++;
    r->names = (Span){r->rest.at, n};
    r->rest = span_skip(r->rest, n);
    if (r->rest.n > 0 && *r->rest.at == ')') r->rest = span_skip(r->rest, 1);
    return true;
}

static bool next_name(Span *names, Span *name) {
    *names = skip_spaces(*names);
    size_t n = 0;
    while (n < names->n && names->at[n] != ' ') n++;
    *name = (Span){names->at, n};
    *names = span_skip(*names, n);
    return n > 0;
}

static UserFactor *fit_factor(UserFit *f, Span name) {
    for (uint32_t i = 0; i < f->n; i++)
        if (span_eq(f->factors[i].name, name)) return &f->factors[i];
    if (f->n == MAX_NAMES) {
        f->problem = "it has too many names";
        return &f->factors[0];
    }
    f->factors[f->n] = (UserFactor){.name = name};
    return &f->factors[f->n++];
}

static const char *named_problem(UserFit *f, Span name, const char *what) {
    return rule_format(f->b, "%.*s %s", name.n > 100 ? 100 : (int)name.n, name.at, what);
}

// Collects the names and checks the ranks.
static void fit_names(UserFit *f) {
    RuleBuilder *b = f->b;
    if (f->rule->n_operands != b->n_operands || f->rule->n_results != b->n_results) {
        f->problem = rule_format(b, "it is for %u operands and %u results, the call has %u and %u", f->rule->n_operands,
                                 f->rule->n_results, b->n_operands, b->n_results);
        return;
    }
    for (uint32_t t = 0; t < tensors_of(b) && !f->problem; t++) {
        DimReader r = {.rest = f->rule->tensors[t]};
        uint32_t rank = 0;
        for (; next_dim(&r); rank++) {
            Span names = r.names, name;
            while (next_name(&names, &name)) fit_factor(f, name);
        }
        if (rank != rank_of(b, t))
            f->problem = rule_format(b, "%s %u has %u dimension%s in the rule, %u in the call",
                                     t < b->n_operands ? "operand" : "result",
                                     t < b->n_operands ? t : t - b->n_operands, rank, rank == 1 ? "" : "s", rank_of(b, t));
    }
}

// One pass over all dimensions: solves those with one unknown, checks those with none. True if it learned a size.
static bool fit_sizes_once(UserFit *f, bool *complete) {
    bool learned = false;
    *complete = true;
    for (uint32_t t = 0; t < tensors_of(f->b) && !f->problem; t++) {
        DimReader r = {.rest = f->rule->tensors[t]};
        for (uint32_t d = 0; next_dim(&r) && !f->problem; d++) {
            int64_t left = size_of(f->b, t, d);
            bool empty = left == 0;
            UserFactor *unknown = NULL;
            uint32_t n_unknown = 0;
            Span names = r.names, name;
            while (next_name(&names, &name)) {
                UserFactor *u = fit_factor(f, name);
                if (u->size == 0) {
                    unknown = u;
                    n_unknown++;
                } else if (left % u->size != 0) {
                    f->problem = named_problem(f, name, "has two sizes");
                } else {
                    left /= u->size;
                }
            }
            if (empty)
                f->problem = "a dimension is empty";
            else if (n_unknown == 0 && left != 1 && !f->problem)
                f->problem = "its sizes do not multiply to those of the call";
            else if (n_unknown == 1)
                unknown->size = left, learned = true;
            else if (n_unknown > 1)
                *complete = false;
        }
    }
    return learned;
}

static void fit_write(UserFit *f) {
    RuleBuilder *b = f->b;
    uint8_t factors[MAX_NAMES];
    for (uint32_t i = 0; i < f->rule->n_reduction; i++) fit_factor(f, f->rule->reduction[i])->kind = FACTOR_REDUCE;
    for (uint32_t i = 0; i < f->rule->n_whole; i++) fit_factor(f, f->rule->whole[i])->kind = FACTOR_WHOLE;
    for (uint32_t i = 0; i < f->n; i++) factors[i] = factor_new(b, f->factors[i].size, f->factors[i].kind);
    for (uint32_t t = 0; t < tensors_of(b); t++) {
        DimReader r = {.rest = f->rule->tensors[t]};
        for (uint32_t d = 0; next_dim(&r); d++) {
            Span names = r.names, name;
            while (next_name(&names, &name)) dim_has(b, t, d, factors[fit_factor(f, name) - f->factors]);
        }
    }
}

// Local: the call itself on local shapes, as the user promised. Reductions are sums.
const char *rule_give_user(RuleBuilder *b, const UserRule *rule) {
    UserFit *f = arena_zalloc(b->arena, sizeof *f);
    f->b = b;
    f->rule = rule;
    fit_names(f);
    bool complete = false;
    while (!f->problem && fit_sizes_once(f, &complete)) {
    }
    if (!f->problem && !complete) f->problem = "the sizes in a group cannot be told apart";
    if (!f->problem) fit_write(f);
    if (b->n_results > 0) b->monoid = monoid_on(MONOID_ADD, (Elem)type_of(b, result_of(b, 0))->elem);
    if (f->problem)
        rule_give_whole(b, rule_format(b, "the schedule's rule for @%.*s does not fit: %s",
                                       rule->target.n > 200 ? 200 : (int)rule->target.n, rule->target.at, f->problem));
    return f->problem;
}
