// Fusion: one walk from the last op to the first, so that what becomes of its uses is known when a value is met.
//
// The model of XLA's instruction fusion: elementwise ops, broadcasts, slices, transposes, iotas and pads are computed
// inside the kernels that use them, if all of these are loops over elements or reductions. What costs much
// (exponentials) is computed once, so only for a single use. Reductions take in what they read but end a kernel; dots,
// convolutions, gathers, scatters, sorts, collectives and loops are kernels of their own. Kernels of a library come first:
// what is left is fused around them.
#include "sim/fuse.h"
#include "sim/alike.h"
#include "sim/library.h"

typedef enum FuseClass { FUSE_NEVER, FUSE_CHEAP, FUSE_COSTLY, FUSE_MOVE, FUSE_SHAPE, FUSE_CONSTANT } FuseClass;

// From the cost column of the op table.
enum {
    CLASS_elementwise = FUSE_CHEAP,
    CLASS_free = FUSE_NEVER,
    CLASS_collective = FUSE_NEVER,
    CLASS_transcendental = FUSE_COSTLY,
    CLASS_movement = FUSE_MOVE,
    CLASS_control = FUSE_NEVER,
    CLASS_matrix = FUSE_NEVER,
    CLASS_convolution = FUSE_NEVER,
    CLASS_custom_call = FUSE_NEVER,
    CLASS_dot = FUSE_NEVER,
    CLASS_update = FUSE_NEVER,
    CLASS_fft = FUSE_NEVER,
    CLASS_map = FUSE_COSTLY,
    CLASS_reduce = FUSE_NEVER,
    CLASS_window = FUSE_NEVER,
    CLASS_rng = FUSE_NEVER,
    CLASS_scatter = FUSE_NEVER,
    CLASS_sort = FUSE_NEVER
};

static const uint8_t by_cost[OP_COUNT] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) CLASS_##cost,
#include "ir/ops.def"
};

static FuseClass class_of(OpKind k) {
    switch (k) {
    case OP_constant: return FUSE_CONSTANT;
    case OP_reshape:
    case OP_partir_tag:
    case OP_optimization_barrier: return FUSE_SHAPE;
    case OP_partir_all_slice: return FUSE_MOVE;
    case OP_gather:
    case OP_dynamic_gather:
    case OP_torch_index_select:
    case OP_concatenate:
    case OP_batch_norm_grad:
    case OP_batch_norm_inference:
    case OP_batch_norm_training:
    case OP_rng: return FUSE_NEVER;
    default: return (FuseClass)by_cost[k];
    }
}

bool op_is_elementwise(OpKind k) {
    FuseClass c = class_of(k);
    return c == FUSE_CHEAP || c == FUSE_COSTLY;
}

bool op_is_worth_hoisting(OpKind k) {
    FuseClass c = class_of(k);
    return c != FUSE_MOVE && c != FUSE_SHAPE && c != FUSE_CONSTANT && k != OP_iota && k != OP_convert;
}

// A kernel that computes what it reads on the way.
static bool takes_in(OpKind k) {
    FuseClass c = class_of(k);
    return c == FUSE_CHEAP || c == FUSE_COSTLY || c == FUSE_MOVE || c == FUSE_SHAPE || k == OP_reduce ||
           k == OP_concatenate || k == OP_dynamic_update_slice;
}

enum { BLOCKED = 1, BLOCKED_BY_DOT = 2, BLOCKED_BY_LIBRARY = 4 };

typedef struct Fuser {
    const Module *m;
    Fusion *f;
    const Compiler *compiler;
    const OpId *library; // by op: the op that ends its library kernel, or NO_ID; NULL without a library
    uint8_t *blocked;    // by value: a use needs it in memory, as the bits below
    uint8_t *bent;       // by value: a use in the same kernel reads other elements of it than those it computes
    uint8_t *other;      // by value: a use is no dot that reads it as a matrix
    uint8_t *exact;      // by value: a use is no dot, nor leads to dots alone
    uint8_t *hard;       // by value: a use needs it in memory as it is, not as a matrix
    uint8_t *uses;       // by value: none, one, more
    OpId *user;          // by value: the kernel of one of its uses
} Fuser;

