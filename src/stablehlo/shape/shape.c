// Types as the shape rules see them: which kinds of values an op takes, when two types go together, and where inferred
// results end up.
//
//     tensor<4x?xf32> and tensor<?x8xf32> go together: every dimension is equal or not known on one side; together they
//     are tensor<4x8xf32>.
#include "stablehlo/shape/shape.h"
#include <float.h>

// ---- Kinds of types ------------------------------------------------------------------------------------------------

static TypeSet elem_set(const Check *c, const Type *t) {
    if (t->elem == EL_INDEX) return IS_INDEX;
    if (t->elem == EL_QUANT) return check_quant(c, t)->axis >= 0 ? IS_QUANT_AXIS : IS_QUANT;
    return (TypeSet)(1 << elem_class((Elem)t->elem));
}

static const char *bounds_problem(Check *c, const Type *t) {
    uint32_t n;
    const int64_t *bounds = record_ints(c->m, t->encoding, RF_BOUNDS_bounds, &n);
    if (n != t->rank) return check_format(c, "%u bounds for %u dimensions", n, t->rank);
    for (uint32_t i = 0; i < n; i++) {
        if (bounds[i] == DIM_DYNAMIC) continue;
        if (t->dims[i] != DIM_DYNAMIC) return check_format(c, "a bound for dimension %u, which is static", i);
        if (bounds[i] < 0) return check_format(c, "a negative bound for dimension %u", i);
    }
    return NULL;
}

static const char *quant_problem(Check *c, const Type *t) {
    if (t->quant >= c->m->quants.n) return "no quantization parameters";
    const Quant *q = check_quant(c, t);
    int64_t lowest = elem_class(q->storage) == CLASS_UINT ? 0 : -(INT64_C(1) << (elem_bits(q->storage) - 1));
    int64_t highest = (INT64_C(1) << (elem_bits(q->storage) - (lowest ? 1 : 0))) - 1;
    if (q->storage_min < lowest || q->storage_max > highest || q->storage_min > q->storage_max)
        return check_format(c, "storage range %lld..%lld, which is not in the range of %s", (long long)q->storage_min,
                            (long long)q->storage_max, elem_text(q->storage));
    double largest = q->expressed == EL_F16 ? 65504.0 : q->expressed == EL_F64 ? DBL_MAX : FLT_MAX;
    double smallest = q->expressed == EL_F16 ? 0x1p-14 : q->expressed == EL_F64 ? DBL_MIN : FLT_MIN;
    for (uint32_t i = 0; i < q->n; i++)
        if (!(q->scales[i] >= smallest && q->scales[i] <= largest))
            return check_format(c, "scale %g, which is not in the range of %s", q->scales[i], elem_text(q->expressed));
    for (uint32_t i = 0; i < q->n; i++)
        if (q->zeros[i] < q->storage_min || q->zeros[i] > q->storage_max)
            return check_format(c, "zero point %lld outside of the storage range %lld..%lld", (long long)q->zeros[i],
                                (long long)q->storage_min, (long long)q->storage_max);
    if (q->axis < 0 || t->kind != TYPE_TENSOR) return NULL;
    if ((uint32_t)q->axis >= t->rank)
        return check_format(c, "quantized dimension %d of %u dimensions", q->axis, t->rank);
    int64_t size = t->dims[q->axis];
    if (size != DIM_DYNAMIC && size != (int64_t)q->n)
        return check_format(c, "%u scales for quantized dimension %d of size %lld", q->n, q->axis, (long long)size);
    return NULL;
}

static const char *opaque_problem(const Type *t) {
    static const char ours[] = "!stablehlo.", future[] = "!stablehlo.future<";
    bool known = t->text.n < sizeof ours - 1 || memcmp(t->text.at, ours, sizeof ours - 1) != 0 ||
                 (t->text.n > sizeof future && memcmp(t->text.at, future, sizeof future - 1) == 0);
    return known ? NULL : "no type of the dialect";
}

