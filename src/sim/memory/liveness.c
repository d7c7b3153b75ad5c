// Liveness: a walk backwards finds the last use of each value, one forwards gives buffers, and a sum over time finds
// the peak.
//
// Time runs in half steps: an op at position p reads at 2p, and what it writes is there from 2p on; from 2p + 1 if it
// may overwrite an operand of the same size that is not needed any more.
#include "sim/backend/tiled_layout.h"
#include "sim/cost/op_cost.h"
#include "sim/memory/buffers.h"
#include "sim/memory/donation.h"
#include "sim/memory/rematerialize.h"
#include <math.h>
#include <stdlib.h>

// ---- Backwards: last uses ------------------------------------------------------------------------------------------

// NO_ID, which is -1, is before all positions.
static void later(uint32_t *at, uint32_t position) {
    if ((int32_t)*at < (int32_t)position) *at = position;
}

static bool is_converted_before(const Liveness *l, OpId op) {
    ValueId v = op_get(l->m, op)->first_result;
    return op_kind(l->m, op) == OP_convert && l->f->loops[v] && l->f->place[v] == PLACE_BUFFER;
}

// Carried unchanged by a loop that only reads it as f32, to which it is converted before the loop.
static bool is_copied_before(const Liveness *l, OpId loop, uint32_t i) {
    const Module *m = l->m;
    if (!l->backend->normalizes_bf16 || !l->f->loops || operand_type(m, loop, i)->elem != EL_BF16) return false;
    RegionId body = op_region(m, loop, 1);
    ValueId arg = m->regions.at[body].first_arg + i;
    const Users *u = &l->f->users;
    bool copied = false;
    for (uint32_t k = u->first[arg]; k < u->first[arg + 1]; k++) {
        bool next = op_is_terminator(op_kind(m, u->op[k])), as_f32 = is_converted_before(l, u->op[k]);
        if (!as_f32 && !(next && op_operand(m, u->op[k], i) == arg)) return false;
        copied |= as_f32;
    }
    return copied;
}

// A loop runs again and again: what it captures lives to its end. False if the op reads what is made in its own region.
static bool is_captured(const Liveness *l, OpId op, uint32_t operand, uint32_t *at) {
    const Module *m = l->m;
    const Op *o = op_get(m, op);
    RegionId r = value_region(m, m->operands.at[o->first_operand + operand]);
    if (o->kind == OP_while && is_copied_before(l, op, operand)) return *at = NO_ID, true;
    if (o->parent == r) return false;
    OpId holder = op_within(m, op, r);
    if (holder == NO_ID)
        *at = NO_ID;
    else if (*at == NO_ID)
        *at = l->order->position[holder];
    return true;
}

// When an operand is needed for the last time by an op that reads its operands up to there.
static uint32_t last_need(const Liveness *l, OpId op, uint32_t operand, uint32_t read) {
    const Op *o = op_get(l->m, op);
    uint32_t at = l->order->copied ? l->order->copied[o->first_operand + operand] : NO_ID;
    if ((l->f->nested && is_captured(l, op, operand, &at)) || at != NO_ID) return at;
    if (operand < o->n_results && l->f->place[o->first_result + operand] == PLACE_ALIAS)
        later(&read, l->of[o->first_result + operand].last);
    return read;
}

static void read_until(ValueLife *of, ValueId v, bool fusible, uint32_t position) {
    later(fusible ? &of[v].last_duplicate : &of[v].last, position);
}

// Not the op itself, but a copy for it.
static bool is_copy(const OpSchedule *order, uint32_t p) { return order->copied && order->position[order->at[p]] != p; }

static void find_last_uses(Liveness *l) {
    const Module *m = l->m;
    const OpSchedule *order = l->order;
    const Fusion *f = l->f;
    ValueLife *of = l->of;
    RegionId main = op_region(m, module_main(m), 0);
    for (uint32_t p = order->n; p-- > 0;) {
        OpId op = order->at[p];
        const Op *o = op_get(m, op);
        if (is_copy(order, p)) continue;
        // The last position at which it, or a kernel that it is computed in, reads its operands; one whose buffer a result
        // shares is read longer.
        uint32_t read = order->until && order->until[op] != NO_ID ? order->until[op] : p;
        bool plain = !(order->copied && op_copies_operands((OpKind)o->kind)) &&
                     (!f->nested || (o->parent == main && !o->n_regions));
        for (ValueId out = o->first_result, end = out + o->n_results; out < end; out++) {
            if (f->place[out] == PLACE_FUSED) later(&read, of[out].last);
            if (f->place[out] == PLACE_ALIAS) plain = false;
            later(&read, of[out].last_duplicate);
        }
        const ValueId *v = op_operands(m, op), *end = v + o->n_operands;
        const uint8_t *fusible = f->fusible + o->first_operand, *duplicated = f->duplicated;
        if (plain)
            for (; v < end; v++, fusible++) read_until(of, *v, duplicated[*v] && *fusible, read);
        for (uint32_t i = 0; v < end; i++, v++, fusible++)
            read_until(of, *v, duplicated[*v] && *fusible, last_need(l, op, i, read));
    }
}