// A transpose in front of a dot is folded into it: the dot reads the operand's buffer in another order.
static bool folds(const Fuser *z, OpId op) {
    return op_kind(z->m, op) == OP_transpose && (!z->compiler->dots_in_order || result_type(z->m, op, 0)->rank <= 2);
}

// A dot that reads an operand of more dimensions as a matrix.
static bool reads_matrix(const Module *m, OpId op, uint32_t operand) {
    uint32_t n_batch;
    record_ints(m, op_attr(m, op, A_dot_dimension_numbers),
                operand ? RF_DOT_rhs_batching_dimensions : RF_DOT_lhs_batching_dimensions, &n_batch);
    return operand_type(m, op, operand)->rank > n_batch + 2;
}

// The order of an operand's dimensions that a dot wants: 0 if they lie so already. Matrices are read in either order.
static uint32_t dot_order(const Module *m, OpId op, uint32_t operand) {
    AttrId numbers = op_attr(m, op, A_dot_dimension_numbers);
    uint32_t n_batch, n_depth, rank = operand_type(m, op, operand)->rank;
    const int64_t *batch =
        record_ints(m, numbers, operand ? RF_DOT_rhs_batching_dimensions : RF_DOT_lhs_batching_dimensions, &n_batch);
    const int64_t *depth = record_ints(
        m, numbers, operand ? RF_DOT_rhs_contracting_dimensions : RF_DOT_lhs_contracting_dimensions, &n_depth);
    uint32_t key = 1, first_depth = operand ? n_batch : rank - n_depth;
    bool batch_first = true, in_order = true;
    for (uint32_t i = 0; i < n_batch; i++) batch_first &= batch[i] == i, key = key * 31 + (uint32_t)batch[i];
    for (uint32_t i = 0; i < n_depth; i++) in_order &= depth[i] == first_depth + i, key = key * 31 + (uint32_t)depth[i];
    return batch_first && (in_order || rank <= n_batch + 2) ? 0 : key * 2 + operand;
}

// The same for a convolution.
static uint32_t convolution_order(const Module *m, OpId op, uint32_t operand) {
    AttrId numbers = op_attr(m, op, A_dimension_numbers);
    uint32_t n;
    const int64_t *space =
        record_ints(m, numbers, operand ? RF_CONV_kernel_spatial_dimensions : RF_CONV_input_spatial_dimensions, &n);
    int64_t first =
        record_int(m, numbers, operand ? RF_CONV_kernel_input_feature_dimension : RF_CONV_input_batch_dimension, 0);
    int64_t last =
        record_int(m, numbers, operand ? RF_CONV_kernel_output_feature_dimension : RF_CONV_input_feature_dimension, 0);
    bool in_order = last == n + 1 && first == (operand ? n : 0);
    uint32_t key = (uint32_t)(first * 31 + last) + 1;
    for (uint32_t i = 0; i < n; i++) in_order &= space[i] == i + !operand, key = key * 31 + (uint32_t)space[i];
    return in_order ? 0 : key * 2 + operand;
}

// The dimension that is scattered, plus 1; 0 if it is the first.
static uint32_t scatter_order(const Module *m, OpId op) {
    const Attr *axes = attr_get(m, op_attr(m, op, A_axes));
    for (uint32_t i = 1; axes->kind == ATTR_ARRAY && i < axes->n; i++)
        if (attr_get(m, axes->items[i])->n) return i + 1;
    return 0;
}

// The order of dimensions in which the op needs a copy of its operand, or 0.
static uint32_t wanted_order(const Fuser *z, OpId op, uint32_t operand) {
    switch (op_kind(z->m, op)) {
    case OP_dot_general: return z->compiler->dots_in_order ? dot_order(z->m, op, operand) : 0;
    case OP_convolution: return z->compiler->dots_in_order ? convolution_order(z->m, op, operand) : 0;
    case OP_partir_reduce_scatter: return z->compiler->dots_in_order ? scatter_order(z->m, op) : 0;
    case OP_select_and_scatter:
        return z->compiler->windows_indexed && operand == 0; // the indices, found as soon as the operand is there
    default: return 0;
    }
}

