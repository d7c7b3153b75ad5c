// Shape rules of products: dot, dot_general, ragged_dot and einsum. Convolution stands with the windows.
//
//     batching [0]x[0], contracting [2]x[1]:   (tensor<8x4x16xf32>, tensor<8x16x32xf32>) -> tensor<8x4x32xf32>
//
// The element type of the result is the program's to choose: it is the type that the products are accumulated and
// returned in.
#include "stablehlo/shape/shape.h"

bool check_precision(Check *c) {
    AttrId a = check_attr(c, A_precision_config);
    uint32_t n = a == NO_ID ? 0 : attr_get(c->m, a)->n;
    if (n > 2) return check_fail(c, "one for each operand", "precision_config has %u entries, expected at most 2", n);
    return true;
}

static bool default_precision(Check *c) {
    AttrId a = check_attr(c, A_precision_config);
    const Attr *config = a == NO_ID ? NULL : attr_get(c->m, a);
    for (uint32_t i = 0; config && i < config->n; i++)
        if (!span_is(attr_get(c->m, config->items[i])->text, "DEFAULT")) return false;
    return true;
}

// ---- Dimensions ----------------------------------------------------------------------------------------------------

typedef struct DotShapeDims {
    const int64_t *lhs_batch, *rhs_batch, *lhs_contract, *rhs_contract;
    uint32_t n_lhs_batch, n_rhs_batch, n_lhs_contract, n_rhs_contract;
} DotShapeDims;

static bool check_pairs(Check *c, const char *what, const Type *x, const int64_t *a, uint32_t n_a, const Type *y,
                        const int64_t *b, uint32_t n_b) {
    if (n_a != n_b)
        return check_fail(c, check_format(c, "%s dimensions come in pairs", what),
                          "lhs has %u %s dimensions and rhs has %u", n_a, what, n_b);
    for (uint32_t i = 0; i < n_a; i++)
        if (!dims_compatible(x->dims[a[i]], y->dims[b[i]]))
            return check_fail(c, check_format(c, "%s dimensions must have equal sizes", what),
                              "dimension %lld of lhs has size %lld, but dimension %lld of rhs has size %lld",
                              (long long)a[i], (long long)x->dims[a[i]], (long long)b[i], (long long)y->dims[b[i]]);
    return true;
}

static bool check_dot_dims(Check *c, const DotShapeDims *d, const Type *x, const Type *y) {
    static const char lb[] = "lhs_batching_dimensions", rb[] = "rhs_batching_dimensions",
                      lc[] = "lhs_contracting_dimensions", rc[] = "rhs_contracting_dimensions";
    return check_dims(c, lb, d->lhs_batch, d->n_lhs_batch, x->rank, "lhs") &&
           check_dims(c, lc, d->lhs_contract, d->n_lhs_contract, x->rank, "lhs") &&
           check_dims(c, rb, d->rhs_batch, d->n_rhs_batch, y->rank, "rhs") &&
           check_dims(c, rc, d->rhs_contract, d->n_rhs_contract, y->rank, "rhs") &&
           check_disjoint(c, lb, d->lhs_batch, d->n_lhs_batch, lc, d->lhs_contract, d->n_lhs_contract) &&
           check_disjoint(c, rb, d->rhs_batch, d->n_rhs_batch, rc, d->rhs_contract, d->n_rhs_contract) &&
           check_pairs(c, "batching", x, d->lhs_batch, d->n_lhs_batch, y, d->rhs_batch, d->n_rhs_batch) &&
           check_pairs(c, "contracting", x, d->lhs_contract, d->n_lhs_contract, y, d->rhs_contract, d->n_rhs_contract);
}

// A result under construction: dimensions, and bounds if an operand has any.
typedef struct Growing {
    int64_t *dims, *bounds;
    uint32_t n;
} Growing;

static void grow_bounds(Growing *g, int64_t dim, const int64_t *bounds, int64_t i) {
    g->dims[g->n] = dim;
    if (g->bounds) g->bounds[g->n] = bounds && dim == DIM_DYNAMIC ? bounds[i] : DIM_DYNAMIC;
    g->n++;
}