// ---- Forwards: buffers ---------------------------------------------------------------------------------------------

uint32_t new_buffer(Liveness *l, ValueId v, uint32_t start, uint32_t end) {
    vec_push(l->a, &l->all,
             ((Alive){v, kept_bytes(l->m, l->f, v), start, end, true, false, false, false, NO_ID, NO_ID}));
    return l->all.n - 1;
}

static void extend(Liveness *l, uint32_t buffer, uint32_t position) {
    if (l->all.at[buffer].end < 2 * position) l->all.at[buffer].end = 2 * position;
}

static uint32_t last_use(const Liveness *l, ValueId v, uint32_t position) {
    return l->of[v].last == NO_ID ? position : l->of[v].last;
}

static void give(Liveness *l, ValueId v, uint32_t buffer, uint32_t position) {
    l->of[v].buffer = buffer;
    extend(l, buffer, last_use(l, v, position));
}

// The result may take over the buffer of an operand, which nobody reads later.
static bool takes_over(const Liveness *l, ValueId v, uint32_t position) {
    return l->of[v].buffer != NO_ID && l->of[v].last == position && l->all.at[l->of[v].buffer].writable;
}

static bool updates_in_place(const Liveness *l, OpKind k) {
    return k == OP_dynamic_update_slice || k == OP_scatter ||
           (k == OP_partir_all_reduce && l->backend->all_reduces_in_place);
}

// When a value is there that an op before all loops reads; of what is computed in a kernel that reads it, when its first
// operand is.
static uint32_t ready_at(const Liveness *l, ValueId v) {
    const Module *m = l->m;
    while (m->values.at[v].is_arg || l->of[v].buffer == NO_ID) {
        const Value *val = &m->values.at[v];
        OpId op = val->is_arg ? m->regions.at[val->owner].parent : val->owner;
        if (val->is_arg && op_kind(m, op) != OP_while) return 0;
        if (op_get(m, op)->n_operands == 0) return 0;
        v = op_operand(m, op, val->is_arg ? val->index : 0);
    }
    return l->all.at[l->of[v].buffer].start;
}

// Whether a loop reads a value that was computed before it, or only others do that are computed there too.
static bool read_inside(const Liveness *l, ValueId v, uint32_t loops) {
    const Module *m = l->m;
    const Users *u = &l->f->users;
    for (uint32_t k = u->first[v]; k < u->first[v + 1]; k++) {
        OpId reader = l->f->kernel[u->op[k]];
        ValueId out = op_get(m, reader)->first_result;
        if (op_is_terminator(op_kind(m, reader)) || !op_is_worth_hoisting(op_kind(m, reader)) ||
            l->f->loops[out] < loops || l->f->place[out] != PLACE_BUFFER)
            return true;
    }
    return u->first[v] == u->first[v + 1];
}

// What is the same in each turn of some loops is there before the outermost of them, and kept while it runs. Outside of
// all loops it is there as soon as what it is made of.
static void hoist(Liveness *l, uint32_t buffer, uint32_t loops, uint32_t ready) {
    const Module *m = l->m;
    OpId outermost = NO_ID;
    uint32_t n = loops;
    for (OpId op = l->loop; op != NO_ID && n; op = m->regions.at[op_get(m, op)->parent].parent)
        if (op_kind(m, op) == OP_while) outermost = op, n--;
    if (outermost == NO_ID) return;
    uint32_t start = 2 * l->order->first[outermost];
    bool at_once = l->backend->bfs && op_kind(m, m->regions.at[op_get(m, outermost)->parent].parent) == OP_func_func;
    if (at_once || ready > start) start = ready;
    start |= l->all.at[buffer].start & 1; // in the place of what it was made of
    if (l->all.at[buffer].start > start) l->all.at[buffer].start = start;
    if (!read_inside(l, l->all.at[buffer].value, loops)) {
        l->all.at[buffer].end = l->all.at[buffer].start + 2;
        return;
    }
    uint32_t end = 2 * l->order->position[outermost] - 1; // its results take the place of what it carries
    if (l->all.at[buffer].end < end) l->all.at[buffer].end = end;
}

