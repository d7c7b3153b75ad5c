// RuleBuilder: see rule_build.h.
#include "core/rule/rule_build.h"
#include <limits.h>

uint32_t rank_of(const RuleBuilder *b, uint32_t tensor) {
    const Type *t = type_of(b, tensor);
    return t->kind == TYPE_TENSOR ? t->rank : 0;
}

int64_t size_of(const RuleBuilder *b, uint32_t tensor, uint32_t dim) {
    return dim < rank_of(b, tensor) ? type_of(b, tensor)->dims[dim] : 1;
}

static void drop_factors(RuleBuilder *b) {
    b->n_factors = b->places.n = 0;
    memset(b->dim_count, 0, b->tensor_first[tensors_of(b)] * sizeof *b->dim_count);
}

// A rule that cannot be written down: no dimension has a factor, so nothing is ever tiled.
static void rule_give_up(RuleBuilder *b, const char *note) {
    b->gave_up = true;
    drop_factors(b);
    b->note = note;
}

uint8_t factor_new(RuleBuilder *b, int64_t size, FactorKind kind) {
    if (b->n_factors == RULE_MAX_FACTORS && !b->gave_up) rule_give_up(b, "it has too many dimensions for one rule");
    if (b->gave_up) return NO_FACTOR;
    b->factors[b->n_factors] = (Factor){size, kind, 1};
    return (uint8_t)b->n_factors++;
}

void dim_has(RuleBuilder *b, uint32_t tensor, uint32_t dim, uint8_t factor) {
    if (b->gave_up) return;
    if (dim >= rank_of(b, tensor) || dim > INT8_MAX) {
        rule_give_up(b, "its attributes and shapes do not fit together");
        return;
    }
    uint32_t *count = &b->dim_count[b->tensor_first[tensor] + dim];
    if (b->factors[factor].size == 1 && *count > 0) return;
    ++*count;
    FactorPlace p = {tensor, dim, factor};
    vec_push(b->arena, &b->places, p);
}

uint8_t factor_at(RuleBuilder *b, FactorKind kind, uint32_t tensor, uint32_t dim) {
    uint8_t f = factor_new(b, size_of(b, tensor, dim), kind);
    dim_has(b, tensor, dim, f);
    return f;
}

void factor_across(RuleBuilder *b, FactorKind kind, uint32_t like, uint32_t dim) {
    uint8_t f = factor_new(b, size_of(b, like, dim), kind);
    for (uint32_t t = 0; t < tensors_of(b); t++)
        if (rank_of(b, t) > 0) dim_has(b, t, dim, f);
}

void rule_give_whole(RuleBuilder *b, const char *note) {
    drop_factors(b);
    for (uint32_t t = 0; t < tensors_of(b); t++)
        for (uint32_t d = 0; d < rank_of(b, t) && !b->gave_up; d++) factor_at(b, FACTOR_WHOLE, t, d);
    b->note = note;
}

void rule_give_refusal(RuleBuilder *b, const char *note) {
    rule_give_whole(b, note);
    b->refuse = true;
}

void rule_give_identities(RuleBuilder *b) {
    uint32_t n = b->n_operands > b->n_results ? b->n_operands : b->n_results;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t like = i < b->n_operands ? i : result_of(b, i);
        for (uint32_t d = 0; d < rank_of(b, like) && !b->gave_up; d++) {
            uint8_t f = factor_at(b, FACTOR_PASS, like, d);
            if (like == i && i < b->n_results) dim_has(b, result_of(b, i), d, f);
        }
    }
}

void rule_give_batched(RuleBuilder *b, uint32_t batch) {
    for (uint32_t d = 0; d < batch; d++) factor_across(b, FACTOR_PASS, 0, d);
    uint8_t first = (uint8_t)b->n_factors; // of the matrix dimensions of tensor 0
    for (uint32_t t = 0; t < tensors_of(b); t++)
        for (uint32_t d = batch; d < rank_of(b, t) && !b->gave_up; d++) {
            if (t > 0 && b->types[t] == b->types[0])
                dim_has(b, t, d, (uint8_t)(first + d - batch));
            else
                factor_at(b, FACTOR_WHOLE, t, d);
        }
}

void rule_give_whole_dim(RuleBuilder *b, uint32_t dim) {
    for (uint32_t d = 0; d < rank_of(b, 0) && !b->gave_up; d++)
        factor_across(b, d == dim ? FACTOR_WHOLE : FACTOR_PASS, 0, d);
}

const char *rule_format(RuleBuilder *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = text_vformat(b->arena, fmt, ap);
    va_end(ap);
    return text;
}

// ---- Lists of integers ----------------------------------------------------------------------------------------------

Ints attr_list(const RuleBuilder *b, AttrName name) {
    AttrId id = op_attr(b->m, b->op, name);
    if (id == NO_ID) return (Ints){0};
    const Attr *a = attr_get(b->m, id);
    if (a->kind == ATTR_INTS) return (Ints){a->ints, a->n};
    int64_t n;
    if (a->kind != ATTR_DENSE || a->type == NO_ID) return (Ints){0};
    const Type *t = type_get(b->m, a->type);
    if (t->elem != EL_I64 || !type_elements(t, &n) || n > UINT32_MAX) return (Ints){0};
    int64_t *out = arena_new(b->arena, int64_t, n);
    if (!attr_dense_decode(b->m, a, out, (size_t)n * sizeof *out)) return (Ints){0};
    return (Ints){out, (uint32_t)n};
}

