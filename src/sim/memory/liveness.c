// Liveness: one forward walk makes buffers, with the last use of each value known.
//
// Time runs in half steps: an op at position p reads at 2p. Its result is alive from 2p on, or from 2p + 1 if it may
// overwrite a dead operand of the same size.
#include "sim/backend/rules.h"
#include "sim/cost/cost.h"
#include "sim/memory/buffers.h"
#include "sim/memory/donation.h"

uint32_t new_buffer(Liveness *l, ValueId v, uint32_t start, uint32_t end) {
    vec_push(l->a, &l->all,
             ((Alive){.value = v,
                      .bytes = kept_bytes(l->m, l->f, v),
                      .start = start,
                      .end = end,
                      .writable = true,
                      .home = NO_ID,
                      .bent = NO_ID}));
    return l->all.n - 1;
}

static uint32_t last_use(const Liveness *l, ValueId v, uint32_t position) {
    return l->of[v].last == NO_ID ? position : l->of[v].last;
}

static void give(Liveness *l, ValueId v, uint32_t buffer, uint32_t position) {
    l->of[v].buffer = buffer;
    extend_buffer(l, buffer, last_use(l, v, position));
}

// The result may take over the buffer of an operand, which nobody reads later.
static bool takes_over(const Liveness *l, ValueId v, uint32_t position) {
    return l->of[v].buffer != NO_ID && l->of[v].last == position && l->all.at[l->of[v].buffer].writable;
}

static bool updates_in_place(const Liveness *l, OpKind k) {
    return k == OP_dynamic_update_slice || k == OP_scatter || (k == OP_sort && l->backend->tiled_layout) ||
           (k == OP_partir_all_reduce && l->backend->all_reduces_in_place);
}

// Whether a kernel may write `v` over what it read element by element.
static bool may_overwrite(const Liveness *l, OpId op, ValueId v, uint32_t buffer) {
    return !l->backend->overwrites_only_sums || l->of[v].home == buffer || l->all.at[buffer].summed ||
           (l->f->scatter_add && l->f->scatter_add[op]);
}

// One number everywhere, from which several values of a loop start: each is written in its own buffer.
static bool is_written_by_loop(const Liveness *l, OpId op) {
    const Module *m = l->m;
    if (!l->backend->tiled_layout || op_kind(m, op) != OP_broadcast_in_dim) return false;
    const Value *from = &m->values.at[op_operand(m, op, 0)];
    ValueId v = op_result(m, op, 0);
    uint32_t first = l->f->users.first[v], end = l->f->users.first[v + 1];
    const OpId *users = l->f->users.op;
    if (from->is_arg || op_kind(m, from->owner) != OP_constant || end - first < 2) return false;
    for (uint32_t k = first; k < end; k++)
        if (op_kind(m, users[k]) != OP_while || users[k] != users[first]) return false;
    RegionId body = op_region(m, users[first], 1);
    const ValueId *inits = op_operands(m, users[first]), *next = op_operands(m, region_terminator(m, body));
    for (uint32_t i = 0; i < op_get(m, users[first])->n_operands; i++)
        if (inits[i] == v && next[i] == m->regions.at[body].first_arg + i) return false; // not written at all
    return true;
}

static bool is_iota(const Module *m, ValueId v) {
    return !m->values.at[v].is_arg && op_kind(m, m->values.at[v].owner) == OP_iota;
}

static void place_result(Liveness *l, OpId op, uint32_t index, uint32_t position) {
    const Module *m = l->m;
    ValueId v = op_result(m, op, index);
    ValueId from = index < op_get(m, op)->n_operands ? op_operand(m, op, index) : NO_ID;
    Place place = (Place)l->f->place[v];
    if (place == PLACE_FUSED || is_written_by_loop(l, op)) return;
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
    bool brought = op_kind(m, op) == OP_sort && kept_bytes(m, l->f, from) <= l->prefetched && !(l->shares_iotas && is_iota(m, from));
    if (updates_in_place(l, op_kind(m, op)) && takes_over(l, from, position) && !brought) {
        give(l, v, l->of[from].buffer, position);
        l->all.at[l->of[v].buffer].summed = op_kind(m, op) == OP_partir_all_reduce;
        return;
    }
    uint32_t shared = l->shared[op];
    uint32_t home = l->of[v].home;
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
    if (free && !l->all.at[home].kept) {
        give(l, v, home, position); // what a loop carries stays where it is
        return;
    }
    give(l, v, new_buffer(l, v, 2 * position + in_place, 2 * position + in_place), position);
    if (!free || !l->all.at[home].kept) return;
    l->all.at[l->of[v].buffer].kept = true;
    l->all.at[l->of[v].buffer].home = home;
}

static void note_use(Liveness *l, ValueId v, uint32_t position) { l->uses[l->n_uses++] = (ValueUse){v, position}; }