// The buffer that an op before a loop converts to f32, so that the loop does not need it, or NO_ID. They run one after
// another.
static uint32_t converted_by(const Liveness *l, OpId op) {
    if (!is_converted_before(l, op)) return NO_ID;
    ValueId v = op_operand(l->m, op, 0);
    const Value *val = &l->m->values.at[v];
    if (!val->is_arg || !is_copied_before(l, l->m->regions.at[val->owner].parent, val->index)) return NO_ID;
    return l->of[v].buffer;
}

static void hoist_results(Liveness *l, OpId op) {
    if (!l->f->loops || !op_is_worth_hoisting(op_kind(l->m, op)) || !op_get(l->m, op)->n_results) return;
    uint32_t ready = 0;
    for (uint32_t i = 0; i < op_get(l->m, op)->n_operands; i++) {
        ValueId v = op_operand(l->m, op, i);
        uint32_t at = ready_at(l, v) + (l->f->loops[v] && !l->m->values.at[v].is_arg ? 2 : 0); // one after another
        if (at > ready) ready = at;
    }
    uint32_t from = l->f->loops[op_result(l->m, op, 0)] ? converted_by(l, op) : NO_ID;
    if (from != NO_ID) ready += 2 * l->converted_before++;
    for (uint32_t i = 0; i < op_get(l->m, op)->n_results; i++) {
        ValueId v = op_result(l->m, op, i);
        if (l->f->loops[v] && l->f->place[v] == PLACE_BUFFER) hoist(l, l->of[v].buffer, l->f->loops[v], ready);
    }
    uint32_t start = from == NO_ID ? 0 : l->all.at[l->of[op_result(l->m, op, 0)].buffer].start;
    if (from != NO_ID && l->all.at[from].end < start) l->all.at[from].end = start;
}

// A buffer that a kernel is the last to read, element by element, or NO_ID: also through what other kernels
// compute on the way too.
static uint32_t find_shared(const Liveness *l, OpId kernel, uint32_t position) {
    const Module *m = l->m;
    OpId open[MAX_OPEN];
    open[0] = kernel;
    uint32_t found = NO_ID;
    double bytes = value_bytes(m, op_result(m, kernel, 0));
    for (uint32_t n = 1, k = 0; k < n; k++) {
        const Op *o = op_get(m, open[k]);
        bool flat = op_is_elementwise((OpKind)o->kind);
        for (const ValueId *v = op_operands(m, open[k]), *end = v + o->n_operands; v < end; v++) {
            uint32_t buffer = l->of[*v].buffer;
            if (l->f->place[*v] == PLACE_FUSED) {
                if (n == MAX_OPEN) return NO_ID;
                open[n++] = m->values.at[*v].owner;
            } else if (!flat && buffer != NO_ID) {
                l->all.at[buffer].bent = kernel;
            } else if (takes_over(l, *v, position) && l->all.at[buffer].bytes == bytes) {
                found = buffer;
            }
        }
    }
    return found;
}

// Whether a kernel may write `v` over what it read element by element. What follows a product and reads it alone is part of
// its kernel.
static bool may_overwrite(const Liveness *l, OpId op, ValueId v, uint32_t buffer) {
    const Alive *b = &l->all.at[buffer];
    const Value *val = &l->m->values.at[b->value];
    if (!l->backend->overwrites_only_sums || l->of[v].home == buffer || b->summed ||
        (l->f->scatter_add && l->f->scatter_add[op]))
        return true;
    bool product =
        !val->is_arg && (op_kind(l->m, val->owner) == OP_dot_general || op_kind(l->m, val->owner) == OP_convolution);
    const Users *u = &l->f->users;
    uint32_t first = u->first[b->value];
    return product && u->first[b->value + 1] - first == 1 && l->f->copies[u->op[first]] == 1;
}

// Whether an op computes element by element what takes the place of one of its operands, and nobody reads that later.
static bool reads_home(const Liveness *l, OpId op, uint32_t home, uint32_t position) {
    for (uint32_t i = 0; i < op_get(l->m, op)->n_operands; i++) {
        ValueId v = op_operand(l->m, op, i);
        if (l->of[v].buffer == home && takes_over(l, v, position)) return op_is_elementwise(op_kind(l->m, op));
    }
    return false;
}