static void grow_free(Growing *g, const Type *t, const int64_t *bounds, const int64_t *batch, uint32_t n_batch,
                      const int64_t *contract, uint32_t n_contract, int64_t group) {
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != group && !has_integer(batch, n_batch, i) && !has_integer(contract, n_contract, i))
            grow_bounds(g, t->dims[i], bounds, i);
}

static bool dot_result_type(Check *c, const Growing *g, const Type *x) {
    Type t = *x;
    t.rank = g->n;
    t.dims = g->dims;
    t.encoding = check_encoding(c, NO_ID, g->bounds, g->n);
    return check_result_shape(c, 0, &t);
}

// ---- Quantized products --------------------------------------------------------------------------------------------

bool check_product_quant(Check *c) {
    const Type *x = in_type(c, 0), *y = in_type(c, 1);
    const Type *r = out_type(c, 0);
    const Quant *p = check_quant(c, x), *q = check_quant(c, y), *s = check_quant(c, r);
    if (!p && !q && !s) return true;
    if (!q || !p != !s)
        return check_fail(c, "quantize rhs; lhs and the result are both quantized or both not",
                          "quantized operands and results do not go together");
    if (!p) {
        if (x->elem == (uint8_t)q->expressed && x->elem == r->elem) return true;
        return check_fail(c, NULL, "rhs expresses %s, but lhs is of %s and the result of %s", elem_text(q->expressed),
                          elem_text((Elem)x->elem), elem_text((Elem)r->elem));
    }
    if (p->storage != q->storage)
        return check_fail(c, NULL, "lhs is stored as %s and rhs as %s", elem_text(p->storage), elem_text(q->storage));
    if (p->expressed != q->expressed || p->expressed != s->expressed)
        return check_fail(c, NULL, "operands and result express different types");
    if (q->axis < 0 && s->axis >= 0) return check_fail(c, NULL, "the result is quantized per axis and rhs is not");
    return true;
}

static bool check_dot_quant(Check *c, const DotShapeDims *d) {
    const Quant *q = check_quant(c, in_type(c, 1));
    for (uint32_t i = 0; q && i < q->n; i++)
        if (q->zeros[i] != 0)
            return check_fail(c, "quantize rhs symmetrically", "rhs has zero point %lld, expected 0",
                              (long long)q->zeros[i]);
    if (q && q->axis >= 0 && has_integer(d->rhs_contract, d->n_rhs_contract, q->axis))
        return check_fail(c, NULL, "rhs is quantized along contracting dimension %d", q->axis);
    return check_product_quant(c);
}

// ---- Rules ---------------------------------------------------------------------------------------------------------

bool shape_dot(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_operand_in(c, 1, IS_TENSOR_AXIS) ||
        !check_result_in(c, 0, IS_TENSOR_AXIS))
        return false;
    const Type *x = in_type(c, 0), *y = in_type(c, 1);
    if (!check_precision(c)) return false;
    if (x->rank < 1 || x->rank > 2 || y->rank < 1 || y->rank > 2)
        return check_fail(c, "use dot_general", "lhs is %s and rhs is %s, expected vectors or matrices",
                          check_tensor_text(c, x), check_tensor_text(c, y));
    if (!dims_compatible(x->dims[x->rank - 1], y->dims[0]))
        return check_fail(c, "the last dimension of lhs meets the first of rhs", "lhs is %s and rhs is %s",
                          check_tensor_text(c, x), check_tensor_text(c, y));
    const int64_t *a = check_bounds(c, x), *b = check_bounds(c, y);
    int64_t dims[2], bounds[2];
    Growing g = {dims, a || b ? bounds : NULL, 0};
    if (x->rank == 2) grow_bounds(&g, x->dims[0], a, 0);
    if (y->rank == 2) grow_bounds(&g, y->dims[1], b, 1);
    return dot_result_type(c, &g, x);
}

