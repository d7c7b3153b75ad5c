// sort and top_k. Sorting is by merging, which is stable and calls the comparator n log n times at most, whatever it
// answers.
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/movement/sort.h"
#include "interp/reduce/body.h"
#include "interp/tensor/copy.h"
#include "interp/tensor/float.h"

// Sorts `order` so that less(a, b) never holds for b before a.
typedef struct Sorter {
    Exec *e;
    Body *body;    // comparator of two elements of each operand
    Elementwise f; // or one comparison of the keys
    bool swapped;  // …of the second with the first
    uint32_t n, key;
    char **rows; // the line being sorted, of each operand
    size_t *sizes;
    const void **args;
    int64_t *order, *other;
} Sorter;

static bool less(Sorter *s, int64_t a, int64_t b, bool *answer) {
    uint8_t yes = 0;
    if (!s->body) {
        const char *row = s->rows[s->key];
        size_t size = s->sizes[s->key];
        const void *x = row + (size_t)a * size, *y = row + (size_t)b * size;
        elementwise_apply(&s->f, &yes, s->swapped ? (const void *[]){y, x} : (const void *[]){x, y}, 1);
    } else {
        for (uint32_t i = 0; i < s->n; i++) {
            s->args[2 * i] = s->rows[i] + (size_t)a * s->sizes[i];
            s->args[2 * i + 1] = s->rows[i] + (size_t)b * s->sizes[i];
        }
        if (!body_call(s->e, s->body, s->args, (void *[]){&yes}, 1)) return false;
    }
    *answer = yes != 0;
    return true;
}

static bool merge(Sorter *s, int64_t lo, int64_t mid, int64_t hi) {
    int64_t *from = s->order, *to = s->other, i = lo, j = mid, k = lo;
    while (i < mid && j < hi) {
        bool second_first;
        if (!less(s, from[j], from[i], &second_first)) return false;
        to[k++] = second_first ? from[j++] : from[i++];
    }
    while (i < mid) to[k++] = from[i++];
    while (j < hi) to[k++] = from[j++];
    return true;
}

static bool sort_order(Sorter *s, int64_t n) {
    for (int64_t i = 0; i < n; i++) s->order[i] = i;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * width) {
            int64_t mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n;
            if (!merge(s, lo, mid, hi)) return false;
        }
        int64_t *done = s->other;
        s->other = s->order;
        s->order = done;
    }
    return true;
}

// A comparator that compares the two elements of one operand and nothing else needs no body.
static bool simple_comparator(Exec *e, RegionId r, Sorter *s) {
    const Module *m = e->m;
    const Region *region = &m->regions.at[r];
    OpId op = region->first;
    const Op *o = op_get(m, op);
    if (op == region->last || o->next != region->last || o->kind != OP_compare) return false;
    if (op_operand(m, region->last, 0) != op_result(m, op, 0)) return false;
    ValueId a = op_operand(m, op, 0), b = op_operand(m, op, 1), first = region->first_arg;
    if (a < first || a >= first + region->n_args || ((a - first) ^ 1) != b - first) return false;
    if (value_tensor(m, a)->elem == EL_QUANT) return false;
    s->key = (a - first) / 2;
    s->swapped = b < a;
    Elem elem = (Elem)value_tensor(m, a)->elem;
    return elementwise_find(m, op, (Elem[]){elem, elem}, EL_I1, &s->f);
}