static void place_result(Liveness *l, OpId op, uint32_t index, uint32_t position) {
    const Module *m = l->m;
    ValueId v = op_result(m, op, index);
    ValueId from = index < op_get(m, op)->n_operands ? op_operand(m, op, index) : NO_ID;
    Place place = (Place)l->f->place[v];
    if (place == PLACE_FUSED) return;
    if (place == PLACE_ALIAS && l->of[from].buffer != NO_ID) {
        give(l, v, l->of[from].buffer, position);
        return;
    }
    bool in_place = false;
    OpId same = l->f->merged ? l->f->merged[op] : NO_ID;
    if (same != NO_ID && l->of[op_result(m, same, 0)].buffer != NO_ID) {
        give(l, v, l->of[op_result(m, same, 0)].buffer, position);
        return;
    }
    if (updates_in_place(l, op_kind(m, op)) && takes_over(l, from, position)) {
        give(l, v, l->of[from].buffer, position);
        l->all.at[l->of[v].buffer].summed = op_kind(m, op) == OP_partir_all_reduce;
        return;
    }
    uint32_t shared = l->shared[op];
    if (shared == NO_ID && l->backend->duplicates_expensive && op_is_elementwise(op_kind(m, op)))
        shared = find_shared(l, op, position);
    uint32_t home = l->of[v].home;
    if (home != NO_ID && reads_home(l, op, home, position)) shared = home;
    if (shared != NO_ID && l->all.at[shared].bytes == kept_bytes(m, l->f, v) && l->all.at[shared].bent != op &&
        may_overwrite(l, op, v, shared))
        in_place = true;
    bool hoisted = l->f->loops && l->f->loops[v];
    if (in_place && home == NO_ID && op_kind(m, op) == OP_convert && !l->all.at[shared].kept && !hoisted) {
        give(l, v, shared, position); // only rounded
        return;
    }
    bool free = home != NO_ID && l->all.at[home].bytes == kept_bytes(m, l->f, v) &&
                (l->home_free[v] < position ||
                 (l->home_free[v] == position && (in_place || updates_in_place(l, op_kind(m, op)))));
    if (free && l->all.at[home].end >= 2 * position) in_place = true;
    if (free && !l->all.at[home].kept) {
        give(l, v, home, position); // what a loop carries stays where it is
        return;
    }
    give(l, v, new_buffer(l, v, 2 * position + in_place, 2 * position + in_place), position);
    if (!free || !l->all.at[home].kept) return;
    l->all.at[l->of[v].buffer].kept = true;
    l->all.at[l->of[v].buffer].home = home;
}

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
        extend(l, l->copy[at], position);
        if (op_kind(l->m, op) == OP_select_and_scatter) place_indices(l, op, l->copy[at], at);
    }
}

static void note_use(Liveness *l, ValueId v, uint32_t position) { l->uses[l->n_uses++] = (ValueUse){v, position}; }

// Remembers a buffer that a kernel reads element by element for the last time.
static void note_last(Liveness *l, OpId kernel, ValueId v, uint32_t position) {
    if (!takes_over(l, v, position) || l->all.at[l->of[v].buffer].bent == kernel) return;
    const Type *t = value_tensor(l->m, v), *out = result_type(l->m, kernel, 0);
    uint32_t *shared = &l->shared[kernel];
    bool same =
        t->dims == out->dims || (t->rank == out->rank && memcmp(t->dims, out->dims, t->rank * sizeof *t->dims) == 0);
    if (!same) return;
    bool home = l->of[v].buffer == l->of[op_result(l->m, kernel, 0)].home;
    if (home || *shared == NO_ID || l->all.at[*shared].bent == kernel) *shared = l->of[v].buffer;
}

static void note_reads(Liveness *l, OpId op, bool in_kernel) {
    const ValueId *v = op_operands(l->m, op), *end = v + op_get(l->m, op)->n_operands;
    const uint8_t *place = l->f->place;
    const ValueLife *of = l->of;
    OpId kernel = l->f->kernel[op];
    uint32_t position = l->order->position[kernel];
    bool flat = l->f->flat[op];
    if (position == NO_ID) return;
    for (; v < end; v++) {
        if (place[*v] == PLACE_FUSED) continue;
        uint32_t buffer = of[*v].buffer;
        if (in_kernel) note_use(l, *v, position);
        if (buffer == NO_ID) continue; // computed again here, and in memory later
        if (flat)
            note_last(l, kernel, *v, position);
        else
            l->all.at[buffer].bent = kernel;
    }
}

// What a loop or a branch reads and writes as a whole, after what is inside.
static void note_uses(Liveness *l, OpId op) {
    const Op *o = op_get(l->m, op);
    uint32_t position = l->order->position[op];
    for (uint32_t i = 0; l->uses && i < o->n_operands; i++) note_use(l, op_operand(l->m, op, i), position);
    for (uint32_t i = 0; l->uses && i < o->n_results; i++) note_use(l, o->first_result + i, position);
}

