// Shape rules of ops that combine elements by a region: reduce, sort, map, scan, top_k. Here is also what makes a
// region a reducer.
//
//     stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
//       reducer(%a: tensor<f32>, %b: tensor<f32>) { %s = stablehlo.add %a, %b : tensor<f32>   stablehlo.return %s … }
#include "stablehlo/shape/shape.h"

// ---- Regions -------------------------------------------------------------------------------------------------------

bool check_returns(Check *c, uint32_t i, const ValueId **values, uint32_t *n) {
    const Region *r = &c->m->regions.at[c->regions[i]];
    OpKind last = r->last == NO_ID ? OP_COUNT : op_kind(c->m, r->last);
    if (!op_is_terminator(last)) return check_fail(c, "end it with a return", "region %u has no terminator", i);
    *values = op_operands(c->m, r->last);
    *n = op_get(c->m, r->last)->n_operands;
    return true;
}

bool check_region_arguments(Check *c, uint32_t i, uint32_t want) {
    uint32_t n = c->m->regions.at[c->regions[i]].n_args;
    return n == want ||
           check_fail(c, NULL, "region %u takes %u argument%s, expected %u", i, n, plural(n), want);
}

bool check_returns_bool(Check *c, uint32_t i, const char *name) {
    const ValueId *values;
    uint32_t n;
    if (!check_returns(c, i, &values, &n)) return false;
    if (n != 1) return check_fail(c, "return one tensor<i1>", "%s returns %u values, expected 1", name, n);
    const Type *t = value_tensor(c->m, values[0]);
    if (is_ranked(t) && t->rank == 0 && t->elem == EL_I1) return true;
    return check_fail(c, "return one tensor<i1>", "%s returns %s, expected tensor<i1>", name, check_tensor_text(c, t));
}

// Accumulators may be wider than what they take in: same class of elements, and at least as many bits.
static bool promotable(const Check *c, const Type *from, const Type *to) {
    if (!is_tensor(from) || !is_tensor(to)) return false;
    const Quant *p = check_quant(c, from), *q = check_quant(c, to);
    if (p || q) return p && q && p->expressed == q->expressed && elem_bits(p->storage) <= elem_bits(q->storage);
    ElemClass a = elem_class((Elem)from->elem), b = elem_class((Elem)to->elem);
    if (a == CLASS_FLOAT || b == CLASS_FLOAT) return a == b;
    if ((a == CLASS_COMPLEX) != (b == CLASS_COMPLEX)) return false;
    return elem_bits((Elem)from->elem) <= elem_bits((Elem)to->elem);
}

static bool same_or_float(const Check *c, const Type *a, const Type *b) {
    if (!is_tensor(a) || !is_tensor(b) || !check_same_shape(a, b)) return false;
    return check_same_elem(c, a, b) ||
           (elem_class((Elem)a->elem) == CLASS_FLOAT && elem_class((Elem)b->elem) == CLASS_FLOAT);
}

// The dimensions of an argument are some of the allowed ones, in order.
static bool is_subshape(const Type *t, const int64_t *allowed, uint32_t n) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n && found < t->rank; i++)
        if (dims_compatible(allowed[i], t->dims[found])) found++;
    return found == t->rank;
}