static bool known_algorithm(const Module *m, AttrId a) {
    const FieldValue *f[RF_COUNT] = {0};
    const Attr *record = attr_get(m, a);
    for (uint32_t i = 0; i < record->n; i++) f[record->fields[i].field] = &record->fields[i];
    Span text[3];
    static const RecordField types[] = {RF_DOT_ALGORITHM_lhs_precision_type, RF_DOT_ALGORITHM_rhs_precision_type,
                                        RF_DOT_ALGORITHM_accumulation_type};
    for (int i = 0; i < 3; i++) {
        const FieldValue *v = f[types[i]];
        if (!v || (uint64_t)v->i >= m->types.n) return false;
        const Type *t = type_get(m, (TypeId)v->i);
        text[i] = t->kind == TYPE_OPAQUE ? t->text : span_of(elem_text((Elem)t->elem));
    }
    int64_t steps = record_int(m, a, RF_DOT_ALGORITHM_num_primitive_operations, 1);
    bool imprecise = record_int(m, a, RF_DOT_ALGORITHM_allow_imprecise_accumulation, 0) != 0;
    if (record_int(m, a, RF_DOT_ALGORITHM_lhs_component_count, 1) != 1 ||
        record_int(m, a, RF_DOT_ALGORITHM_rhs_component_count, 1) != 1)
        return false;
    Elem x = elem_from_text(text[0]), y = elem_from_text(text[1]);
    bool eight_bits = x >= EL_F8E3M4 && x < EL_F8E8M0FNU && y >= EL_F8E3M4 && y < EL_F8E8M0FNU;
    if (eight_bits && span_is(text[2], "f32") && steps == 1) return true;
    static const struct {
        const char *in, *out;
        int steps;
    } known[] = {{"f16", "f16", 1},  {"f16", "f32", 1},  {"bf16", "bf16", 1}, {"bf16", "f32", 1},
                 {"bf16", "f32", 3}, {"bf16", "f32", 6}, {"bf16", "f32", 9},  {"tf32", "f32", 1},
                 {"tf32", "f32", 3}, {"f32", "f32", 1},  {"f64", "f64", 1}};
    for (size_t i = 0; !imprecise && i < sizeof known / sizeof *known; i++)
        if (span_is(text[0], known[i].in) && span_is(text[1], known[i].in) && span_is(text[2], known[i].out) &&
            steps == known[i].steps)
            return true;
    return false;
}

bool shape_dot_general(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_operand_in(c, 1, IS_TENSOR_AXIS) ||
        !check_result_in(c, 0, IS_TENSOR_AXIS))
        return false;
    AttrId numbers = check_attr(c, A_dot_dimension_numbers), algorithm = check_attr(c, A_algorithm);
    const Type *x = in_type(c, 0), *y = in_type(c, 1);
    DotShapeDims d;
    d.lhs_batch = record_ints(c->m, numbers, RF_DOT_lhs_batching_dimensions, &d.n_lhs_batch);
    d.rhs_batch = record_ints(c->m, numbers, RF_DOT_rhs_batching_dimensions, &d.n_rhs_batch);
    d.lhs_contract = record_ints(c->m, numbers, RF_DOT_lhs_contracting_dimensions, &d.n_lhs_contract);
    d.rhs_contract = record_ints(c->m, numbers, RF_DOT_rhs_contracting_dimensions, &d.n_rhs_contract);
    if (!check_precision(c) || !check_dot_dims(c, &d, x, y)) return false;
    if (algorithm != NO_ID && !known_algorithm(c->m, algorithm))
        return check_fail(c, "leave it out, or name one such as bf16 x bf16 -> f32 with one primitive operation",
                          "algorithm is not known to exist on any hardware");
    if (algorithm != NO_ID && !default_precision(c))
        return check_fail(c, "leave precision_config out", "algorithm is given, but precision is not DEFAULT");

    const int64_t *a = check_bounds(c, x), *b = check_bounds(c, y);
    size_t rank = (size_t)x->rank + y->rank;
    Growing g = {check_array(c, int64_t, rank), a || b ? check_array(c, int64_t, rank) : NULL, 0};
    for (uint32_t i = 0; i < d.n_lhs_batch; i++) {
        int64_t l = d.lhs_batch[i], r = d.rhs_batch[i];
        if (x->dims[l] != DIM_DYNAMIC || (a && a[l] != DIM_DYNAMIC))
            grow_bounds(&g, x->dims[l], a, l);
        else
            grow_bounds(&g, y->dims[r], b, r);
    }
    grow_free(&g, x, a, d.lhs_batch, d.n_lhs_batch, d.lhs_contract, d.n_lhs_contract, -1);
    grow_free(&g, y, b, d.rhs_batch, d.n_rhs_batch, d.rhs_contract, d.n_rhs_contract, -1);
    return check_dot_quant(c, &d) && dot_result_type(c, &g, x);
}

