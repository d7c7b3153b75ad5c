// Scratch buffers: memory that an op needs beside its operands and results: copies of operands, indices, staging of collectives.
#include "sim/memory/buffers.h"

#define INDEX_BYTES 4

// A select_and_scatter keeps an index for each dimension of each window. They are found with the indices of all
// elements at hand, which are there from the start as they need nothing; so are the zeros that it adds to.
static void place_indices(Liveness *l, OpId op, uint32_t indices, uint32_t found) {
    int64_t elements = 0, windows = 0;
    type_elements(operand_type(l->m, op, 0), &elements);
    type_elements(operand_type(l->m, op, 1), &windows);
    uint32_t rank = operand_type(l->m, op, 0)->rank;
    l->all.at[indices].bytes = (double)windows * rank * INDEX_BYTES;
    l->all.at[indices].start = 2 * found + 2;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t b = new_buffer(l, op_result(l->m, op, 0), 0, 2 * found);
        l->all.at[b].bytes = (double)elements * INDEX_BYTES;
        b = new_buffer(l, op_result(l->m, op, 0), 2 * found, 2 * found + 2);
        l->all.at[b].bytes = (double)windows * INDEX_BYTES;
    }
    new_buffer(l, op_result(l->m, op, 0), 0, 2 * l->order->position[op] - 1);
}

// A select_and_scatter in whose kernel the windows are found keeps the indices for itself alone. The zeros that it adds to are a
// copy of those that the forward pass compares with, and both are made there.
static void place_own_indices(Liveness *l, OpId op, uint32_t position) {
    int64_t windows = 0;
    type_elements(operand_type(l->m, op, 1), &windows);
    uint32_t b = new_buffer(l, op_result(l->m, op, 0), 2 * position, 2 * position);
    l->all.at[b].bytes = (double)windows * operand_type(l->m, op, 0)->rank * INDEX_BYTES;
    uint32_t first = position;
    const Users *u = &l->f->users;
    for (uint32_t k = u->first[op_operand(l->m, op, 0)]; k < u->first[op_operand(l->m, op, 0) + 1]; k++) {
        uint32_t at = l->order->position[l->f->kernel[u->op[k]]];
        if (at < first) first = at;
    }
    if (first == position) return;
    new_buffer(l, op_result(l->m, op, 0), 2 * first, 2 * position + 1);
    new_buffer(l, op_result(l->m, op, 0), 2 * first, 2 * position - 1);
}

// A result of a sort of so many bytes an element.
static void place_sorted(Liveness *l, OpId op, uint32_t position, double bytes) {
    const Type *t = operand_type(l->m, op, 0);
    uint32_t b = new_buffer(l, op_result(l->m, op, 0), 2 * position, 2 * position);
    l->all.at[b].bytes = (double)t->elements * bytes * tile_padding(t);
}

// A stable sort carries the place of each element along, unless it sorts an iota too (XLA's StableSortExpander).
static void place_sort_indices(Liveness *l, OpId op, uint32_t position) {
    const Module *m = l->m;
    if (!l->backend->sorts_places || !op_attr_bool(m, op, A_is_stable, false)) return;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        const Value *val = &m->values.at[op_operand(m, op, i)];
        if (!val->is_arg && op_kind(m, val->owner) == OP_iota) return;
    }
    place_sorted(l, op, position, INDEX_BYTES);
}

// Of a top_k that sorts, all values and their places. The first are cut out of rows as they are written.
static void place_top_k(Liveness *l, OpId op, uint32_t position) {
    const Type *t = operand_type(l->m, op, 0);
    double bytes = elem_bytes((Elem)t->elem);
    uint32_t first = l->all.n;
    if (!l->backend->sorts_places || has_top_k_kernel(l->m, op)) return;
    place_sorted(l, op, position, bytes);
    place_sorted(l, op, position, INDEX_BYTES);
    if (tile_padding(t) < tile_padding_as_written(t)) place_sorted(l, op, position, bytes);
    for (uint32_t i = first; i < l->all.n; i++) l->all.at[i].moved = true;
}

// Parts of arguments that are gathered along a dimension inside tiles are put into place afterwards.
static void place_gathered_parts(Liveness *l, OpId op, uint32_t position) {
    const Module *m = l->m;
    const Attr *axes = attr_get(m, op_attr(m, op, A_axes));
    ValueId part = op_operand(m, op, 0);
    if (!m->values.at[part].is_arg && op_kind(m, m->values.at[part].owner) == OP_convert)
        part = op_operand(m, m->values.at[part].owner, 0);
    uint32_t moves = 0;
    if (!m->values.at[part].is_arg || (l->f->merged && l->f->merged[op] != NO_ID)) return;
    for (uint32_t i = 0; l->f->tiled_layout && axes->kind == ATTR_ARRAY && i < axes->n; i++)
        if (attr_get(m, axes->items[i])->n) moves += tile_moves(operand_type(m, op, 0), i);
    for (; moves; moves--) new_buffer(l, op_result(m, op, 0), 2 * position, 2 * position);
}

// An all_to_all exchanges along a dimension of its own, from which a copy puts what came into place.
static void place_exchanged(Liveness *l, OpId op, uint32_t position) {
    if (!l->f->tiled_layout) return;
    uint32_t b = new_buffer(l, op_result(l->m, op, 0), 2 * position, 2 * position); // which may move `all`
    l->all.at[b].moved = true;
}

static uint32_t new_copy(Liveness *l, OpId op, uint32_t operand, uint32_t at) {
    return new_buffer(l, op_operand(l->m, op, operand), 2 * at, 2 * at);
}

// The copies that an op reads instead of its operands.
static void place_copies(Liveness *l, OpId op, uint32_t position) {
    const Op *o = op_get(l->m, op);
    if (o->kind == OP_select_and_scatter && l->backend->fuses_window_producers) place_own_indices(l, op, position);
    for (uint32_t i = 0; l->order->copied && i < o->n_operands; i++) {
        uint32_t at = l->order->copied[o->first_operand + i];
        if (at == NO_ID) continue;
        if (l->copy[at] == NO_ID) l->copy[at] = new_copy(l, op, i, at);
        extend_buffer(l, l->copy[at], position);
        if (op_kind(l->m, op) == OP_select_and_scatter) place_indices(l, op, l->copy[at], at);
    }
}

void place_scratch(Liveness *l, OpId op, uint32_t position) {
    OpKind kind = op_kind(l->m, op);
    if (op_copies_operands(kind)) place_copies(l, op, position);
    if (kind == OP_sort) place_sort_indices(l, op, position);
    if (kind == OP_chlo_top_k) place_top_k(l, op, position);
    if (kind == OP_partir_all_gather) place_gathered_parts(l, op, position);
    if (kind == OP_partir_all_to_all) place_exchanged(l, op, position);
}