bool check_reducer(Check *c, uint32_t region, uint32_t n, const Type *const *inputs, const Type *const *inits,
                   const int64_t *allowed, uint32_t n_allowed) {
    const ValueId *returns;
    uint32_t n_returns;
    if (!check_region_arguments(c, region, 2 * n) || !check_returns(c, region, &returns, &n_returns)) return false;
    static const char hint[] = "it takes accumulators, then values, and returns accumulators";
    if (n_returns != n)
        return check_fail(c, hint, "region %u returns %u value%s, expected %u", region, n_returns,
                          plural(n_returns), n);
    for (uint32_t i = 0; i < n; i++) {
        const Type *sum = value_tensor(c->m, returns[i]), *left = value_tensor(c->m, region_argument(c, region, i)),
                   *right = value_tensor(c->m, region_argument(c, region, n + i));
        if (sum == left && sum == right && sum == inits[i] && sum->elem == inputs[i]->elem && is_ranked(sum) &&
            sum->rank == 0 && sum->elem != EL_QUANT)
            continue;
        if (!is_ranked(sum) || !is_ranked(left) || !is_ranked(right))
            return check_fail(c, hint, "region %u returns %s, expected a tensor", region, check_tensor_text(c, sum));
        if (!check_same_shape(sum, left) || !check_same_elem(c, sum, left))
            return check_fail(c, hint, "argument %u of region %u is %s, but it returns %s", i, region,
                              check_tensor_text(c, left), check_tensor_text(c, sum));
        if (!same_or_float(c, sum, right))
            return check_fail(c, hint, "argument %u of region %u is %s, but it returns %s", n + i, region,
                              check_tensor_text(c, right), check_tensor_text(c, sum));
        if (!check_same_shape(inits[i], sum) || !promotable(c, inits[i], sum))
            return check_fail(c, "the accumulator starts as the initial value",
                              "region %u accumulates %s, but starts from %s", region, check_tensor_text(c, sum),
                              check_tensor_text(c, inits[i]));
        if (!promotable(c, inputs[i], right))
            return check_fail(c, "arguments take the elements of the input",
                              "argument %u of region %u is %s, but the input is of %s", n + i, region,
                              check_tensor_text(c, right), elem_text((Elem)inputs[i]->elem));
        if (!is_subshape(right, allowed, n_allowed))
            return check_fail(c, "use scalars", "argument %u of region %u is %s: too many dimensions", n + i, region,
                              check_tensor_text(c, right));
    }
    return true;
}

Type check_accumulator(Check *c, uint32_t region, uint32_t j, const Type *input) {
    Type t = *input;
    OpId last = c->m->regions.at[c->regions[region]].last;
    const Type *sum = value_tensor(c->m, op_operand(c->m, last, j));
    t.elem = sum->elem;
    t.quant = sum->quant;
    return t;
}

// ---- Rules ---------------------------------------------------------------------------------------------------------

bool shape_reduce(Check *c) {
    if (c->n_operands == 0 || c->n_operands % 2)
        return check_fail(c, "inputs, then as many init values", "%u operands, expected an even number, 2 or more",
                          c->n_operands);
    uint32_t n = c->n_operands / 2, n_dims;
    if (!check_operands_in(c, IS_TENSOR) || !check_result_count(c, n)) return false;
    const int64_t *dims = check_ints(c, A_dimensions, &n_dims);
    const Type **types = check_array(c, const Type *, c->n_operands);
    for (uint32_t i = 0; i < c->n_operands; i++) types[i] = in_type(c, i);
    Type x = *types[0];
    for (uint32_t i = 1; i < n; i++)
        if (!check_same_shape(&x, types[i]))
            return check_fail(c, "inputs have one shape", "input %u is %s, but input 0 is %s", i,
                              check_tensor_text(c, types[i]), check_tensor_text(c, &x));
    if (!check_dims(c, "dimensions", dims, n_dims, x.rank, "the input") ||
        !check_distinct(c, "dimensions", dims, n_dims))
        return false;

    const int64_t *from = check_bounds(c, &x);
    uint32_t rank = 0;
    int64_t *left = check_array(c, int64_t, x.rank), *bounds = from ? check_array(c, int64_t, x.rank) : NULL;
    for (uint32_t i = 0; i < x.rank; i++) {
        if (has_integer(dims, n_dims, i)) continue;
        if (from) bounds[rank] = from[i];
        left[rank++] = x.dims[i];
    }
    if (!check_reducer(c, 0, n, types, types + n, left, rank)) return false;
    AttrId encoding = check_encoding(c, NO_ID, bounds, rank);
    for (uint32_t i = 0; i < n; i++) {
        Type t = check_accumulator(c, 0, i, in_type(c, i));
        t.rank = rank;
        t.dims = left;
        t.encoding = encoding;
        if (!check_result(c, i, &t)) return false;
    }
    return true;
}

