// reduce, map and scan: a body applied along dimensions.
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/reduce/body.h"
#include "interp/tensor/copy.h"

// The dimensions of an operand as runs that are kept or reduced whole: [2, 3, 4, 5] reduced over {2, 3} is kept 6,
// reduced 20.
typedef struct ReduceGroups {
    uint32_t n;
    int64_t size[MAX_RANK];
    bool reduced[MAX_RANK];
    int64_t kept, total; // kept elements; elements of one kept element's reduction
} ReduceGroups;

static ReduceGroups group_dims(const Tensor *x, const bool *reduced) {
    ReduceGroups g = {.kept = 1, .total = 1};
    for (uint32_t i = 0; i < x->rank; i++) {
        *(reduced[i] ? &g.total : &g.kept) *= x->dims[i];
        if (g.n && g.reduced[g.n - 1] == reduced[i]) {
            g.size[g.n - 1] *= x->dims[i];
        } else {
            g.reduced[g.n] = reduced[i];
            g.size[g.n++] = x->dims[i];
        }
    }
    return g;
}

// ---- With a monoid: halves are combined, so that each step is one call on arrays -----------------------------------

typedef struct Fold {
    Elementwise f; // on the type that is computed in
    Elem from, as;
    size_t size;
    char *wide, *ping, *pong;
} Fold;

// The combination of n elements at `row`, which are of the computed type; left at the returned place.
static const char *fold_row(const Fold *fold, const char *row, int64_t n) {
    char *to = fold->ping, *other = fold->pong;
    while (n > 1) {
        int64_t half = n / 2;
        fold->f.fn(to, (const void *[]){row, row + (size_t)half * fold->size}, half);
        if (n & 1) memcpy(to + (size_t)half * fold->size, row + (size_t)(n - 1) * fold->size, fold->size);
        n = half + (n & 1);
        row = to;
        to = other;
        other = (char *)(uintptr_t)row;
    }
    return row;
}

static void fold_all(const Fold *fold, const ReduceGroups *g, const Tensor *x, char *acc) {
    int64_t index[MAX_RANK] = {0}, stride[MAX_RANK], kept_stride = 1;
    for (uint32_t i = g->n; i-- > 0;) {
        stride[i] = g->reduced[i] ? 0 : kept_stride;
        if (!g->reduced[i]) kept_stride *= g->size[i];
    }
    uint32_t last = g->n - 1;
    int64_t run = g->size[last];
    const char *row = x->data;
    size_t bytes = (size_t)run * elem_bytes((Elem)x->elem);
    do {
        int64_t at = 0;
        for (uint32_t i = 0; i < last; i++) at += index[i] * stride[i];
        const char *wide = row;
        if (fold->from != fold->as) {
            elements_convert(fold->from, fold->as, row, fold->wide, run);
            wide = fold->wide;
        }
        char *to = acc + (size_t)at * fold->size;
        if (g->reduced[last])
            fold->f.fn(to, (const void *[]){to, fold_row(fold, wide, run)}, 1);
        else
            fold->f.fn(to, (const void *[]){to, wide}, run);
        row += bytes;
    } while (shape_next(last, g->size, index));
}

// A scalar of another type: the element type in which sums are kept is wider than the operand's.
static void init_acc(Elem from, Elem as, const Tensor *init, char *acc, int64_t n) {
    char one[16];
    elements_convert(from, as, init->data, one, 1);
    copy_splat(elem_bytes(as), acc, one, n);
}

static bool reduce_monoid(Exec *e, const ReduceGroups *g, Monoid monoid, const Tensor *x, const Tensor *init,
                          Tensor *out) {
    Elem elem = (Elem)out->elem, as = elem_compute(elem);
    Fold fold = {.from = (Elem)x->elem, .as = as, .size = elem_bytes(as)};
    if (!elementwise_find_kind(monoid_op(monoid, as), 2, (Elem[]){as, as}, as, &fold.f) || fold.f.in_as[0] != as)
        return false;
    int64_t run = g->n ? g->size[g->n - 1] : 1;
    char *acc = as == elem ? out->data : exec_scratch_array(e, out->n, fold.size);
    fold.wide = exec_scratch_array(e, run, fold.size);
    fold.ping = exec_scratch_array(e, run, fold.size);
    fold.pong = exec_scratch_array(e, run, fold.size);
    init_acc((Elem)init->elem, as, init, acc, out->n);
    if (x->n && g->n)
        fold_all(&fold, g, x, acc);
    else if (x->n) // a scalar, reduced over nothing
        fold.f.fn(acc, (const void *[]){acc, (elements_convert(fold.from, as, x->data, fold.wide, 1), fold.wide)}, 1);
    if (as != elem) elements_convert(as, elem, acc, out->data, out->n);
    return true;
}