Ints field_list(const RuleBuilder *b, AttrName record, RecordField field) {
    Ints list = {0};
    AttrId id = op_attr(b->m, b->op, record);
    if (id != NO_ID) list.at = record_ints(b->m, id, field, &list.n);
    return list;
}

int ints_find(Ints list, uint32_t dim) {
    for (uint32_t i = 0; i < list.n; i++)
        if (list.at[i] == (int64_t)dim) return i > INT_MAX ? -1 : (int)i;
    return -1;
}

bool ints_have(Ints list, uint32_t dim) { return ints_find(list, dim) >= 0; }

// ---- From builder to rule -------------------------------------------------------------------------------------------

void rule_begin(RuleBuilder *b, const TypeId *types, uint32_t n_operands, uint32_t n_results) {
    b->types = types;
    b->n_operands = n_operands;
    b->n_results = n_results;
    b->n_factors = b->places.n = 0;
    b->monoid = MONOID_ADD;
    b->refuse = b->gave_up = false;
    b->note = NULL;
    uint32_t *first = arena_new(b->arena, uint32_t, (uint64_t)tensors_of(b) + 1);
    first[0] = 0;
    for (uint32_t t = 0; t < tensors_of(b); t++) first[t + 1] = first[t] + rank_of(b, t);
    b->tensor_first = first;
    b->dim_count = arena_zalloc(b->arena, (first[tensors_of(b)] + (size_t)1) * sizeof *b->dim_count);
}

// A sum that a type cannot hold exactly part by part: quantized results are rounded once.
static bool can_be_partial(const Type *t) { return t->elem != EL_QUANT && elem_has_zero((Elem)t->elem); }

// What holds for every op: a dimension with one quantization parameter for each index cannot be tiled, since a
// device-local type would differ from device to device; and a result that cannot be summed up has no partial results.
static void forbid_by_type(RuleBuilder *b) {
    bool partial = true;
    for (uint32_t i = 0; i < b->n_results; i++) partial = partial && can_be_partial(type_of(b, result_of(b, i)));
    for (uint32_t f = 0; f < b->n_factors; f++)
        if (b->factors[f].kind == FACTOR_REDUCE && !partial) b->factors[f].kind = FACTOR_WHOLE;
    for (uint32_t i = 0; i < b->places.n; i++) {
        FactorPlace p = b->places.at[i];
        const Type *t = type_of(b, p.tensor);
        if (t->elem != EL_QUANT || b->m->quants.at[t->quant].axis != (int32_t)p.dim) continue;
        b->factors[p.factor].kind = FACTOR_WHOLE;
    }
}

static bool is_elementwise(const Rule *r) {
    uint32_t rank = 0;
    for (uint32_t t = 0; t < rule_tensors(r); t++) {
        if (rule_rank(r, t) == 0) continue;
        if (rank == 0) rank = rule_rank(r, t);
        if (rule_rank(r, t) != rank || r->n_factors != rank) return false;
        for (uint32_t d = 0; d < rank; d++) {
            uint32_t n;
            const uint8_t *f = rule_dim(r, t, d, &n);
            if (n != 1 || *f != d) return false;
        }
    }
    return rank != 0;
}

const Rule *rule_finish(RuleBuilder *b) {
    uint32_t n_tensors = tensors_of(b), n_dims = b->tensor_first[n_tensors];
    forbid_by_type(b);

    uint32_t *dim_first = arena_new(b->arena, uint32_t, (uint64_t)n_dims + 1);
    uint8_t *dim_factors = arena_new(b->arena, uint8_t, b->places.n);
    int8_t *factor_dim = arena_new(b->arena, int8_t, (uint64_t)b->n_factors * n_tensors);
    memset(factor_dim, -1, (size_t)b->n_factors * n_tensors);
    dim_first[0] = 0;
    for (uint32_t d = 0; d < n_dims; d++) {
        dim_first[d + 1] = dim_first[d] + b->dim_count[d];
        b->dim_count[d] = 0;
    }
    for (uint32_t i = 0; i < b->places.n; i++) {
        FactorPlace p = b->places.at[i];
        uint32_t d = b->tensor_first[p.tensor] + p.dim;
        dim_factors[dim_first[d] + b->dim_count[d]++] = p.factor;
        factor_dim[p.factor * n_tensors + p.tensor] = (int8_t)p.dim;
    }

    Factor *factors = arena_new(b->arena, Factor, b->n_factors);
    if (b->n_factors > 0) memcpy(factors, b->factors, b->n_factors * sizeof *factors);
    Rule *r = arena_new(b->arena, Rule, 1);
    *r = (Rule){.n_factors = (uint8_t)b->n_factors,
                .monoid = (uint8_t)b->monoid,
                .refuse = b->refuse,
                .n_operands = b->n_operands,
                .n_results = b->n_results,
                .factors = factors,
                .tensor_first = b->tensor_first,
                .dim_first = dim_first,
                .dim_factors = dim_factors,
                .factor_dim = factor_dim,
                .note = b->note};
    r->elementwise = is_elementwise(r);
    for (uint32_t f = 0; f < r->n_factors; f++) r->moves |= r->factors[f].kind == FACTOR_MOVE;
    for (uint32_t d = 0; d < n_dims; d++) r->compound |= dim_first[d + 1] - dim_first[d] > 1;
    return r;
}
