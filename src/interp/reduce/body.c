// Bodies as lists of array calls.
#include "interp/reduce/body.h"
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/tensor/copy.h"

enum { BODY_BLOCK = 256, NO_SLOT = -1 };

// ---- Named bodies --------------------------------------------------------------------------------------------------

bool body_monoid(Exec *e, RegionId r, Monoid *monoid) {
    enum { NOT_LOOKED_AT, NONE, SOME };
    uint8_t *known = &e->plan.monoid[r];
    if (*known == NOT_LOOKED_AT) {
        const Region *region = &e->m->regions.at[r];
        bool one = region->n_args == 2 && value_tensor(e->m, region->first_arg)->elem != EL_QUANT;
        *known = one && monoid_of_region(e->m, r, monoid) && *monoid != MONOID_BODY ? (uint8_t)(SOME + *monoid) : NONE;
    }
    if (*known == NONE) return false;
    *monoid = (Monoid)(*known - SOME);
    return true;
}

// ---- Compiling -----------------------------------------------------------------------------------------------------

typedef struct BodyStep {
    Elementwise f;
    int32_t in[3], out;
} BodyStep;

struct Body {
    RegionId region;
    bool compiled;
    uint32_t n_args, n_results, n_steps, n_slots;
    BodyStep *steps;
    const char **slots; // arrays of BLOCK elements: the caller's for arguments, our own for the rest
    uint32_t *sizes;    // bytes an element of each slot takes
    ValueId *values;    // which value each slot holds
    int32_t *results;   // slots of what is returned
    Tensor **in, **out; // for evaluation element by element
};

static int32_t slot_of(const Body *b, ValueId v) {
    for (uint32_t i = 0; i < b->n_slots; i++)
        if (b->values[i] == v) return (int32_t)i;
    return NO_SLOT;
}

static int32_t add_slot(Exec *e, Body *b, ValueId v, Elem elem, const void *splat) {
    uint32_t size = elem_bytes(elem), i = b->n_slots++;
    char *array = exec_scratch(e, (uint64_t)BODY_BLOCK * size);
    if (splat) copy_splat(size, array, splat, BODY_BLOCK);
    b->slots[i] = array;
    b->sizes[i] = size;
    b->values[i] = v;
    return (int32_t)i;
}

static bool is_plain_scalar(const Type *t) { return t->kind == TYPE_TENSOR && t->rank == 0 && t->elem != EL_QUANT; }

// The slot of an operand; a value from outside the region is the same for all elements.
static int32_t operand_slot(Exec *e, Body *b, ValueId v) {
    int32_t slot = slot_of(b, v);
    if (slot != NO_SLOT) return slot;
    Tensor *t = exec_get(e, e->device, v);
    if (!t || t->kind != TENSOR_DENSE || t->rank != 0 || !is_plain_scalar(value_tensor(e->m, v))) return NO_SLOT;
    return add_slot(e, b, v, (Elem)t->elem, t->data);
}

static bool compile_constant(Exec *e, Body *b, OpId op) {
    const Type *t = result_type(e->m, op, 0);
    char one[16];
    if (elem_bits((Elem)t->elem) < 8 && t->elem != EL_I1) return false;
    if (!attr_dense_decode(e->m, attr_get(e->m, op_attr(e->m, op, A_value)), one, elem_bytes((Elem)t->elem)))
        return false;
    add_slot(e, b, op_result(e->m, op, 0), (Elem)t->elem, one);
    return true;
}

static bool compile_op(Exec *e, Body *b, OpId op) {
    const Op *o = op_get(e->m, op);
    if (o->n_results != 1 || o->n_operands > 3 || o->n_regions || !is_plain_scalar(result_type(e->m, op, 0)))
        return false;
    if (o->kind == OP_constant) return compile_constant(e, b, op);
    BodyStep *s = &b->steps[b->n_steps];
    Elem elems[3];
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = op_operand(e->m, op, i);
        s->in[i] = operand_slot(e, b, v);
        if (s->in[i] == NO_SLOT || !is_plain_scalar(value_tensor(e->m, v))) return false;
        elems[i] = (Elem)value_tensor(e->m, v)->elem;
    }
    Elem out = (Elem)result_type(e->m, op, 0)->elem;
    if (o->kind == OP_reshape || o->kind == OP_broadcast_in_dim) {
        if (!elementwise_find_convert(out, out, &s->f)) return false;
    } else if (o->n_operands == 0 || !elementwise_find(e->m, op, elems, out, &s->f)) {
        return false;
    }
    s->out = add_slot(e, b, op_result(e->m, op, 0), out, NULL);
    b->n_steps++;
    return true;
}

// A returned argument goes through a slot of its own: another result may be written over the argument first.
static bool copy_argument(Exec *e, Body *b, uint32_t result) {
    BodyStep *s = &b->steps[b->n_steps];
    ValueId v = b->values[b->results[result]];
    Elem elem = (Elem)value_tensor(e->m, v)->elem;
    if (!elementwise_find_convert(elem, elem, &s->f)) return false;
    s->in[0] = b->results[result];
    s->out = b->results[result] = add_slot(e, b, NO_ID, elem, NULL);
    b->n_steps++;
    return true;
}