static const char *type_problem(Check *c, const Type *t) {
    if (t->kind == TYPE_OPAQUE) return opaque_problem(t);
    if (!is_tensor(t)) return NULL;
    if (t->kind == TYPE_TENSOR) {
        if (t->rank > MAX_RANK) return check_format(c, "more than %d dimensions", MAX_RANK);
        int64_t elements = 1;
        bool overflow = false, empty = false;
        for (uint32_t i = 0; i < t->rank; i++) {
            if (t->dims[i] == DIM_DYNAMIC) continue;
            if (t->dims[i] < 0) return check_format(c, "a negative dimension, %lld", (long long)t->dims[i]);
            if (t->dims[i] == 0)
                empty = true;
            else if (!overflow)
                overflow = __builtin_mul_overflow(elements, t->dims[i], &elements);
        }
        if (overflow && !empty) return "more than 2^63 elements";
        if (t->encoding != NO_ID) {
            const Attr *a = attr_get(c->m, t->encoding);
            const char *problem = a->kind == ATTR_RECORD && a->sub == RECORD_BOUNDS ? bounds_problem(c, t) : NULL;
            if (problem) return problem;
        }
    }
    return t->elem == EL_QUANT ? quant_problem(c, t) : NULL;
}

TypeSet check_type_set(Check *c, TypeId id) {
    if (id < c->n_sets) return c->sets[id];
    if (id >= c->m->types.n) return IS_BAD;
    const Type *t = type_get(c->m, id);
    if (type_problem(c, t)) return IS_BAD;
    switch ((TypeKind)t->kind) {
    case TYPE_TENSOR: return elem_set(c, t);
    case TYPE_UNRANKED: return elem_set(c, t) | IS_UNRANKED;
    case TYPE_TOKEN: return IS_TOKEN;
    case TYPE_TUPLE: break;
    default: return IS_OPAQUE;
    }
    // The sets of all types are found in order, parts before their tuple, so that a tuple of tuples of … costs no more
    // than its text.
    TypeSet set = IS_TUPLE;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->parts[i] < c->n_sets) set |= c->sets[t->parts[i]];
    return set;
}

static const char *type_hint(const Check *c, TypeId id) {
    const Type *t = id < c->m->types.n ? type_get(c->m, id) : NULL;
    if (!t || t->kind == TYPE_TUPLE) return "a tuple holds tensors, tokens and tuples";
    if (t->kind == TYPE_OPAQUE) return "the dialect has !stablehlo.token and !stablehlo.future<…>";
    if (t->elem == EL_QUANT) return "!quant.uniform<storage<min:max>:expressed:axis, {scale:zero, …}>";
    if (t->encoding != NO_ID)
        return "bounds<…> has an entry for each dimension: a number if it is dynamic, ? if it is static";
    return "at most 64 dimensions, whose sizes multiply to less than 2^63";
}

bool check_value_type(Check *c, TypeId t, const char *what, uint32_t i) {
    TypeSet set = check_type_set(c, t);
    if (!(set & IS_BAD)) return true;
    if (set & IS_REPORTED) return false;
    if (t < c->n_sets) c->sets[t] |= IS_REPORTED;
    const char *problem = t < c->m->types.n ? type_problem(c, type_get(c->m, t)) : NULL;
    return check_fail(c, type_hint(c, t), "%s %u is %s: %s", what, i, check_type_text(c, t),
                      problem ? problem : "a part of it is no type of a value");
}

static const char *set_text(Check *c, TypeSet s) {
    static const struct {
        TypeSet set;
        const char *text;
    } words[] = {{IS_TENSOR_AXIS, "any type"},
                 {IS_TENSOR, "any type but per-axis quantized"},
                 {IS_PLAIN, "any type but quantized"},
                 {IS_BOOL, "i1"},
                 {IS_INT, "integers"},
                 {IS_SINT, "signed integers"},
                 {IS_UINT, "unsigned integers"},
                 {IS_FLOAT, "floats"},
                 {IS_COMPLEX, "complex numbers"},
                 {IS_QUANT | IS_QUANT_AXIS, "quantized integers"},
                 {IS_QUANT, "per-tensor quantized integers"},
                 {IS_QUANT_AXIS, "per-axis quantized integers"},
                 {IS_INDEX, "index"}};
    const char *elems = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((s & words[i].set) == words[i].set) {
            elems = elems ? check_format(c, "%s, %s", elems, words[i].text) : words[i].text;
            s &= (TypeSet)~words[i].set;
        }
    const char *text = elems ? check_format(c, "a %stensor of %s", s & IS_UNRANKED ? "" : "ranked ", elems) : "";
    static const char *const others[] = {"a token", "a tuple", "another dialect's type"};
    for (int i = 0; i < 3; i++)
        if (s & (IS_TOKEN << i)) text = check_format(c, "%s%s%s", text, *text ? " or " : "", others[i]);
    return text;
}

