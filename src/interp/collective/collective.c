// What a group of devices makes of its operands.
#include "interp/collective/collective.h"
#include "interp/elementwise/elementwise.h"
#include "interp/reduce/body.h"
#include "interp/tensor/copy.h"

bool collective_arrived(Exec *e, OpId op, Devices group, bool *present) {
    uint32_t here = 0, missing = NO_ID;
    for (uint32_t i = 0; i < group.n; i++) {
        bool active = false;
        for (uint32_t k = 0; k < e->active.n && !active; k++) active = e->active.at[k] == group.at[i];
        here += active;
        if (!active) missing = group.at[i];
    }
    *present = here > 0;
    if (here == 0 || here == group.n) return true;
    return exec_error(e, op, "all devices of a group must take the same branches and leave loops together",
                      "device %u of the group does not arrive: it took another branch or has left the loop", missing);
}

Tensor *collective_combine(Exec *e, OpId op, RegionId body, Devices group, ValueId operand) {
    Tensor *first = exec_get(e, group.at[0], operand);
    Elem elem = (Elem)first->elem;
    if (body != NO_ID) {
        const Type *t = value_tensor(e->m, e->m->regions.at[body].first_arg);
        if (t->elem != EL_QUANT) elem = (Elem)t->elem;
    }
    Tensor *sum = exec_new(e, elem, first->rank, first->dims);
    elements_convert((Elem)first->elem, elem, first->data, sum->data, sum->n);
    Body *prepared = body == NO_ID ? NULL : body_prepare(e, body);
    Elementwise add;
    if (!prepared && !elementwise_find_kind(OP_add, 2, (Elem[]){elem, elem}, elem, &add)) {
        exec_error(e, op, NULL, "%s cannot be added", elem_text(elem));
        return NULL;
    }
    char *converted = exec_scratch_array(e, sum->n, elem_bytes(elem));
    for (uint32_t i = 1; i < group.n; i++) {
        Tensor *x = exec_get(e, group.at[i], operand);
        if (!tensor_same_shape(x, sum)) {
            exec_error(e, op, NULL, "devices %u and %u differ in shape", group.at[0], group.at[i]);
            return NULL;
        }
        elements_convert((Elem)x->elem, elem, x->data, converted, sum->n);
        const void *args[] = {sum->data, converted};
        if (prepared) {
            if (!body_call(e, prepared, args, (void *[]){sum->data}, sum->n)) return NULL;
        } else {
            Tensor *next = exec_new(e, elem, sum->rank, sum->dims);
            elementwise_apply(&add, next->data, args, sum->n);
            tensor_release(&e->heap, sum);
            sum = next;
        }
    }
    return sum;
}

Tensor *collective_concatenate(Exec *e, OpId op, Devices group, ValueId operand, int64_t dim) {
    Tensor *first = exec_get(e, group.at[0], operand);
    int64_t dims[MAX_RANK], to[MAX_RANK], from[MAX_RANK];
    for (uint32_t i = 0; i < first->rank; i++) dims[i] = first->dims[i];
    if (dim < 0 || dim >= first->rank) {
        exec_error(e, op, NULL, "dimension %lld is out of range", (long long)dim);
        return NULL;
    }
    dims[dim] *= group.n;
    Tensor *out = exec_new(e, (Elem)first->elem, first->rank, dims);
    size_t size = elem_bytes((Elem)first->elem);
    shape_strides(first->rank, dims, to);
    shape_strides(first->rank, first->dims, from);
    for (uint32_t i = 0; i < group.n; i++) {
        Tensor *x = exec_get(e, group.at[i], operand);
        if (!tensor_same_shape(x, first)) {
            exec_error(e, op, NULL, "devices %u and %u differ in shape", group.at[0], group.at[i]);
            return NULL;
        }
        copy_strided(size, x->rank, x->dims, out->data + (size_t)(i * x->dims[dim] * to[dim]) * size, to, x->data,
                     from);
    }
    return out;
}

Tensor *collective_part(Exec *e, OpId op, Tensor *t, int64_t dim, int64_t i, int64_t n) {
    int64_t dims[MAX_RANK], from[MAX_RANK];
    if (dim < 0 || dim >= t->rank || n < 1 || t->dims[dim] % n) {
        exec_error(e, op, NULL, "dimension %lld cannot be split into %lld parts", (long long)dim, (long long)n);
        return NULL;
    }
    for (uint32_t k = 0; k < t->rank; k++) dims[k] = k == dim ? t->dims[k] / n : t->dims[k];
    Tensor *out = exec_new(e, (Elem)t->elem, t->rank, dims);
    size_t size = elem_bytes((Elem)t->elem);
    shape_strides(t->rank, t->dims, from);
    if (out->n)
        copy_into_dense(size, t->rank, dims, out->data, t->data + (size_t)(i * dims[dim] * from[dim]) * size, from);
    return out;
}