// ---- With any body -------------------------------------------------------------------------------------------------

// The elements of x as the body wants them, ordered [reduced][kept].
static char *reduced_first(Exec *e, const Tensor *x, const bool *reduced, Elem want) {
    int64_t strides[MAX_RANK], dims[MAX_RANK], from[MAX_RANK];
    uint32_t n = 0;
    shape_strides(x->rank, x->dims, strides);
    for (int pass = 1; pass >= 0; pass--)
        for (uint32_t i = 0; i < x->rank; i++)
            if (reduced[i] == (pass == 1)) {
                dims[n] = x->dims[i];
                from[n++] = strides[i];
            }
    char *moved = exec_scratch_array(e, x->n, elem_bytes((Elem)x->elem));
    copy_into_dense(elem_bytes((Elem)x->elem), n, dims, moved, x->data, from);
    if (want == (Elem)x->elem) return moved;
    char *converted = exec_scratch_array(e, x->n, elem_bytes(want));
    elements_convert((Elem)x->elem, want, moved, converted, x->n);
    return converted;
}

static Elem argument_elem(const Module *m, ValueId v) {
    const Type *t = value_tensor(m, v);
    return t->elem == EL_QUANT ? m->quants.at[t->quant].storage : (Elem)t->elem;
}

static bool reduce_body(Exec *e, OpId op, const ReduceGroups *g, const bool *reduced, uint32_t n, Tensor **out) {
    RegionId r = op_region(e->m, op, 0);
    ValueId first = e->m->regions.at[r].first_arg;
    Body *body = body_prepare(e, r);
    const char **moved = exec_scratch(e, n * sizeof *moved);
    const void **args = exec_scratch(e, 2 * n * sizeof *args);
    void **results = exec_scratch(e, n * sizeof *results);
    for (uint32_t i = 0; i < n; i++) {
        Elem elem = (Elem)out[i]->elem;
        moved[i] = reduced_first(e, exec_in(e, op, i), reduced, argument_elem(e->m, first + n + i));
        Tensor *init = exec_in(e, op, n + i);
        init_acc((Elem)init->elem, elem, init, out[i]->data, out[i]->n);
        args[i] = results[i] = out[i]->data;
    }
    exec_work(e, op, (double)g->total * (double)g->kept);
    for (int64_t k = 0; k < g->total; k++) {
        for (uint32_t i = 0; i < n; i++)
            args[n + i] = moved[i] + (size_t)(k * g->kept) * elem_bytes(argument_elem(e->m, first + n + i));
        if (!body_call(e, body, args, results, g->kept)) return false;
    }
    return true;
}

bool kernel_reduce(Exec *e, OpId op) {
    uint32_t n = op_get(e->m, op)->n_operands / 2, n_dims;
    const int64_t *dimensions = op_attr_ints(e->m, op, A_dimensions, &n_dims);
    Tensor *x = exec_in(e, op, 0);
    bool reduced[MAX_RANK] = {false};
    for (uint32_t i = 0; i < n_dims; i++) reduced[dimensions[i]] = true;
    int64_t dims[MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++)
        if (!reduced[i]) dims[rank++] = x->dims[i];
    ReduceGroups g = group_dims(x, reduced);
    Tensor **out = exec_scratch(e, n * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        if (!tensor_same_shape(exec_in(e, op, i), x)) return exec_error(e, op, NULL, "operands differ in shape");
        out[i] = exec_out(e, op, i, rank, dims);
    }
    Monoid monoid;
    if (n == 1 && body_monoid(e, op_region(e->m, op, 0), &monoid) &&
        reduce_monoid(e, &g, monoid, x, exec_in(e, op, 1), out[0]))
        return true;
    return reduce_body(e, op, &g, reduced, n, out);
}

// ---- map, scan -----------------------------------------------------------------------------------------------------

bool kernel_map(Exec *e, OpId op) {
    uint32_t n = op_get(e->m, op)->n_operands;
    const void **args = exec_scratch(e, n * sizeof *args);
    Tensor *x = exec_in(e, op, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (!tensor_same_shape(exec_in(e, op, i), x)) return exec_error(e, op, NULL, "operands differ in shape");
        args[i] = exec_in(e, op, i)->data;
    }
    Tensor *out = exec_out(e, op, 0, x->rank, x->dims);
    Body *body = body_prepare(e, op_region(e->m, op, 0));
    return body_call(e, body, args, (void *[]){out->data}, x->n);
}