static uint32_t walk_region(Liveness *l, RegionId r, uint32_t position);

static void set_home(Liveness *l, ValueId v, RegionId r, uint32_t buffer, uint32_t free_after) {
    const Value *val = &l->m->values.at[v];
    if (val->is_arg || op_get(l->m, val->owner)->parent != r || l->of[v].home != NO_ID) return;
    l->of[v].home = buffer;
    l->home_free[v] = free_after;
}

// The position of the first collective, beside which other kernels can run.
static uint32_t first_collective(const Liveness *l) {
    for (uint32_t p = 0; p < l->order->n; p++) {
        OpKind kind = op_kind(l->m, l->order->at[p]);
        if (kind == OP_partir_all_gather || kind == OP_partir_all_reduce || kind == OP_partir_all_to_all ||
            kind == OP_partir_reduce_scatter)
            return p;
    }
    return l->order->n;
}

// What a loop does not change, and only products in it read, is made bf16 before it, once for all loops: as soon as it is
// there if a collective comes before the loop, to hide that, and as late as possible else.
static void place_bf16_copies(Liveness *l, OpId loop) {
    const Module *m = l->m;
    RegionId body = op_region(m, loop, 1);
    uint32_t end = 2 * l->order->position[loop] - 1;
    bool hides = l->first_collective < l->order->first[loop];
    for (uint32_t i = 0; i < op_get(m, loop)->n_operands; i++) {
        ValueId init = op_operand(m, loop, i), arg = m->regions.at[body].first_arg + i;
        bool unchanged = op_operand(m, region_terminator(m, body), i) == arg;
        uint32_t n_users = l->f->users.first[arg + 1] - l->f->users.first[arg];
        if (!unchanged || n_users < 2 || !l->f->stored_bf16[arg] || l->f->stored_bf16[init]) continue;
        uint32_t *b = &l->bf16_copy[init];
        if (*b == NO_ID) {
            *b = new_buffer(l, arg, hides ? ready_at(l, init) : 2 * l->order->first[loop], end);
        } else if (l->all.at[*b].end < end) {
            l->all.at[*b].end = end;
        }
    }
}

// A constant of different numbers is there all the time, as it is written.
static void place_constant(Liveness *l, OpId op) {
    if (attr_is_splat(l->m, attr_get(l->m, op_attr(l->m, op, A_value)))) return;
    ValueId v = op_result(l->m, op, 0);
    uint32_t b = new_buffer(l, v, 0, 2 * l->order->n);
    if (l->backend->tiled_layout)
        l->all.at[b].bytes = value_bytes(l->m, v) * tile_padding_as_written(value_tensor(l->m, v));
    l->all.at[b].kept = true;
    l->results += l->all.at[b].bytes;
}

// When a copy of an initial value is made, which somebody else needs too: before the loop, or as soon as it is there.
static uint32_t copied_at(const Liveness *l, OpId loop, ValueId init) {
    uint32_t first = 2 * l->order->first[loop];
    const Value *val = &l->m->values.at[init];
    bool here = !val->is_arg && op_get(l->m, val->owner)->parent == op_get(l->m, loop)->parent;
    if (!l->backend->bfs || !here || l->of[init].buffer == NO_ID) return first;
    uint32_t ready = l->all.at[l->of[init].buffer].start + 2;
    return ready < first ? ready : first;
}

// Whether a value carried before this one starts from the same, and has taken its buffer.
static bool is_claimed_before(const Liveness *l, OpId loop, uint32_t i) {
    const Module *m = l->m;
    ValueId init = op_operand(m, loop, i), args = m->regions.at[op_region(m, loop, 1)].first_arg;
    for (uint32_t k = 0; k < i; k++)
        if (op_operand(m, loop, k) == init && l->f->stored_bf16[args + k] == l->f->stored_bf16[init]) return true;
    return false;
}