// Products and sums, which are in f32 where bf16 is not.
static bool is_widened(const Fuser *z, OpId op) {
    OpKind k = op_kind(z->m, op);
    return z->compiler->bf16_as_f32 &&
           (k == OP_dot_general || k == OP_convolution || k == OP_partir_all_reduce || k == OP_partir_reduce_scatter);
}

static void find_copies(const Fuser *z, const Order *order) {
    const Module *m = z->m;
    for (uint32_t p = 0; p < order->n; p++) {
        OpId op = order->at[p];
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
            bool wide = is_widened(z, op) && operand_type(m, op, i)->elem == EL_BF16;
            z->f->copied[op_get(m, op)->first_operand + i] = wanted_order(z, op, i) | (wide ? COPIED_WIDE : 0);
        }
    }
}

static OpId library_kernel(const Fuser *z, OpId op) { return z->library ? z->library[op] : NO_ID; }

static void meet_uses(Fuser *z, OpId op, bool aliases) {
    const Module *m = z->m;
    OpKind kind = op_kind(m, op);
    ValueId out = op_get(m, op)->n_results ? op_result(m, op, 0) : NO_ID;
    OpId library = library_kernel(z, op);
    bool dots = z->compiler->dots_fused && (kind == OP_dot_general || kind == OP_convolution);
    bool takes = (takes_in(kind) || dots || (kind == OP_gather && z->compiler->gathers_fused)) && !aliases;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId v = z->f->same[op_operand(m, op, i)];
        const Value *val = &m->values.at[v];
        bool here = !val->is_arg && op_get(m, val->owner)->parent == op_get(m, op)->parent;
        bool whole = kind == OP_dynamic_update_slice && i == 0; // updated in place
        uint32_t slot = op_get(m, op)->first_operand + i;
        bool dot = kind == OP_dot_general && z->compiler->dots_in_order;
        uint32_t copied = z->f->copied[slot];
        z->f->taken[slot] = (takes || (copied && kind != OP_select_and_scatter)) && !whole && here;
        if (library != NO_ID && !copied) z->f->taken[slot] = here && library_kernel(z, val->owner) == library;
        z->bent[v] |= !z->f->flat[op];
        z->exact[v] |= kind != OP_dot_general && kind != OP_convolution &&
                       !(out != NO_ID && z->f->narrow[out] && class_of(kind) >= FUSE_MOVE);
        z->other[v] |= !dot || (!copied && !reads_matrix(m, op, i));
        z->hard[v] |= !z->f->taken[slot] && !(dot && here && reads_matrix(m, op, i));
        if (!z->f->taken[slot])
            z->blocked[v] |= kind == OP_dot_general && here ? BLOCKED_BY_DOT
                             : library != NO_ID             ? BLOCKED_BY_LIBRARY
                                                            : BLOCKED;
        if (z->uses[v] < 2) z->uses[v]++;
        z->user[v] = z->f->kernel[op];
    }
}

// At most one operand has the result's rank and is no broadcast, so that computing it twice reads no more than keeping
// it would.
static bool reads_one(const Module *m, OpId op) {
    uint32_t large = 0, rank = result_type(m, op, 0)->rank;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        const Value *val = &m->values.at[op_operand(m, op, i)];
        OpKind kind = val->is_arg ? OP_COUNT : op_kind(m, val->owner);
        if (kind == OP_constant || kind == OP_iota || kind == OP_broadcast_in_dim) continue;
        large += operand_type(m, op, i)->rank >= rank;
    }
    return large < 2;
}

