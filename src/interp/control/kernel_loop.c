// PartIR:Core: loops over mesh axes run sequentially, one iteration for each coordinate, and put the results together.
#include "core/monoid.h"
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/movement/index.h"
#include "interp/tensor/copy.h"

// What is to be done with the results of the iterations, as the loop's text says.
typedef struct Action {
    int64_t tile; // the dimension they are put together on; -1: they are combined
    bool any;     // all are equal: the first will do
    Monoid combine;
} Action;

static Action action_of_text(Span text) {
    Action a = {.tile = -1};
    if (text.n && monoid_named((Span){text.at + 1, text.n - 1}, &a.combine)) return a;
    if (span_is(text, "any")) return a.any = true, a;
    a.tile = 0;
    for (size_t i = 6; i + 1 < text.n; i++) a.tile = a.tile * 10 + (text.at[i] - '0'); // #tile<12>
    return a;
}

// Writes one iteration's part into the whole result, `r` of `n` along a dimension.
static void put_part(Tensor *whole, const Tensor *part, int64_t dim, int64_t r) {
    int64_t to[MAX_RANK], from[MAX_RANK];
    shape_strides(whole->rank, whole->dims, to);
    shape_strides(part->rank, part->dims, from);
    size_t size = elem_bytes((Elem)part->elem);
    copy_strided(size, part->rank, part->dims, whole->data + (size_t)(r * part->dims[dim] * to[dim]) * size, to,
                 part->data, from);
}

static bool add_iteration(Exec *e, OpId op, const Action *a, Tensor **so_far, Tensor *part, int64_t r, int64_t n) {
    if (a->tile >= 0) {
        if (r == 0) {
            int64_t dims[MAX_RANK];
            memcpy(dims, part->dims, part->rank * sizeof *dims);
            dims[a->tile] *= n;
            *so_far = exec_new(e, (Elem)part->elem, part->rank, dims);
        }
        put_part(*so_far, part, a->tile, r);
    } else if (r == 0) {
        *so_far = tensor_retain(part);
    } else if (!a->any) {
        Elementwise f;
        Elem elem = (Elem)part->elem;
        if (!elementwise_find_kind(monoid_op(a->combine, elem), 2, (Elem[]){elem, elem}, elem, &f))
            return exec_error(e, op, NULL, "cannot combine %s", elem_text(elem));
        Tensor *sum = exec_new(e, elem, part->rank, part->dims);
        elementwise_apply(&f, sum->data, (const void *[]){(*so_far)->data, part->data}, part->n);
        tensor_release(&e->heap, *so_far);
        *so_far = sum;
    }
    tensor_release(&e->heap, part);
    return true;
}

bool kernel_loop(Exec *e, OpId op) {
    const Op *o = op_get(e->m, op);
    RegionId body = op_region(e->m, op, 0);
    int64_t n = op_attr_int(e->m, op, A_size, 1);
    Devices all = e->active;
    const Attr *actions = attr_get(e->m, op_attr(e->m, op, A_actions));
    Tensor **so_far = exec_scratch(e, (uint64_t)all.n * o->n_results * sizeof *so_far),
           **parts = exec_scratch(e, o->n_results * sizeof *parts);
    for (int64_t r = 0; r < n; r++) {
        for (uint32_t k = 0; k < all.n; k++) {
            Tensor *index = exec_new(e, EL_I64, 0, NULL);
            memcpy(index->data, &r, sizeof r);
            exec_bind(e, all.at[k], body, 0, index);
        }
        if (!exec_region(e, body, all)) return false;
        for (uint32_t k = 0; k < all.n; k++) {
            exec_yield(e, all.at[k], body, parts);
            for (uint32_t i = 0; i < o->n_results; i++) {
                Action a = action_of_text(attr_get(e->m, actions->items[i])->text);
                if (!add_iteration(e, op, &a, &so_far[k * o->n_results + i], parts[i], r, n)) return false;
            }
        }
    }
    for (uint32_t k = 0; k < all.n; k++)
        for (uint32_t i = 0; i < o->n_results; i++)
            exec_put(e, all.at[k], op_result(e->m, op, i), so_far[k * o->n_results + i]);
    return true;
}

bool kernel_loop_slice(Exec *e, OpId op) {
    const Tensor *x = exec_in(e, op, 0);
    const Type *t = result_type(e->m, op, 0);
    int64_t dim = op_attr_int(e->m, op, A_dimension, 0), r = index_value(exec_in(e, op, 1), 0), from[MAX_RANK];
    Tensor *out = exec_out(e, op, 0, t->rank, t->dims);
    if (r < 0 || t->dims[dim] * (r + 1) > x->dims[dim])
        return exec_error(e, op, NULL, "chunk %lld lies outside of the operand", (long long)r);
    shape_strides(x->rank, x->dims, from);
    size_t size = elem_bytes((Elem)x->elem);
    copy_into_dense(size, t->rank, t->dims, out->data, x->data + (size_t)(r * t->dims[dim] * from[dim]) * size, from);
    return true;
}