// Each carried value has one buffer for the initial value, the arguments of both regions and the result, which others
// may use between the last use of the argument and the next value; a copy is made if somebody else still needs the
// initial value.
static void walk_while(Liveness *l, OpId op) {
    const Module *m = l->m;
    uint32_t position = l->order->position[op], first = l->order->first[op];
    RegionId cond = op_region(m, op, 0), body = op_region(m, op, 1);
    OpId next = region_terminator(m, body);
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId init = op_operand(m, op, i), arg = m->regions.at[body].first_arg + i;
        ValueId out = op_operand(m, next, i);
        bool unchanged = out == arg, mine = l->of[init].buffer != NO_ID && (unchanged || takes_over(l, init, position));
        bool alike = l->f->stored_bf16[arg] == l->f->stored_bf16[init];
        if (mine && !unchanged) mine = alike && !is_claimed_before(l, op, i);
        uint32_t made = mine ? 0 : copied_at(l, op, init);
        uint32_t b = mine ? l->of[init].buffer : new_buffer(l, init, made, made);
        if (!mine && !alike) l->all.at[b].bytes = kept_bytes(m, l->f, arg);
        ValueId seen = m->regions.at[cond].first_arg + i;
        l->of[arg].buffer = l->of[seen].buffer = b;
        if (unchanged && is_copied_before(l, op, i) && l->of[op_result(m, op, i)].last == NO_ID) continue;
        if (unchanged) {
            give(l, op_result(m, op, i), b, position);
            continue;
        }
        l->all.at[b].end = 2 * first; // the loop itself is the last to use it
        extend(l, b, last_use(l, seen, first));
        extend(l, b, last_use(l, arg, first));
        set_home(l, out, body, b, last_use(l, arg, first));
        give(l, op_result(m, op, i), new_buffer(l, op_result(m, op, i), 2 * position, 2 * position), position);
    }
    if (l->bf16_copy) place_bf16_copies(l, op);
    OpId outer = l->loop;
    l->loop = op;
    walk_region(l, body, walk_region(l, cond, first));
    l->loop = outer;
}

static void walk_branches(Liveness *l, OpId op) {
    const Module *m = l->m;
    uint32_t position = l->order->position[op], next = l->order->first[op];
    for (uint32_t r = 0; r < op_get(m, op)->n_regions; r++) next = walk_region(l, op_region(m, op, r), next);
    for (uint32_t i = 0; i < op_get(m, op)->n_results; i++)
        give(l, op_result(m, op, i), new_buffer(l, op_result(m, op, i), 2 * position, 2 * position), position);
}

static void walk_op(Liveness *l, OpId op, uint32_t position) {
    const Op *o = op_get(l->m, op);
    bool fused = o->n_results == 1 && l->f->kernel[op] != op;
    bool in_kernel =
        l->uses &&
        (fused || (o->n_results ? l->f->place[o->first_result] != PLACE_ALIAS : !op_is_terminator((OpKind)o->kind)));
    note_reads(l, op, in_kernel);
    bool copies = op_copies_operands((OpKind)o->kind);
    if (fused && !copies) return;
    if (copies) place_copies(l, op, position);
    for (uint32_t i = 0; i < o->n_results; i++) {
        place_result(l, op, i, position);
        if (in_kernel) note_use(l, o->first_result + i, position);
    }
    if (l->loop != NO_ID) hoist_results(l, op);
}

// Gives the position after its last op.
static uint32_t walk_region(Liveness *l, RegionId r, uint32_t position) {
    const Module *m = l->m;
    OpId last = region_terminator(m, r);
    for (;; position++) {
        OpId op = l->order->at[position];
        OpKind kind = op_kind(m, op);
        if (op_get(m, op)->parent != r || is_copy(l->order, position)) continue;
        if (kind == OP_while) {
            walk_while(l, op);
            note_uses(l, op);
        } else if (l->f->nested && runs_regions(kind)) {
            walk_branches(l, op);
            note_uses(l, op);
        } else if (kind == OP_constant && l->backend->stores_constants) {
            place_constant(l, op);
        } else {
            walk_op(l, op, position);
        }
        if (op == last) return position + 1;
    }
}

// ---- Arguments and results of @main --------------------------------------------------------------------------------

static void place_arguments(Liveness *l, RegionId body) {
    const Module *m = l->m;
    OpId ret = region_terminator(m, body);
    for (uint32_t i = 0; i < m->regions.at[body].n_args; i++) {
        ValueId arg = m->regions.at[body].first_arg + i;
        int64_t to = l->f->donated[i];
        uint32_t free_after = last_use(l, arg, 0),
                 b = l->of[arg].buffer = new_buffer(l, arg, 0, 2 * (to == NOT_DONATED ? l->order->n : free_after));
        l->all.at[b].writable = to != NOT_DONATED;
        l->all.at[b].kept = true;
        if (l->copied_arguments && l->copied_arguments[i]) l->all.at[b].end = free_after = 0;
        if (to >= 0 && to < op_get(m, ret)->n_operands)
            set_home(l, op_operand(m, ret, (uint32_t)to), body, b, free_after);
        for (uint32_t k = 0; to == DONATED_TO_ANY && k < op_get(m, ret)->n_operands; k++) {
            ValueId out = op_operand(m, ret, k);
            if (value_type(m, out) != value_type(m, arg) || l->of[out].home != NO_ID) continue;
            set_home(l, out, body, b, free_after);
            break;
        }
    }
}

