// Rules of custom calls, by target: first the user's own rule, then the rules of well-known targets; for all others every
// dimension is WHOLE, with a note.
//
//     @Sharding, @mhlo.erf, …:     ([i, j])->([i, j])
//     @mhlo.topk:                  ([i, j])->([i, j], [i, j]) need_replication={j}
//     @lapack_sgeqrf_ffi, …:       ([i, j, k])->([i, l, m], [i, n]) need_replication={j, k, l, m, n}
//                                  JAX says num_batch_dims = "1"
#include "core/rule/rule_build.h"
#include "ir/analysis/callback.h"

typedef enum CallFamily {
    CALL_UNKNOWN,
    CALL_SAME,     // all tensors have one shape, and each element is on its own
    CALL_MATRIX,   // the last two dimensions of the first operand are a matrix, those before them batch
    CALL_TOP_K,    // sorts the last dimension
    CALL_APPROX,   // reduces the dimension reduction_dim of two operands, with two scalar initial values
    CALL_CHECK,    // compares values; once on each device does no harm
    CALL_MANUAL    // border of a region that is partitioned by hand
} CallFamily;

// In alphabetical order within a family.
static const struct {
    const char *target;
    CallFamily family;
} targets[] = {
    {"InspectSharding", CALL_SAME},
    {"LayoutConstraint", CALL_SAME},
    {"MoveToDevice", CALL_SAME},
    {"MoveToHost", CALL_SAME},
    {"Sharding", CALL_SAME},
    {"X64Combine", CALL_SAME},
    {"X64SplitHigh", CALL_SAME},
    {"X64SplitLow", CALL_SAME},
    {"annotate_device_placement", CALL_SAME},
    {"chlo.erf", CALL_SAME},
    {"mhlo.acos", CALL_SAME},
    {"mhlo.acosh", CALL_SAME},
    {"mhlo.asin", CALL_SAME},
    {"mhlo.asinh", CALL_SAME},
    {"mhlo.atanh", CALL_SAME},
    {"mhlo.cosh", CALL_SAME},
    {"mhlo.erf", CALL_SAME},
    {"mhlo.erf_inv", CALL_SAME},
    {"mhlo.sinh", CALL_SAME},
    {"partir.tag", CALL_SAME},
    {"xla.megascale.provide_metadata", CALL_SAME},
    {"Cholesky", CALL_MATRIX},
    {"CompactWyHelper", CALL_MATRIX},
    {"Eigh", CALL_MATRIX},
    {"InvertDiagBlocksLowerTriangular", CALL_MATRIX},
    {"InvertDiagBlocksUpperTriangular", CALL_MATRIX},
    {"LuDecomposition", CALL_MATRIX},
    {"ProductOfElementaryHouseholderReflectors", CALL_MATRIX},
    {"Qr", CALL_MATRIX},
    {"QrDecompositionBlock", CALL_MATRIX},
    {"TopK", CALL_TOP_K},
    {"mhlo.topk", CALL_TOP_K},
    {"ApproxTopK", CALL_APPROX},
    {"PartialReduce", CALL_APPROX},
    {"check.eq", CALL_CHECK},
    {"check.expect_almost_eq", CALL_CHECK},
    {"check.expect_close", CALL_CHECK},
    {"check.expect_eq", CALL_CHECK},
    {"SPMDFullToShardShape", CALL_MANUAL},
    {"SPMDShardToFullShape", CALL_MANUAL},
};

static CallFamily family_of(Span target) {
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (span_is(target, targets[i].target)) return targets[i].family;
    return CALL_UNKNOWN;
}

// ---- What a call says of itself in attributes -----------------------------------------------------------------------

static const Attr *entry_of(const RuleBuilder *b, const NamedAttr *entries, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; i++)
        if (span_is(name_get(b->m, entries[i].name), name)) return attr_get(b->m, entries[i].value);
    return NULL;
}

// attribute = {entry = …}
static const Attr *call_entry(const RuleBuilder *b, const char *attribute, const char *entry) {
    const Op *op = op_get(b->m, b->op);
    const Attr *dict = entry_of(b, b->m->op_attrs.at + op->first_attr, op->n_attrs, attribute);
    return dict && dict->kind == ATTR_DICT ? entry_of(b, dict->entries, dict->n, entry) : NULL;
}