// Products on CPU are of matrices: what has more dimensions is reshaped for them, and a kernel that does it too writes over nothing. Those
// of libraries leave it to others.
static bool is_flattened(const Liveness *l, OpId op, const Type *t) {
    uint32_t n_batch;
    if (t->rank <= 2 || op_kind(l->m, op) != OP_dot_general) return false;
    record_ints(l->m, op_attr(l->m, op, A_dot_dimension_numbers), RF_DOT_lhs_batching_dimensions, &n_batch);
    return t->rank > n_batch + 2;
}

static bool is_reshaped_in(const Liveness *l, OpId kernel, ValueId v) {
    const Value *val = &l->m->values.at[v];
    if (!l->backend->relays_dot_operands || (l->f->library && l->f->library[kernel] != NO_ID)) return false;
    if (!val->is_arg && is_flattened(l, val->owner, value_tensor(l->m, v))) return true;
    ValueId out = op_result(l->m, kernel, 0);
    const Users *u = &l->f->users;
    for (uint32_t k = u->first[out]; k < u->first[out + 1]; k++)
        if (!is_flattened(l, u->op[k], value_tensor(l->m, out))) return false;
    return u->first[out] < u->first[out + 1];
}

// Remembers a buffer that a kernel reads element by element for the last time.
static void note_last(Liveness *l, OpId kernel, ValueId v, uint32_t position) {
    if (!takes_over(l, v, position) || l->all.at[l->of[v].buffer].bent == kernel) return;
    const Type *t = value_tensor(l->m, v), *out = result_type(l->m, kernel, 0);
    uint32_t *shared = &l->shared[kernel];
    bool same =
        t->dims == out->dims || (t->rank == out->rank && memcmp(t->dims, out->dims, t->rank * sizeof *t->dims) == 0);
    if (!same || is_reshaped_in(l, kernel, v)) return;
    bool home = l->of[v].buffer == l->of[op_result(l->m, kernel, 0)].home;
    if (home || *shared == NO_ID || l->all.at[*shared].bent == kernel) *shared = l->of[v].buffer;
}

// What does not lie as an op needs it is copied for all such readers, for products as bf16.
static void read_relaid(Liveness *l, OpId op, uint32_t operand, uint32_t position) {
    const Op *o = op_get(l->m, op);
    ValueId v = op_operand(l->m, op, operand);
    uint32_t *b = &l->relaid[v];
    if (*b == NO_ID) {
        bool bf16 = l->f->stored_bf16[v] || l->f->stored_bf16[o->first_result] ||
                    (l->backend->stores_bf16 && IS_PRODUCT(o->kind) && value_tensor(l->m, v)->elem == EL_F32);
        *b = new_buffer(l, v, 2 * position, 2 * position);
        l->all.at[*b].bytes = value_bytes(l->m, v) * l->f->relaid[o->first_operand + operand] / (bf16 ? 2 : 1);
        l->all.at[*b].moved = true;
    }
    extend_buffer(l, *b, position);
}