bool shape_sort(Check *c) {
    if (!c->n_operands) return check_fail(c, "sort at least one tensor", "no operands");
    if (!check_operands_in(c, IS_TENSOR) || !check_result_count(c, c->n_operands)) return false;
    const Type *x = in_type(c, 0);
    int64_t dim = check_int(c, A_dimension, -1);
    if (dim < -(int64_t)x->rank || dim >= (int64_t)x->rank)
        return check_fail(c, check_format(c, "-%u..%u", x->rank, x->rank - 1), "dimension %lld is out of range",
                          (long long)dim);
    if (!check_region_arguments(c, 0, 2 * c->n_operands)) return false;
    for (uint32_t i = 0; i < c->n_operands; i++) {
        const Type *t = in_type(c, i);
        if (!check_same_shape(x, t))
            return check_fail(c, "inputs have one shape", "input %u is %s, but input 0 is %s", i,
                              check_tensor_text(c, t), check_tensor_text(c, x));
        for (uint32_t k = 2 * i; k < 2 * i + 2; k++) {
            const Type *argument = value_tensor(c->m, region_argument(c, 0, k));
            if (!is_ranked(argument) || argument->rank || !check_same_elem(c, argument, t))
                return check_fail(c, "the comparator takes two elements of each input",
                                  "argument %u of the comparator is %s, but input %u is %s", k,
                                  check_tensor_text(c, argument), i, check_tensor_text(c, t));
        }
    }
    if (!check_returns_bool(c, 0, "the comparator")) return false;
    for (uint32_t i = 0; i < c->n_operands; i++)
        if (!check_result_id(c, i, in_id(c, i))) return false;
    return true;
}

bool shape_map(Check *c) {
    if (!c->n_operands) return check_fail(c, "map over at least one tensor", "no operands");
    if (!check_operands_in(c, IS_TENSOR) || !check_region_arguments(c, 0, c->n_operands)) return false;
    uint32_t n, n_returns;
    const int64_t *dims = check_ints(c, A_dimensions, &n);
    const Type *x = in_type(c, 0);
    for (uint32_t i = 0; i < c->n_operands; i++) {
        const Type *t = in_type(c, i), *argument = value_tensor(c->m, region_argument(c, 0, i));
        if (!check_same_shape(x, t))
            return check_fail(c, "inputs have one shape", "input %u is %s, but input 0 is %s", i,
                              check_tensor_text(c, t), check_tensor_text(c, x));
        if (!is_ranked(argument) || argument->rank || !check_same_elem(c, argument, t))
            return check_fail(c, "the computation takes one element of each input",
                              "argument %u of the computation is %s, but input %u is %s", i,
                              check_tensor_text(c, argument), i, check_tensor_text(c, t));
    }
    if (!check_length(c, "dimensions", n, x->rank, "dimension of the inputs")) return false;
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] != i)
            return check_fail(c, "list all dimensions in order", "dimensions are %s", check_ints_text(c, dims, n));
    const ValueId *returns;
    if (!check_returns(c, 0, &returns, &n_returns)) return false;
    if (n_returns != 1) return check_fail(c, NULL, "the computation returns %u values, expected 1", n_returns);
    const Type *y = value_tensor(c->m, returns[0]);
    if (!is_ranked(y) || y->rank)
        return check_fail(c, NULL, "the computation returns %s, expected a scalar", check_tensor_text(c, y));
    Type t = check_accumulator(c, 0, 0, x);
    return check_result(c, 0, &t);
}

bool shape_top_k(Check *c) {
    if (!check_operand_in(c, 0, IS_TENSOR_AXIS | IS_UNRANKED)) return false;
    if (!is_ranked(in_type(c, 0))) return true;
    int64_t k = check_int(c, A_k, 0), *dims;
    Type t = check_copy(c, in_type(c, 0), &dims);
    if (t.rank < 1) return check_fail(c, "top_k works along the last dimension", "operand is a scalar");
    int64_t last = dims[t.rank - 1];
    if (k < 0 || (last != DIM_DYNAMIC && last < k))
        return check_fail(c, "0 <= k <= last dimension", "k is %lld, but the last dimension of operand has size %s",
                          (long long)k, check_dim_text(c, last));
    dims[t.rank - 1] = k;
    const int64_t *from = check_bounds(c, &t);
    int64_t *bounds = from ? check_array(c, int64_t, t.rank) : NULL;
    for (uint32_t i = 0; from && i < t.rank; i++) bounds[i] = i + 1 == t.rank ? DIM_DYNAMIC : from[i];
    t.encoding = check_encoding(c, t.encoding, bounds, t.rank);
    if (!check_result(c, 0, &t)) return false;
    t.elem = EL_I32;
    t.quant = 0;
    return check_result(c, 1, &t);
}