// A number of few digits at the start of a text, after spaces. False if there is none.
static bool small_number(const char *at, const char *end, uint32_t *out) {
    while (at < end && *at == ' ') at++;
    const char *digits = at;
    *out = 0;
    for (; at < end && *at >= '0' && *at <= '9' && at - digits < 4; at++) *out = *out * 10 + (uint32_t)(*at - '0');
    return at > digits;
}

// mhlo.frontend_attributes = {num_batch_dims = "1"}: JAX marks calls whose leading dimensions are independent problems.
static bool call_batch_dims(const RuleBuilder *b, uint32_t *out) {
    const Attr *a = call_entry(b, "mhlo.frontend_attributes", "num_batch_dims");
    return a && a->kind == ATTR_STRING && small_number(a->text.at, a->text.at + a->text.n, out);
}

// mhlo.backend_config = {reduction_dim = 1 : i64, …}, or the same as JSON in a string.
static bool call_reduction_dim(const RuleBuilder *b, uint32_t *out) {
    const Attr *a = call_entry(b, "mhlo.backend_config", "reduction_dim");
    if (a) {
        *out = (uint32_t)a->i;
        return a->kind == ATTR_INT && a->i >= 0;
    }
    Span text = op_attr_text(b->m, b->op, A_backend_config), key = SPAN("\"reduction_dim\"");
    for (size_t i = 0; i + key.n < text.n; i++) {
        if (memcmp(text.at + i, key.at, key.n) != 0) continue;
        const char *at = text.at + i + key.n, *end = text.at + text.n;
        while (at < end && (*at == ' ' || *at == ':')) at++;
        return small_number(at, end, out);
    }
    return false;
}

// ---- Families -------------------------------------------------------------------------------------------------------

// The first `batch` dimensions must be there, and equal, in all tensors but scalars.
static bool batch_dims_agree(const RuleBuilder *b, uint32_t batch) {
    for (uint32_t t = 0; t < tensors_of(b); t++) {
        if (rank_of(b, t) == 0) continue;
        if (rank_of(b, t) < batch) return false;
        for (uint32_t d = 0; d < batch; d++)
            if (size_of(b, t, d) != size_of(b, 0, d)) return false;
    }
    return tensors_of(b) > 0 && rank_of(b, 0) >= batch;
}

// All tensors agree in all dimensions but `dim`, scalars apart.
static bool agree_but_in(const RuleBuilder *b, uint32_t dim) {
    for (uint32_t t = 0; t < tensors_of(b); t++) {
        if (rank_of(b, t) == 0) continue;
        if (rank_of(b, t) != rank_of(b, 0)) return false;
        for (uint32_t d = 0; d < rank_of(b, 0); d++)
            if (d != dim && size_of(b, t, d) != size_of(b, 0, d)) return false;
    }
    return tensors_of(b) > 0 && dim < rank_of(b, 0);
}

// What was searched and what was found are no chunks of one another: two factors, both WHOLE.
static void approx_factors(RuleBuilder *b, uint32_t reduced) {
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++) {
        if (d != reduced) {
            factor_across(b, FACTOR_PASS, 0, d);
            continue;
        }
        uint8_t in = factor_new(b, size_of(b, 0, d), FACTOR_WHOLE);
        for (uint32_t t = 0; t < b->n_operands; t++)
            if (rank_of(b, t) > 0) dim_has(b, t, d, in);
        uint8_t out = factor_new(b, size_of(b, result_of(b, 0), d), FACTOR_WHOLE);
        for (uint32_t i = 0; i < b->n_results; i++) dim_has(b, result_of(b, i), d, out);
    }
}

// True if the family's rule fits the call's shapes, and has been given.
static bool give_family(RuleBuilder *b, CallFamily family) {
    uint32_t dim, last = tensors_of(b) > 0 && rank_of(b, 0) > 0 ? rank_of(b, 0) - 1 : 0;
    switch (family) {
    case CALL_SAME: rule_elementwise(b); return true;
    case CALL_MATRIX:
        if (tensors_of(b) == 0 || rank_of(b, 0) < 2 || !batch_dims_agree(b, rank_of(b, 0) - 2)) return false;
        rule_give_batched(b, rank_of(b, 0) - 2);
        return true;
    case CALL_TOP_K:
        if (!agree_but_in(b, last)) return false;
        rule_give_whole_dim(b, last);
        return true;
    case CALL_CHECK: rule_give_whole(b, "each device checks the whole value"); return true;
    case CALL_APPROX:
        if (b->n_results == 0 || !call_reduction_dim(b, &dim) || !agree_but_in(b, dim)) return false;
        approx_factors(b, dim);
        return true;
    default: return false;
    }
}