static void note_reads(Liveness *l, OpId op, bool in_kernel) {
    const ValueId *v = op_operands(l->m, op), *end = v + op_get(l->m, op)->n_operands;
    const uint8_t *place = l->f->place;
    const ValueLife *of = l->of;
    OpId kernel = l->f->kernel[op];
    uint32_t position = l->order->position[kernel];
    bool flat = l->f->flat[op];
    if (position == NO_ID) return;
    const double *relaid = l->relaid ? l->f->relaid + op_get(l->m, op)->first_operand : NULL;
    for (uint32_t i = 0, n = relaid ? (uint32_t)(end - v) : 0; i < n; i++)
        if (relaid[i] > 0) read_relaid(l, op, i, position);
    for (; v < end; v++) {
        if (place[*v] == PLACE_FUSED) continue;
        uint32_t buffer = of[*v].buffer;
        if (in_kernel) note_use(l, *v, position);
        if (buffer == NO_ID) continue; // rematerialized here, and in memory later
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

// Whether the program makes bf16 of a value itself, once for all turns of the loop.
static bool is_converted_once(const Liveness *l, ValueId arg) {
    const Users *u = &l->f->users;
    for (uint32_t k = u->first[arg]; l->f->loops && k < u->first[arg + 1]; k++)
        if (is_converted_before_loop(l, u->op[k])) return true;
    return false;
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
        if (is_converted_once(l, arg)) continue;
        uint32_t *b = &l->bf16_copy[init];
        if (*b == NO_ID) {
            *b = new_buffer(l, arg, hides ? ready_at(l, init) : 2 * l->order->first[loop], end);
            l->all.at[*b].hoisted = true;
        } else if (l->all.at[*b].end < end) {
            l->all.at[*b].end = end;
        }
        l->of[arg].buffer = *b;
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
        bool same_storage = kept_bytes(m, l->f, arg) == kept_bytes(m, l->f, init);
        if (mine && !unchanged) mine = same_storage && !is_claimed_before(l, op, i);
        uint32_t b = mine ? l->of[init].buffer : new_buffer(l, init, 2 * first, 2 * first);
        if (!mine) l->all.at[b].bytes = kept_bytes(m, l->f, arg);
        ValueId seen = m->regions.at[cond].first_arg + i;
        l->of[arg].buffer = l->of[seen].buffer = b;
        if (unchanged && is_copied_before_loop(l, op, i) && l->of[op_result(m, op, i)].last == NO_ID) continue;
        if (unchanged) {
            give(l, op_result(m, op, i), b, position);
            continue;
        }
        l->all.at[b].end = 2 * first; // the loop itself is the last to use it
        extend_buffer(l, b, last_use(l, seen, first));
        extend_buffer(l, b, last_use(l, arg, first));
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
    if (fused && !op_copies_operands((OpKind)o->kind)) return;
    if (op_traits[o->kind] & TRAIT_SCRATCH) place_scratch(l, op, position);
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
        if (op_get(m, op)->parent != r || is_operand_copy(l->order, position)) continue;
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
    TypeLists results = {0};
    for (uint32_t i = 0; i < m->regions.at[body].n_args; i++) {
        ValueId arg = m->regions.at[body].first_arg + i;
        int64_t to = l->f->donated[i];
        uint32_t free_after = last_use(l, arg, 0),
                 b = l->of[arg].buffer = new_buffer(l, arg, 0, 2 * (to == NOT_DONATED ? l->order->n : free_after));
        l->all.at[b].writable = to != NOT_DONATED;
        l->all.at[b].kept = true;
        if (to >= 0 && to < op_get(m, ret)->n_operands)
            set_home(l, op_operand(m, ret, (uint32_t)to), body, b, free_after);
        if (to != DONATED_TO_ANY) continue;
        if (!results.first) results = results_by_type(m, body, l->a);
        uint32_t k;
        do k = type_lists_take(&results, value_type(m, arg));
        while (k != NO_ID && l->of[op_operand(m, ret, k)].home != NO_ID);
        if (k != NO_ID) set_home(l, op_operand(m, ret, k), body, b, free_after);
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
        bool relaid = b != NO_ID && is_relaid(l, v);
        bool own = b != NO_ID && b < n && l->all.at[b].writable && !returned[b] && !relaid;
        uint32_t start = relaid ? l->all.at[b].start | 1 : 2 * l->order->position[ret];
        if (relaid && l->all.at[b].end < start) l->all.at[b].end = start;
        if (own)
            returned[b] = 1;
        else
            b = new_buffer(l, v, start, 2 * l->order->n), l->all.at[b].bytes = compact_bytes(l, v);
        if (l->all.at[b].kept || l->of[v].home != NO_ID) continue;
        l->all.at[b].kept = true;
        l->results += l->all.at[b].bytes;
    }
}

Liveness *find_liveness(const Module *m, const OpSchedule *order, const Fusion *f, const Backend *backend,
                        const Device *d, Arena *a) {
    size_t by_value = m->values.n * sizeof(uint32_t), by_op = m->ops.n * sizeof(uint32_t);
    Liveness *l = arena_alloc(a, sizeof *l);
    *l = (Liveness){.backend = backend,
                    .loop = NO_ID,
                    .m = m,
                    .order = order,
                    .f = f,
                    .a = a,
                    .body = op_region(m, module_main(m), 0),
                    .prefetched = d ? vmem_bytes(d) : 0,
                    .shares_iotas = d && d->cores > 1,
                    .of = memset(arena_new(a, ValueLife, m->values.n), 0xff, m->values.n * sizeof *l->of),
                    .home_free = arena_alloc(a, by_value),
                    .shared = arena_alloc(a, by_op)};
    vec_reserve(a, &l->all, m->values.n);
    memset(l->shared, 0xff, by_op);
    if (order->copied) l->copy = memset(arena_new(a, uint32_t, order->n), 0xff, order->n * sizeof *l->copy);
    if (d && vmem_bytes(d) > 0) l->uses = arena_new(a, ValueUse, (size_t)m->operands.n + m->values.n);
    if (backend->stores_bf16) l->first_collective = first_collective(l);
    if (backend->stores_bf16 && f->nested) l->bf16_copy = memset(arena_alloc(a, by_value), 0xff, by_value);
    if (f->relaid) l->relaid = memset(arena_alloc(a, by_value), 0xff, by_value);
    find_last_uses(l);
    place_arguments(l, l->body);
    walk_region(l, l->body, 0);
    place_results(l, l->body);
    return l;
}