bool kernel_sort(Exec *e, OpId op) {
    uint32_t n = op_get(e->m, op)->n_operands;
    Tensor *x = exec_in(e, op, 0);
    int64_t d = op_attr_int(e->m, op, A_dimension, -1);
    if (d < 0) d += x->rank;
    RegionId r = op_region(e->m, op, 0);
    if (x->rank == 0 || d < 0 || d >= x->rank)
        return exec_error(e, op, NULL, "dimension %lld is out of range", (long long)d);
    int64_t length = x->dims[d], inner = 1, outer = 1;
    for (uint32_t i = 0; i < d; i++) outer *= x->dims[i];
    for (uint32_t i = (uint32_t)d + 1; i < x->rank; i++) inner *= x->dims[i];
    Sorter s = {.e = e, .n = n};
    s.rows = exec_scratch(e, n * sizeof *s.rows);
    s.sizes = exec_scratch(e, n * sizeof *s.sizes);
    s.args = exec_scratch(e, 2 * n * sizeof *s.args);
    s.order = exec_scratch_array(e, length, sizeof *s.order);
    s.other = exec_scratch_array(e, length, sizeof *s.other);
    s.body = simple_comparator(e, r, &s) ? NULL : body_prepare(e, r);
    Tensor **out = exec_scratch(e, n * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        Tensor *in = exec_in(e, op, i);
        if (!tensor_same_shape(in, x)) return exec_error(e, op, NULL, "operands differ in shape");
        out[i] = exec_out(e, op, i, x->rank, x->dims);
        s.sizes[i] = elem_bytes((Elem)in->elem);
        s.rows[i] = exec_scratch_array(e, length, s.sizes[i]);
    }
    for (int64_t line = 0; x->n && line < outer * inner; line++) {
        int64_t start = line / inner * length * inner + line % inner;
        for (uint32_t i = 0; i < n; i++)
            copy_into_dense(s.sizes[i], 1, &length, s.rows[i], exec_in(e, op, i)->data + (size_t)start * s.sizes[i],
                            &inner);
        if (!sort_order(&s, length)) return false;
        for (uint32_t i = 0; i < n; i++)
            for (int64_t k = 0; k < length; k++)
                memcpy(out[i]->data + (size_t)(start + k * inner) * s.sizes[i],
                       s.rows[i] + (size_t)s.order[k] * s.sizes[i], s.sizes[i]);
    }
    exec_work(e, op, (double)x->n * 20);
    return true;
}

bool sort_top(Exec *e, OpId op, Tensor *x, int64_t d, int64_t k, bool largest) {
    int64_t dims[MAX_RANK], inner = 1, outer = 1;
    if (d < 0 || d >= x->rank || k < 0 || k > x->dims[d]) return exec_error(e, op, NULL, "k is %lld", (long long)k);
    int64_t length = x->dims[d];
    for (uint32_t i = 0; i < x->rank; i++) dims[i] = i == d ? k : x->dims[i];
    for (uint32_t i = 0; i < d; i++) outer *= x->dims[i];
    for (uint32_t i = (uint32_t)d + 1; i < x->rank; i++) inner *= x->dims[i];
    Tensor *values = exec_out(e, op, 0, x->rank, dims), *indices = exec_out(e, op, 1, x->rank, dims);
    Sorter s = {.e = e, .n = 1};
    Elem elem = (Elem)x->elem, index_elem = (Elem)indices->elem;
    size_t size = elem_bytes(elem), index_size = elem_bytes(index_elem);
    if (!elementwise_find_compare(largest ? SPAN("GT") : SPAN("LT"), SPAN("TOTALORDER"), elem, &s.f))
        return exec_error(e, op, NULL, "no order on %s", elem_text(elem));
    char *row = exec_scratch_array(e, length, size);
    s.rows = &row;
    s.sizes = &size;
    s.order = exec_scratch_array(e, length, sizeof *s.order);
    s.other = exec_scratch_array(e, length, sizeof *s.other);
    exec_work(e, op, (double)x->n * 20);
    for (int64_t line = 0; values->n && line < outer * inner; line++) {
        int64_t start = line / inner * inner, rest = line % inner;
        copy_into_dense(size, 1, &length, row, x->data + (size_t)(start * length + rest) * size, &inner);
        if (!sort_order(&s, length)) return false;
        for (int64_t i = 0; i < k; i++) {
            int64_t to = (start * k + rest) + i * inner;
            memcpy(values->data + (size_t)to * size, row + (size_t)s.order[i] * size, size);
            elem_write_int(index_elem, indices->data + (size_t)to * index_size, s.order[i]);
        }
    }
    return true;
}

bool kernel_top_k(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    return sort_top(e, op, x, (int64_t)x->rank - 1, op_attr_int(e->m, op, A_k, 0), true);
}