static Place place_of(const Fuser *z, OpId op, ValueId v) {
    FuseClass c = class_of(op_kind(z->m, op));
    OpId library = library_kernel(z, op);
    if (z->f->same[v] != v || (library != NO_ID && library != op)) return PLACE_FUSED;
    if (library == op) return PLACE_BUFFER;
    if (c == FUSE_COSTLY && z->compiler->costly_again) c = FUSE_CHEAP;
    if (c == FUSE_CONSTANT && z->blocked[v] & BLOCKED_BY_LIBRARY) c = FUSE_MOVE;
    if (c == FUSE_CONSTANT) return PLACE_FUSED;
    if (c == FUSE_NEVER) return PLACE_BUFFER;
    if (z->uses[v] == 0) return PLACE_BUFFER;
    bool free = !z->blocked[v] && (z->uses[v] == 1 || (c != FUSE_COSTLY && reads_one(z->m, op))) &&
                op_kind(z->m, op) != OP_optimization_barrier;
    if (free) return PLACE_FUSED;
    if (c == FUSE_SHAPE) return PLACE_ALIAS;
    if (z->blocked[v] == BLOCKED_BY_DOT && folds(z, op)) return PLACE_ALIAS;
    z->f->again[v] = c != FUSE_COSTLY && ((z->compiler->dots_in_order && !z->hard[v]) || reads_one(z->m, op));
    return PLACE_BUFFER;
}

// Elementwise up to the end of the kernel, which does not write a matrix for a dot instead of a tensor of more
// dimensions; that of a library does so for one dot alone.
static bool is_flat(const Fuser *z, OpId op) {
    ValueId v = op_result(z->m, op, 0);
    if (!op_is_elementwise(op_kind(z->m, op))) return false;
    if (z->f->place[v] == PLACE_FUSED) return !z->bent[v];
    return z->other[v] || !z->uses[v] || (library_kernel(z, op) == op && z->uses[v] > 1);
}

Fusion fuse_program(const Module *m, const Order *order, const Compiler *compiler, Arena *a) {
    Fusion f = {.place = arena_zalloc(a, m->values.n),
                .kernel = arena_new(a, OpId, m->ops.n),
                .again = arena_zalloc(a, m->values.n),
                .taken = arena_zalloc(a, m->operands.n),
                .narrow = arena_zalloc(a, m->values.n),
                .wide = arena_zalloc(a, m->values.n),
                .flat = arena_zalloc(a, m->ops.n),
                .same = find_alike(m, order, a),
                .copied = arena_zalloc(a, m->operands.n * sizeof(uint32_t))};
    Fuser z = {.m = m,
               .f = &f,
               .compiler = compiler,
               .blocked = arena_zalloc(a, m->values.n),
               .bent = arena_zalloc(a, m->values.n),
               .other = arena_zalloc(a, m->values.n),
               .hard = arena_zalloc(a, m->values.n),
               .exact = arena_zalloc(a, m->values.n),
               .uses = arena_zalloc(a, m->values.n),
               .user = arena_new(a, OpId, m->values.n)};
    find_copies(&z, order);
    if (compiler->library) z.library = library_kernels(m, order, f.same, f.copied, a);
    for (uint32_t p = order->n; p-- > 0;) {
        OpId op = order->at[p];
        f.kernel[op] = op;
        bool aliases = false;
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) {
            ValueId v = op_result(m, op, i);
            f.place[v] = (uint8_t)place_of(&z, op, v);
            if (f.place[v] == PLACE_FUSED && z.uses[f.same[v]]) f.kernel[op] = z.user[f.same[v]];
            aliases |= f.place[v] == PLACE_ALIAS;
        }
        f.flat[op] = is_flat(&z, op);
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) {
            ValueId v = op_result(m, op, i);
            f.narrow[v] = compiler->dots_read_bf16 && z.uses[v] && !z.exact[v] && value_tensor(m, v)->elem == EL_F32;
            f.wide[v] = compiler->bf16_as_f32 && value_tensor(m, v)->elem == EL_BF16 &&
                        (is_widened(&z, op) || z.blocked[v] & BLOCKED_BY_LIBRARY);
        }
        meet_uses(&z, op, aliases);
    }
    return f;
}