static bool in_set(Check *c, TypeId t, TypeSet allowed) {
    TypeSet is = check_type_set(c, t);
    if (is & IS_BAD) return false;
    return is & (IS_TUPLE | IS_UNRANKED) ? !(is & ~allowed) : is & allowed;
}

static const char *kind_hint(Check *c, TypeId t, TypeSet allowed) {
    TypeSet is = check_type_set(c, t);
    if (is & IS_TENSOR_AXIS && !(is & IS_UNRANKED) && allowed & IS_TENSOR_AXIS)
        return "stablehlo.convert changes the element type";
    if (is & IS_UNRANKED) return "give it a rank";
    return NULL;
}

bool check_operand_in(Check *c, uint32_t i, TypeSet allowed) {
    TypeId t = in_id(c, i);
    if (in_set(c, t, allowed)) return true;
    if (check_type_set(c, t) & IS_REPORTED) return false;
    return check_fail(c, kind_hint(c, t, allowed), "%s is %s, expected %s", check_operand_name(c, i),
                      check_type_text(c, t), set_text(c, allowed));
}

bool check_operands_in(Check *c, TypeSet allowed) {
    for (uint32_t i = 0; i < c->n_operands; i++)
        if (!check_operand_in(c, i, allowed)) return false;
    return true;
}

bool check_result_in(Check *c, uint32_t i, TypeSet allowed) {
    if (in_set(c, out_id(c, i), allowed)) return true;
    return check_fail(c, kind_hint(c, out_id(c, i), allowed), "%s is %s, expected %s", check_result_name(c, i),
                      check_type_text(c, out_id(c, i)), set_text(c, allowed));
}

bool check_results_in(Check *c, TypeSet allowed) {
    for (uint32_t i = 0; i < c->n_results; i++)
        if (!check_result_in(c, i, allowed)) return false;
    return true;
}

// ---- Going together ------------------------------------------------------------------------------------------------

const Quant *check_quant(const Check *c, const Type *t) {
    return t->elem == EL_QUANT ? &c->m->quants.at[t->quant] : NULL;
}

Elem check_real_elem(Elem e) { return e == EL_C64 ? EL_F32 : e == EL_C128 ? EL_F64 : e; }
Elem check_complex_elem(Elem e) { return e == EL_F32 ? EL_C64 : e == EL_F64 ? EL_C128 : EL_COUNT; }

const int64_t *check_bounds(const Check *c, const Type *t) {
    if (t->encoding == NO_ID || t->kind != TYPE_TENSOR) return NULL;
    const Attr *a = attr_get(c->m, t->encoding);
    if (a->kind != ATTR_RECORD || a->sub != RECORD_BOUNDS) return NULL;
    uint32_t n;
    const int64_t *bounds = record_ints(c->m, t->encoding, RF_BOUNDS_bounds, &n);
    return n == t->rank ? bounds : NULL;
}

AttrId check_encoding(Check *c, AttrId like, const int64_t *bounds, uint32_t rank) {
    if (!bounds) return like;
    for (uint32_t i = 0; i < rank; i++)
        if (bounds[i] != DIM_DYNAMIC) {
            FieldValue field = {.field = RF_BOUNDS_bounds, .n = rank, .ints = bounds};
            return attr_record(c->m, RECORD_BOUNDS, &field, 1);
        }
    return NO_ID;
}

bool check_same_shape(const Type *a, const Type *b) {
    if (a->kind == TYPE_UNRANKED || b->kind == TYPE_UNRANKED) return true;
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!dims_compatible(a->dims[i], b->dims[i])) return false;
    return true;
}

bool check_same_elem(const Check *c, const Type *a, const Type *b) {
    if (a->elem != b->elem) return false;
    if (a->elem != EL_QUANT || a->quant == b->quant) return true;
    const Quant *p = check_quant(c, a), *q = check_quant(c, b);
    bool same = check_like_elem(c, a, b) && p->axis == q->axis && p->n == q->n;
    for (uint32_t i = 0; same && i < p->n; i++) same = p->scales[i] == q->scales[i] && p->zeros[i] == q->zeros[i];
    return same;
}

bool check_like_elem(const Check *c, const Type *a, const Type *b) {
    if (a->elem != b->elem) return false;
    if (a->elem != EL_QUANT || a->quant == b->quant) return true;
    const Quant *p = check_quant(c, a), *q = check_quant(c, b);
    return p->storage == q->storage && p->storage_min == q->storage_min && p->storage_max == q->storage_max &&
           p->expressed == q->expressed && (p->axis >= 0) == (q->axis >= 0);
}