// The copies come after all arguments, whose buffers are the first.
static void copy_arguments(Liveness *l, RegionId body) {
    for (uint32_t i = 0; l->copied_arguments && i < l->m->regions.at[body].n_args; i++) {
        ValueId arg = l->m->regions.at[body].first_arg + i;
        if (l->copied_arguments[i]) l->of[arg].buffer = new_buffer(l, arg, 0, 2 * last_use(l, arg, 0));
    }
}

// A result needs a buffer of its own: constants are written, and arguments that the caller keeps are copied.
static void place_results(Liveness *l, RegionId body) {
    const Module *m = l->m;
    OpId ret = region_terminator(m, body);
    uint8_t *returned = arena_zalloc(l->a, l->all.n + 1);
    uint32_t n = l->all.n;
    for (uint32_t i = 0; i < op_get(m, ret)->n_operands; i++) {
        ValueId v = op_operand(m, ret, i);
        uint32_t b = l->of[v].buffer;
        bool own = b != NO_ID && b < n && l->all.at[b].writable && !returned[b];
        if (own)
            returned[b] = 1;
        else
            b = new_buffer(l, v, 2 * l->order->position[ret], 2 * l->order->n), l->all.at[b].bytes = value_bytes(m, v);
        if (l->all.at[b].kept || l->of[v].home != NO_ID) continue;
        l->all.at[b].kept = true;
        l->results += l->all.at[b].bytes;
    }
}

// ---- The peak ------------------------------------------------------------------------------------------------------