static Span attribute_text(const RuleBuilder *b, const char *name) {
    const Op *op = op_get(b->m, b->op);
    const Attr *a = entry_of(b, b->m->op_attrs.at + op->first_attr, op->n_attrs, name);
    return a && (a->kind == ATTR_STRING || a->kind == ATTR_OPAQUE) ? a->text : (Span){"", 0};
}

// Kernels of one compiler share a target (tpu_custom_call, __gpu$xla.gpu.triton): each has a name of its own.
static Span kernel_name(const RuleBuilder *b) {
    const Attr *name = call_entry(b, "mhlo.backend_config", "name");
    if (name && name->kind == ATTR_STRING && name->text.n > 0) return name->text;
    return attribute_text(b, "kernel_name");
}

// A name for a message: not too long, and on one line.
static Span shown_name(RuleBuilder *b, Span name) {
    Buffer shown;
    buf_init(&shown, b->arena);
    buf_name(&shown, (Span){name.at, name.n > 200 ? 200 : name.n});
    return (Span){shown.at, shown.n};
}

static void add_without_rule(RuleBuilder *b, Span name) {
    for (uint32_t i = 0; i < b->without_rule.n; i++)
        if (span_is(name, b->without_rule.at[i])) return;
    vec_push(b->arena, &b->without_rule, rule_format(b, "%.*s", (int)name.n, name.at));
}

// A call that nobody has a rule for: the line that its own attribute says, if that is trusted; else whole, with the line
// to write.
static void give_unknown(RuleBuilder *b, Span target) {
    Span kernel = kernel_name(b);
    target = shown_name(b, kernel.n > 0 ? kernel : target);
    add_without_rule(b, target);
    bool given;
    const char *line = rule_offer(b, target, attribute_text(b, "sdy.sharding_rule"), &given);
    if (given && b->trust && rule_trust(b, line)) return;
    rule_give_whole(b, rule_format(b, "no rule for custom call @%.*s; %s%s", (int)target.n, target.at,
                                   !line   ? "it has too many tensors"
                                   : given ? "its sdy.sharding_rule says, for `rules trust` or to paste: "
                                           : "in a schedule, with equal names where it works on chunks: ",
                                   line ? line : ""));
}

// Local: the call itself on local shapes; layouts are by rank and stay.
void rule_custom_call(RuleBuilder *b) {
    Span target = op_attr_text(b->m, b->op, A_call_target_name), kernel = kernel_name(b);
    for (uint32_t i = 0; i < b->n_user; i++) {
        if (!span_eq(b->user[i].target, target) && !(kernel.n && span_eq(b->user[i].target, kernel))) continue;
        const char *problem = rule_give_user(b, &b->user[i]);
        b->uses[i].called = true;
        if (problem) b->uses[i].problem = problem;
        return;
    }
    CallFamily family = family_of(target);
    Span shown = shown_name(b, target);
    uint32_t batch;
    if (op_is_callback(b->m, b->op)) {
        rule_give_whole(b, "a callback to the host takes whole values");
    } else if (family == CALL_MANUAL) {
        rule_give_refusal(b,
                          rule_format(b, "@%.*s is the border of a region that is partitioned by hand", (int)shown.n, shown.at));
    } else if (family == CALL_UNKNOWN && op_attr_bool(b->m, b->op, A_has_side_effect, false)) {
        rule_give_refusal(b, rule_format(b, "@%.*s has a side effect, once on each device", (int)shown.n, shown.at));
    } else if (give_family(b, family)) {
        return;
    } else if (call_batch_dims(b, &batch) && batch_dims_agree(b, batch)) {
        rule_give_batched(b, batch);
    } else {
        give_unknown(b, target);
    }
}