// chlo.scan: inputs are taken apart along one dimension, carried values go from step to step; the body returns outputs,
// then the carried values. How many operands are inputs follows from the body's arguments: an input has one dimension
// more than its argument.
bool shape_scan(Check *c) {
    if (!check_operands_in(c, IS_TENSOR_AXIS)) return false;
    const Region *body = &c->m->regions.at[c->regions[0]];
    int64_t dim = check_int(c, A_dimension, 0), size = check_int(c, A_scan_dim_size, DIM_DYNAMIC);
    if (dim < 0 || (size < 0 && size != DIM_DYNAMIC))
        return check_fail(c, NULL, "dimension or scan_dim_size is negative");
    if (!check_region_arguments(c, 0, c->n_operands)) return false;
    uint32_t n_inputs = 0, n_returns;
    for (uint32_t i = 0; i < c->n_operands; i++) {
        const Type *x = in_type(c, i), *argument = value_tensor(c->m, body->first_arg + i);
        if (!is_ranked(argument))
            return check_fail(c, NULL, "argument %u of the body is %s", i, check_tensor_text(c, argument));
        bool input = x->rank == argument->rank + 1;
        int64_t *dims;
        Type t = check_copy(c, x, &dims);
        if (input) {
            if (i != n_inputs)
                return check_fail(c, "inputs come before carried values",
                                  "operand %u is %s, but argument %u of the body is %s", i, check_tensor_text(c, x), i,
                                  check_tensor_text(c, argument));
            if (!check_dim(c, "dimension", dim, x->rank, check_operand_name(c, i))) return false;
            if (!dims_compatible(size, dims[dim]))
                return check_fail(c, "inputs have one size along the scan dimension",
                                  "operand %u is %s, but the scan has %lld steps", i, check_tensor_text(c, x),
                                  (long long)size);
            if (size == DIM_DYNAMIC) size = dims[dim];
            memmove(dims + dim, dims + dim + 1, (x->rank - (size_t)dim - 1) * sizeof *dims);
            t.rank--;
            t.encoding = NO_ID;
            n_inputs++;
        }
        if (!check_compatible(c, &t, argument))
            return check_fail(c, "the body takes a slice of each input, and each carried value",
                              "argument %u of the body is %s, expected %s", i, check_tensor_text(c, argument),
                              check_tensor_text(c, &t));
    }
    const ValueId *returns;
    uint32_t n_carries = c->n_operands - n_inputs;
    if (!check_returns(c, 0, &returns, &n_returns)) return false;
    if (n_returns < n_carries || (n_inputs == 0 && n_returns == n_carries))
        return check_fail(c, "outputs, then one value for each that is carried",
                          "the body returns %u values for %u carried ones", n_returns, n_carries);
    if (!check_result_count(c, n_returns)) return false;
    for (uint32_t i = 0; i < n_returns; i++) {
        const Type *y = value_tensor(c->m, returns[i]);
        if (!is_ranked(y))
            return check_fail(c, NULL, "the body returns %s, expected a ranked tensor", check_tensor_text(c, y));
        Type t = *y;
        if (i < n_returns - n_carries) {
            if (dim > (int64_t)y->rank)
                return check_fail(c, NULL, "output %u is %s: it has no dimension %lld", i, check_tensor_text(c, y),
                                  (long long)dim);
            int64_t *dims = check_array(c, int64_t, (size_t)y->rank + 1);
            for (uint32_t k = 0; k <= y->rank; k++) dims[k] = k < dim ? y->dims[k] : k == dim ? size : y->dims[k - 1];
            t.dims = dims;
            t.rank++;
            t.encoding = NO_ID;
        }
        if (!check_result(c, i, &t)) return false;
    }
    return true;
}