static bool within(const Type *t, const int64_t *bounds) {
    for (uint32_t i = 0; bounds && i < t->rank; i++)
        if (bounds[i] != DIM_DYNAMIC && t->dims[i] > bounds[i]) return false;
    return true;
}

bool check_compatible(const Check *c, const Type *a, const Type *b) {
    if (!check_like_elem(c, a, b) || !check_same_shape(a, b)) return false;
    if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR) return true;
    return within(a, check_bounds(c, b)) && within(b, check_bounds(c, a));
}

bool check_compatible_ids(const Check *c, TypeId a, TypeId b) {
    if (a == b) return true;
    const Type *p = type_get(c->m, a), *q = type_get(c->m, b);
    return is_tensor(p) && is_tensor(q) && check_compatible(c, p, q);
}

Type check_copy(Check *c, const Type *t, int64_t **dims) {
    Type copy = *t;
    *dims = check_array(c, int64_t, t->rank);
    if (t->rank) memcpy(*dims, t->dims, t->rank * sizeof **dims);
    copy.dims = *dims;
    return copy;
}

bool check_merge(Check *c, Type *to, int64_t *dims, const Type *t, uint32_t operand, int64_t skip) {
    if (to->kind != TYPE_TENSOR || t->kind != TYPE_TENSOR) {
        if (t->kind == TYPE_TENSOR) *to = *t;
        return true;
    }
    static const char hint[] = "operands must have the same shape; broadcast_in_dim makes them so";
    if (to->rank != t->rank)
        return check_fail(c, hint, "%s is %s, but the operands before it have %u dimensions",
                          check_operand_name(c, operand), check_tensor_text(c, t), to->rank);
    const int64_t *a = check_bounds(c, to), *b = check_bounds(c, t);
    int64_t *bounds = a || b ? check_array(c, int64_t, t->rank) : NULL;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t bound_a = a ? a[i] : DIM_DYNAMIC, bound_b = b ? b[i] : DIM_DYNAMIC;
        int64_t bound = bound_a == DIM_DYNAMIC                        ? bound_b
                        : bound_b == DIM_DYNAMIC || bound_a < bound_b ? bound_a
                                                                      : bound_b;
        if (bounds) bounds[i] = DIM_DYNAMIC;
        if (i == skip) continue;
        if (!dims_compatible(dims[i], t->dims[i]))
            return check_fail(c, hint, "%s is %s, but dimension %u of the operands before it is %s",
                              check_operand_name(c, operand), check_tensor_text(c, t), i, check_dim_text(c, dims[i]));
        if (dims[i] == DIM_DYNAMIC) dims[i] = t->dims[i];
        if (bound != DIM_DYNAMIC && dims[i] > bound)
            return check_fail(c, NULL, "%s is %s, but dimension %u is %lld with a bound of %lld",
                              check_operand_name(c, operand), check_tensor_text(c, t), i, (long long)dims[i],
                              (long long)bound);
        if (bounds && dims[i] == DIM_DYNAMIC) bounds[i] = bound;
    }
    to->encoding = check_encoding(c, to->encoding, bounds, t->rank);
    return true;
}

// ---- Results -------------------------------------------------------------------------------------------------------

static const char follows[] = "the result type follows from the operands and attributes";

bool check_result(Check *c, uint32_t i, const Type *t) {
    if (check_compatible(c, t, out_type(c, i)) && is_tensor(out_type(c, i))) return true;
    return check_fail(c, follows, "%s is %s, expected %s", check_result_name(c, i), check_type_text(c, out_id(c, i)),
                      check_tensor_text(c, t));
}

bool check_result_id(Check *c, uint32_t i, TypeId t) {
    if (check_compatible_ids(c, out_id(c, i), t)) return true;
    return check_fail(c, follows, "%s is %s, expected %s", check_result_name(c, i), check_type_text(c, out_id(c, i)),
                      check_type_text(c, t));
}

bool check_result_shape(Check *c, uint32_t i, const Type *t) {
    const Type *out = out_type(c, i);
    if (is_tensor(out) && check_same_shape(t, out)) return true;
    return check_fail(c, follows, "%s is %s, expected dimensions %s", check_result_name(c, i),
                      check_type_text(c, out_id(c, i)), check_ints_text(c, t->dims, t->rank));
}

bool check_result_count(Check *c, uint32_t n) {
    if (c->n_results == n) return true;
    return check_fail(c, NULL, "%u result%s, expected %u", c->n_results, plural(c->n_results), n);
}