// ---- Ragged --------------------------------------------------------------------------------------------------------

// group_sizes has the dimensions of lhs outside of the ragged one: batching ones, then those of its kind that come
// before it; then the groups.
static bool check_group_sizes(Check *c, const DotShapeDims *d, const Type *x, const Type *sizes, int64_t ragged) {
    if (sizes->rank == 0) return check_fail(c, "group_sizes lists the size of each group", "group_sizes is a scalar");
    if (sizes->rank == 1) return true;
    int64_t *want = check_array(c, int64_t, x->rank);
    uint32_t n = 0;
    bool batch = has_integer(d->lhs_batch, d->n_lhs_batch, ragged),
         contract = has_integer(d->lhs_contract, d->n_lhs_contract, ragged);
    for (uint32_t i = 0; i < d->n_lhs_batch && !(batch && d->lhs_batch[i] == ragged); i++)
        want[n++] = x->dims[d->lhs_batch[i]];
    for (uint32_t i = 0; contract && d->lhs_contract[i] != ragged; i++) want[n++] = x->dims[d->lhs_contract[i]];
    for (uint32_t i = 0; !batch && !contract && i < ragged; i++)
        if (!has_integer(d->lhs_batch, d->n_lhs_batch, i) && !has_integer(d->lhs_contract, d->n_lhs_contract, i))
            want[n++] = x->dims[i];
    bool fits = sizes->rank == n + 1;
    for (uint32_t i = 0; fits && i < n; i++) fits = sizes->dims[i] == want[i];
    return fits || check_fail(c, "or give one list for all",
                              "group_sizes is %s, expected dimensions %s and the number of groups",
                              check_tensor_text(c, sizes), check_ints_text(c, want, n));
}

bool shape_ragged_dot(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS) || !check_operand_in(c, 1, IS_TENSOR_AXIS) ||
        !check_operand_in(c, 2, IS_INT))
        return false;
    if (!check_result_in(c, 0, IS_TENSOR_AXIS)) return false;
    AttrId numbers = check_attr(c, A_ragged_dot_dimension_numbers);
    const Type *x = in_type(c, 0), *y = in_type(c, 1), *sizes = in_type(c, 2);
    DotShapeDims d;
    d.lhs_batch = record_ints(c->m, numbers, RF_RAGGED_DOT_lhs_batching_dimensions, &d.n_lhs_batch);
    d.rhs_batch = record_ints(c->m, numbers, RF_RAGGED_DOT_rhs_batching_dimensions, &d.n_rhs_batch);
    d.lhs_contract = record_ints(c->m, numbers, RF_RAGGED_DOT_lhs_contracting_dimensions, &d.n_lhs_contract);
    d.rhs_contract = record_ints(c->m, numbers, RF_RAGGED_DOT_rhs_contracting_dimensions, &d.n_rhs_contract);
    uint32_t n_ragged, n_group;
    const int64_t *ragged = record_ints(c->m, numbers, RF_RAGGED_DOT_lhs_ragged_dimensions, &n_ragged);
    const int64_t *group = record_ints(c->m, numbers, RF_RAGGED_DOT_rhs_group_dimensions, &n_group);
    if (!check_precision(c) || !check_dot_dims(c, &d, x, y)) return false;
    if (n_ragged != 1) return check_fail(c, NULL, "lhs has %u ragged dimensions, expected 1", n_ragged);
    if (!check_dims(c, "lhs_ragged_dimensions", ragged, 1, x->rank, "lhs") ||
        !check_group_sizes(c, &d, x, sizes, ragged[0]))
        return false;
    if (!check_dims(c, "rhs_group_dimensions", group, n_group, y->rank, "rhs") ||
        !check_disjoint(c, "rhs_group_dimensions", group, n_group, "rhs_batching_dimensions", d.rhs_batch,
                        d.n_rhs_batch) ||
        !check_disjoint(c, "rhs_group_dimensions", group, n_group, "rhs_contracting_dimensions", d.rhs_contract,
                        d.n_rhs_contract))
        return false;

    bool contract = has_integer(d.lhs_contract, d.n_lhs_contract, ragged[0]);
    bool free_dim = !contract && !has_integer(d.lhs_batch, d.n_lhs_batch, ragged[0]);
    int64_t groups = sizes->dims[sizes->rank - 1];
    if (n_group != (free_dim ? 1 : 0))
        return check_fail(
            c, "rhs has a group dimension if the ragged one is neither batching nor contracting, and only then",
            "rhs has %u group dimensions, expected %d", n_group, free_dim);
    if (free_dim && !dims_compatible(groups, y->dims[group[0]]))
        return check_fail(c, NULL, "the group dimension of rhs has size %lld, but there are %lld groups",
                          (long long)y->dims[group[0]], (long long)groups);
    Growing g = {check_array(c, int64_t, (size_t)x->rank + y->rank + 1), NULL, 0};
    if (contract) grow_bounds(&g, groups, NULL, 0);
    for (uint32_t i = 0; i < d.n_lhs_batch; i++) grow_bounds(&g, x->dims[d.lhs_batch[i]], NULL, 0);
    grow_free(&g, x, NULL, d.lhs_batch, d.n_lhs_batch, d.lhs_contract, d.n_lhs_contract, -1);
    grow_free(&g, y, NULL, d.rhs_batch, d.n_rhs_batch, d.rhs_contract, d.n_rhs_contract, n_group ? group[0] : -1);
    return dot_result_type(c, &g, x);
}