// Copies slice k of `stacked` along dimension d to (or from) `part`, which lacks that dimension.
static void copy_slice(Tensor *stacked, int64_t d, int64_t k, Tensor *part, bool into) {
    int64_t strides[MAX_RANK], near[MAX_RANK], far[MAX_RANK];
    size_t size = elem_bytes((Elem)stacked->elem);
    shape_strides(stacked->rank, stacked->dims, strides);
    shape_strides(part->rank, part->dims, near);
    for (uint32_t i = 0; i < part->rank; i++) far[i] = strides[i < d ? i : i + 1];
    char *at = stacked->data + (size_t)(k * strides[d]) * size;
    if (into)
        copy_strided(size, part->rank, part->dims, at, far, part->data, near);
    else
        copy_strided(size, part->rank, part->dims, part->data, near, at, far);
}

static Tensor *without_dim(Exec *e, const Tensor *x, int64_t d) {
    int64_t dims[MAX_RANK];
    for (uint32_t i = 0; i + 1 < x->rank; i++) dims[i] = x->dims[i < d ? i : i + 1];
    return exec_new(e, (Elem)x->elem, x->rank - 1, dims);
}

static Tensor *with_dim(Exec *e, OpId op, uint32_t result, const Tensor *part, int64_t d, int64_t size) {
    int64_t dims[MAX_RANK + 1];
    for (uint32_t i = 0; i <= part->rank; i++) dims[i] = i < d ? part->dims[i] : i == d ? size : part->dims[i - 1];
    return exec_out(e, op, result, part->rank + 1, dims);
}

// body(slices of the inputs…, carries…) -> (slices of the outputs…, carries…), along one dimension.
bool kernel_scan(Exec *e, OpId op) {
    const Op *o = op_get(e->m, op);
    RegionId r = op_region(e->m, op, 0);
    ValueId first = e->m->regions.at[r].first_arg;
    uint32_t n_in = 0;
    while (n_in < o->n_operands && operand_type(e->m, op, n_in)->rank == value_tensor(e->m, first + n_in)->rank + 1)
        n_in++;
    uint32_t n_carry = o->n_operands - n_in;
    if (n_in == 0 || n_carry > o->n_results)
        return exec_error(e, op, NULL, "a scan needs inputs with a dimension to scan");
    uint32_t n_out = o->n_results - n_carry;
    int64_t d = op_attr_int(e->m, op, A_dimension, 0), size = exec_in(e, op, 0)->dims[d];
    bool reverse = op_attr_bool(e->m, op, A_is_reverse, false);
    Tensor **args = exec_scratch(e, o->n_operands * sizeof *args),
           **results = exec_scratch(e, o->n_results * sizeof *results);
    for (uint32_t i = 0; i < n_carry; i++) args[n_in + i] = tensor_retain(exec_in(e, op, n_in + i));
    for (uint32_t i = 0; i < n_out && size == 0; i++) {
        const Type *t = result_type(e->m, op, i);
        exec_out(e, op, i, t->rank, t->dims);
    }
    for (int64_t step = 0; step < size; step++) {
        int64_t k = reverse ? size - 1 - step : step;
        for (uint32_t i = 0; i < n_in; i++) {
            Tensor *x = exec_in(e, op, i);
            if (x->dims[d] != size) return exec_error(e, op, NULL, "inputs differ in the scanned dimension");
            args[i] = without_dim(e, x, d);
            copy_slice(x, d, k, args[i], false);
        }
        if (!exec_apply(e, r, args, results)) return false;
        for (uint32_t i = 0; i < o->n_operands; i++) tensor_release(&e->heap, args[i]);
        for (uint32_t i = 0; i < n_out; i++) {
            ValueId v = op_result(e->m, op, i);
            Tensor *out = step == 0 ? with_dim(e, op, i, results[i], d, size) : exec_get(e, e->device, v);
            copy_slice(out, d, k, results[i], true);
            tensor_release(&e->heap, results[i]);
        }
        for (uint32_t i = 0; i < n_carry; i++) args[n_in + i] = results[n_out + i];
    }
    for (uint32_t i = 0; i < n_carry; i++) exec_set(e, op, n_out + i, args[n_in + i]);
    return true;
}