static bool compile(Exec *e, Body *b) {
    const Region *region = &e->m->regions.at[b->region];
    uint32_t n_ops = 0, n_operands = 0;
    for (OpId op = region->first; op != NO_ID; op = op_get(e->m, op)->next) {
        n_ops++;
        n_operands += op_get(e->m, op)->n_operands;
    }
    if (n_ops > 1000) return false;
    uint32_t most = region->n_args + n_ops + n_operands + b->n_results;
    b->steps = exec_scratch(e, (n_ops + b->n_results) * sizeof *b->steps);
    b->slots = exec_scratch(e, most * sizeof *b->slots);
    b->sizes = exec_scratch(e, most * sizeof *b->sizes);
    b->values = exec_scratch(e, most * sizeof *b->values);
    b->results = exec_scratch(e, b->n_results * sizeof *b->results);
    for (uint32_t i = 0; i < region->n_args; i++) {
        const Type *t = value_tensor(e->m, region->first_arg + i);
        if (!is_plain_scalar(t)) return false;
        b->sizes[b->n_slots] = elem_bytes((Elem)t->elem);
        b->values[b->n_slots++] = region->first_arg + i;
    }
    for (OpId op = region->first; op != region->last; op = op_get(e->m, op)->next)
        if (!compile_op(e, b, op)) return false;
    for (uint32_t i = 0; i < b->n_results; i++) {
        b->results[i] = operand_slot(e, b, op_operand(e->m, region->last, i));
        if (b->results[i] == NO_SLOT) return false;
        if (b->results[i] < (int32_t)b->n_args && !copy_argument(e, b, i)) return false;
    }
    return true;
}

Body *body_prepare(Exec *e, RegionId r) {
    Body *b = exec_scratch(e, sizeof *b);
    *b = (Body){.region = r, .n_args = e->m->regions.at[r].n_args};
    b->n_results = op_get(e->m, region_terminator(e->m, r))->n_operands;
    b->compiled = compile(e, b);
    b->in = exec_scratch(e, b->n_args * sizeof *b->in);
    b->out = exec_scratch(e, b->n_results * sizeof *b->out);
    return b;
}

// ---- Calling -------------------------------------------------------------------------------------------------------

static void call_block(Body *b, const void *const *args, void *const *results, int64_t at, int64_t n) {
    for (uint32_t i = 0; i < b->n_args; i++) b->slots[i] = (const char *)args[i] + at * b->sizes[i];
    for (uint32_t k = 0; k < b->n_steps; k++) {
        const BodyStep *s = &b->steps[k];
        const void *in[3];
        for (uint32_t i = 0; i < s->f.n_in; i++) in[i] = b->slots[s->in[i]];
        elementwise_apply(&s->f, (char *)(uintptr_t)b->slots[s->out], in, n);
    }
    for (uint32_t i = 0; i < b->n_results; i++) {
        const char *from = b->slots[b->results[i]];
        uint32_t size = b->sizes[b->results[i]];
        char *to = (char *)results[i] + at * size;
        if (to != from) memcpy(to, from, (size_t)n * size);
    }
}

static Elem storage_elem(const Module *m, ValueId v) {
    const Type *t = value_tensor(m, v);
    return t->elem == EL_QUANT ? m->quants.at[t->quant].storage : (Elem)t->elem;
}

// Element by element through the evaluator.
static bool call_scalars(Exec *e, Body *b, const void *const *args, void *const *results, int64_t n) {
    const Region *region = &e->m->regions.at[b->region];
    Tensor **in = b->in, **out = b->out;
    for (int64_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < b->n_args; i++) {
            in[i] = exec_new(e, storage_elem(e->m, region->first_arg + i), 0, NULL);
            size_t size = elem_bytes((Elem)in[i]->elem);
            memcpy(in[i]->data, (const char *)args[i] + (size_t)k * size, size);
        }
        if (!exec_apply(e, b->region, in, out)) return false;
        for (uint32_t i = 0; i < b->n_args; i++) tensor_release(&e->heap, in[i]);
        for (uint32_t i = 0; i < b->n_results; i++) {
            size_t size = elem_bytes((Elem)out[i]->elem);
            memcpy((char *)results[i] + (size_t)k * size, out[i]->data, size);
            tensor_release(&e->heap, out[i]);
        }
    }
    return true;
}

bool body_call(Exec *e, Body *b, const void *const *args, void *const *results, int64_t n) {
    if (!b->compiled) return call_scalars(e, b, args, results, n);
    for (int64_t at = 0; at < n; at += BODY_BLOCK)
        call_block(b, args, results, at, n - at < BODY_BLOCK ? n - at : BODY_BLOCK);
    return true;
}