// ---- Einsum --------------------------------------------------------------------------------------------------------

// The letters of one term of "ab,bc->ac" and the sizes they stand for. The dialect's own verifier lets any
// configuration pass, and so do we where letters are not plain (an ellipsis): what is there must agree.
static bool read_term(Check *c, Span term, const Type *t, const char *name, int64_t sizes[256]) {
    uint32_t n = 0;
    for (size_t i = 0; i < term.n; i++) {
        unsigned char letter = (unsigned char)term.at[i];
        if (letter == ' ') continue;
        if (n < t->rank) {
            if (!dims_compatible(sizes[letter], t->dims[n]))
                return check_fail(c, "a letter stands for one size", "'%c' is %lld in %s and %lld before", letter,
                                  (long long)t->dims[n], name, (long long)sizes[letter]);
            if (sizes[letter] == DIM_DYNAMIC) sizes[letter] = t->dims[n];
        }
        n++;
    }
    return n == t->rank ||
           check_fail(c, "one letter for each dimension", "%s has %u dimensions, but its term '%.*s' has %u letters",
                      name, t->rank, (int)term.n, term.at, n);
}

bool shape_einsum(Check *c) {
    if (!check_operands_in(c, IS_TENSOR) || !check_results_in(c, IS_TENSOR)) return false;
    Span config = check_text(c, A_einsum_config);
    const char *arrow = NULL;
    for (size_t i = 0; i + 1 < config.n && !arrow; i++)
        if (config.at[i] == '-' && config.at[i + 1] == '>') arrow = config.at + i;
    if (!arrow || memchr(config.at, '.', config.n)) return true;
    Span in = {config.at, (size_t)(arrow - config.at)}, out = {arrow + 2, config.n - in.n - 2};
    int64_t sizes[256];
    for (int i = 0; i < 256; i++) sizes[i] = DIM_DYNAMIC;
    for (uint32_t i = 0; i < c->n_operands; i++) {
        const char *comma = in.n ? memchr(in.at, ',', in.n) : NULL;
        bool last = i + 1 == c->n_operands;
        if (last == (comma != NULL))
            return check_fail(c, "one term for each operand", "einsum_config '%.*s' does not have %u terms",
                              (int)config.n, config.at, c->n_operands);
        Span term = last ? in : (Span){in.at, (size_t)(comma - in.at)};
        if (!read_term(c, term, in_type(c, i), check_operand_name(c, i), sizes)) return false;
        if (!last) in = (Span){comma + 1, in.n - term.n - 1};
    }
    return read_term(c, out, out_type(c, 0), "the result", sizes);
}