static int larger_first(const void *a, const void *b) {
    const Resident *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

void sort_residents(MemoryUse *use) {
    if (use->n_residents) qsort(use->residents, use->n_residents, sizeof *use->residents, larger_first);
}

#define SPARE 0.002 // of the peak: what small buffers may have together for their places not to be looked for

// In `room` bytes, if that is possible; else, or as far as the compiler knows no other way, the largest first.
static double pack_temporaries(Liveness *l, uint32_t n_args, double peak, double room) {
    HeapBlock *blocks = arena_new(l->a, HeapBlock, l->all.n);
    FreeWindow *windows = arena_new(l->a, FreeWindow, l->all.n);
    uint32_t n = 0, n_windows = 0;
    for (uint32_t i = 0; i < l->all.n; i++) {
        const Alive *b = &l->all.at[i];
        if (b->bytes == 0) continue;
        uint32_t from = b->home == NO_ID ? 0 : l->all.at[b->home].end + 1;
        if (!b->kept)
            blocks[n++] = (HeapBlock){b->bytes, b->start, b->end, i};
        else if (i >= n_args && b->start > from + 1)
            windows[n_windows++] = (FreeWindow){.bytes = b->bytes, .start = from, .end = b->start - 1};
    }
    double in_time =
        l->backend->pack_by_time_fill > 0 ? pack_by_time(blocks, n, windows, n_windows, room, l->a) : INFINITY;
    return in_time < INFINITY ? in_time : pack_by_size(blocks, n, windows, n_windows, SPARE * peak, l->a);
}

// Buffers that live on chip need nothing here. Gives the most bytes that are there.
static double assign_memory_space(Liveness *l, MemorySpace *vmem) {
    memory_space_begin(vmem, l->all.n);
    for (uint32_t i = 0; i < l->all.n; i++) {
        const Alive *b = &l->all.at[i];
        vmem->candidates[i] =
            (VmemCandidate){b->bytes,      b->start,        b->end,
                            .used = NO_ID, .kept = b->kept, .matters = memory_space_considers(vmem, b->bytes)};
    }
    for (const ValueUse *use = l->uses, *end = use + l->n_uses; use < end; use++) {
        uint32_t buffer = l->of[use->value].buffer;
        if (buffer == NO_ID || !vmem->candidates[buffer].matters) continue;
        if (2 * use->position <= vmem->candidates[buffer].end) memory_space_use(vmem, buffer, use->position);
    }
    double most = memory_space_assign(vmem, l->all.n);
    for (uint32_t i = 0; i < l->all.n; i++)
        if (vmem->candidates[i].lives) l->all.at[i].bytes = 0;
    return most;
}

static MemoryUse find_peak(Liveness *l, RegionId body) {
    uint32_t n = 2 * l->order->n + 2;
    double *change = arena_zalloc(l->a, (n + 1) * sizeof *change),
           *over_time = arena_new(l->a, double, l->order->n + 1);
    MemoryUse out = {.peak_op = NO_ID, .n_steps = l->order->n, .over_time = over_time, .ops = l->order->at};
    uint32_t n_args = l->m->regions.at[body].n_args, when = 0;
    for (uint32_t i = 0; i < l->all.n; i++) {
        change[l->all.at[i].start] += l->all.at[i].bytes;
        change[l->all.at[i].end + 1] -= l->all.at[i].bytes;
        if (i < n_args) out.arguments += l->all.at[i].bytes;
    }
    double now = 0;
    for (uint32_t p = 0; p <= l->order->n; p++) {
        double begin = now += change[2 * p], end = now += change[2 * p + 1];
        if (begin > out.peak) out.peak = begin, when = 2 * p;
        if (end > out.peak) out.peak = end, when = 2 * p + 1;
        over_time[p] = begin > end ? begin : end;
    }
    if (when / 2 < l->order->n) out.peak_op = l->order->at[when / 2];
    Resident *residents = arena_new(l->a, Resident, l->all.n);
    for (uint32_t i = 0; i < l->all.n; i++)
        if (l->all.at[i].start <= when && when <= l->all.at[i].end && l->all.at[i].bytes > 0)
            residents[out.n_residents++] = (Resident){l->all.at[i].value, l->all.at[i].bytes};
    out.residents = residents;
    return out;
}

static void add_gaps(Liveness *l, RegionId body, double memory, MemoryUse *use) {
    double kept = use->arguments + l->results, room = l->backend->pack_by_time_fill * memory - kept;
    double packed = kept + pack_temporaries(l, l->m->regions.at[body].n_args, use->peak, room);
    if (packed > use->peak) use->gaps = packed - use->peak, use->peak = packed;
}

// What does not fit is made again where it can be. Gaps make no difference before if all does not fit without them.
static MemoryUse fill_memory(Liveness *l, RegionId body, double memory) {
    double remat_fill = l->backend->remat_fill, limit = remat_fill > 0 ? remat_fill * memory : INFINITY;
    MemoryUse use = find_peak(l, body), remat = {0};
    if (use.peak <= limit) add_gaps(l, body, memory, &use);
    if (use.peak <= limit) return use;
    rematerialize(l, body, remat_fill * (memory - use.arguments - l->results), &remat);
    use = find_peak(l, body);
    add_gaps(l, body, memory, &use);
    use.n_rematerialized = remat.n_rematerialized, use.rematerialized_ops = remat.rematerialized_ops;
    use.rematerialized_bytes = remat.rematerialized_bytes, use.rematerialized_flops = remat.rematerialized_flops;
    return use;
}

MemoryUse liveness(const Module *m, const OpSchedule *order, const Fusion *f, const Backend *backend, double memory,
                   MemorySpace *vmem, Arena *a) {
    size_t by_value = m->values.n * sizeof(uint32_t), by_op = m->ops.n * sizeof(uint32_t);
    Liveness l = {.backend = backend,
                  .loop = NO_ID,
                  .m = m,
                  .order = order,
                  .f = f,
                  .a = a,
                  .of = memset(arena_new(a, ValueLife, m->values.n), 0xff, m->values.n * sizeof *l.of),
                  .home_free = arena_alloc(a, by_value),
                  .shared = arena_alloc(a, by_op)};
    vec_reserve(a, &l.all, m->values.n);
    memset(l.shared, 0xff, by_op);
    if (order->copied) l.copy = memset(arena_new(a, uint32_t, order->n), 0xff, order->n * sizeof *l.copy);
    if (vmem) l.uses = arena_new(a, ValueUse, (size_t)m->operands.n + m->values.n);
    if (backend->stores_bf16 && f->nested)
        l.first_collective = first_collective(&l), l.bf16_copy = memset(arena_alloc(a, by_value), 0xff, by_value);
    RegionId body = op_region(m, module_main(m), 0);
    find_last_uses(&l);
    if (backend->copies_donated_arguments) l.copied_arguments = donated_copies(m, order, f, a);
    place_arguments(&l, body);
    copy_arguments(&l, body);
    walk_region(&l, body, 0);
    place_results(&l, body);
    double in_vmem = vmem ? assign_memory_space(&l, vmem) : 0;
    MemoryUse use = fill_memory(&l, body, memory);
    use.vmem = in_vmem;
    return use;
}
