// Fusion: one walk from the last op to the first, so that what becomes of its uses is known when a value is met.
//
// The model of XLA's instruction fusion: elementwise ops, broadcasts, slices, transposes, iotas and pads are computed inside the kernels that use
// them, if all of these are loops over elements or reductions. What costs much (exponentials) is computed once, so only for a single use. Reductions
// take in what they read but end a kernel; dots, convolutions, gathers, scatters, sorts, collectives and loops are kernels of their own.
#include "sim/fuse.h"

typedef enum FuseClass { FUSE_NEVER, FUSE_CHEAP, FUSE_COSTLY, FUSE_MOVE, FUSE_SHAPE, FUSE_CONSTANT } FuseClass;

// From the cost column of the op table.
enum { CLASS_elementwise = FUSE_CHEAP, CLASS_free = FUSE_NEVER, CLASS_collective = FUSE_NEVER, CLASS_transcendental = FUSE_COSTLY, CLASS_movement = FUSE_MOVE, CLASS_control = FUSE_NEVER, CLASS_matrix = FUSE_NEVER, CLASS_convolution = FUSE_NEVER, CLASS_custom_call = FUSE_NEVER, CLASS_dot = FUSE_NEVER, CLASS_update = FUSE_NEVER, CLASS_fft = FUSE_NEVER, CLASS_map = FUSE_COSTLY, CLASS_reduce = FUSE_NEVER, CLASS_window = FUSE_NEVER, CLASS_rng = FUSE_NEVER, CLASS_scatter = FUSE_NEVER, CLASS_sort = FUSE_NEVER };

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

// A kernel that computes what it reads on the way.
static bool takes_in(OpKind k) {
    FuseClass c = class_of(k);
    return c == FUSE_CHEAP || c == FUSE_COSTLY || c == FUSE_MOVE || c == FUSE_SHAPE || k == OP_reduce || k == OP_concatenate || k == OP_dynamic_update_slice;
}

typedef struct Fuser {
    const Module *m;
    Fusion *f;
    const Compiler *compiler;
    uint8_t *blocked; // by value: a use needs it in memory
    uint8_t *uses;    // by value: none, one, more
    OpId *user;       // by value: the kernel of one of its uses
} Fuser;

// A transpose in front of a dot is folded into it: the dot reads the operand's buffer in another order.
static bool folds(const Fuser *z, OpId op) { return op_kind(z->m, op) == OP_transpose && (!z->compiler->dots_in_order || result_type(z->m, op, 0)->rank <= 2); }

// The order of an operand's dimensions that a dot wants: 0 if they lie so already. A matrix is read in either order.
static uint32_t dot_order(const Module *m, OpId op, uint32_t operand) {
    AttrId numbers = op_attr(m, op, A_dot_dimension_numbers);
    uint32_t n_batch, n_depth, rank = operand_type(m, op, operand)->rank, n = 0;
    const int64_t *batch = record_ints(m, numbers, operand ? RF_DOT_rhs_batching_dimensions : RF_DOT_lhs_batching_dimensions, &n_batch);
    const int64_t *depth = record_ints(m, numbers, operand ? RF_DOT_rhs_contracting_dimensions : RF_DOT_lhs_contracting_dimensions, &n_depth);
    if (rank <= 2) return 0;
    uint64_t taken = 0;
    uint32_t key = 1, free = rank - n_batch - n_depth, at_depth = operand ? n_batch : n_batch + free;
    bool in_order = true;
    for (uint32_t i = 0; i < n_batch; i++) taken |= UINT64_C(1) << batch[i], in_order &= batch[i] == i, key = key * 31 + (uint32_t)batch[i];
    for (uint32_t i = 0; i < n_depth; i++) taken |= UINT64_C(1) << depth[i], in_order &= depth[i] == at_depth + i, key = key * 31 + (uint32_t)depth[i];
    for (uint32_t d = 0, at = operand ? n_batch + n_depth : n_batch; d < rank; d++) {
        if (taken >> d & 1) continue;
        in_order &= d == at + n++;
    }
    return in_order ? 0 : key * 2 + operand;
}

static void meet_uses(Fuser *z, OpId op, bool aliases) {
    const Module *m = z->m;
    OpKind kind = op_kind(m, op);
    bool takes = takes_in(kind) && !aliases && !(kind == OP_reduce && z->compiler->reductions_apart);
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        const Value *val = &m->values.at[v];
        bool here = !val->is_arg && op_get(m, val->owner)->parent == op_get(m, op)->parent;
        bool whole = kind == OP_dynamic_update_slice && i == 0; // updated in place
        uint32_t *copied = &z->f->copied[op_get(m, op)->first_operand + i];
        *copied = kind == OP_dot_general && z->compiler->dots_in_order ? dot_order(m, op, i) : 0;
        if ((!takes && !(*copied && here)) || whole || !here) z->blocked[v] |= kind == OP_dot_general && here ? 2 : 1;
        if (z->uses[v] < 2) z->uses[v]++;
        z->user[v] = z->f->kernel[op];
    }
}

// At most one operand of the result's size is there that is no scalar, so that computing it twice reads no more than keeping it would.
static bool reads_one(const Module *m, OpId op) {
    int64_t size, n;
    uint32_t large = 0;
    if (!type_elements(result_type(m, op, 0), &size)) return false;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        const Value *val = &m->values.at[op_operand(m, op, i)];
        OpKind kind = val->is_arg ? OP_COUNT : op_kind(m, val->owner);
        if (kind == OP_constant || kind == OP_iota || (kind == OP_broadcast_in_dim && operand_type(m, val->owner, 0)->rank == 0)) continue;
        large += type_elements(operand_type(m, op, i), &n) && n >= size;
    }
    return large < 2;
}

static Place place_of(const Fuser *z, OpId op, ValueId v) {
    FuseClass c = class_of(op_kind(z->m, op));
    if (c == FUSE_CONSTANT) return PLACE_FUSED;
    if (c == FUSE_NEVER) return PLACE_BUFFER;
    if (z->uses[v] == 0) return PLACE_BUFFER;
    bool free = !z->blocked[v] && (z->uses[v] == 1 || (c != FUSE_COSTLY && reads_one(z->m, op))) && op_kind(z->m, op) != OP_optimization_barrier;
    if (free) return PLACE_FUSED;
    if (c == FUSE_SHAPE) return PLACE_ALIAS;
    return z->blocked[v] == 2 && folds(z, op) ? PLACE_ALIAS : PLACE_BUFFER;
}

Fusion fuse_program(const Module *m, const Order *order, const Compiler *compiler, Arena *a) {
    Fusion f = {.place = arena_zalloc(a, m->values.n), .kernel = arena_new(a, OpId, m->ops.n), .copied = arena_zalloc(a, m->operands.n * sizeof(uint32_t))};
    Fuser z = {.m = m, .f = &f, .compiler = compiler, .blocked = arena_zalloc(a, m->values.n), .uses = arena_zalloc(a, m->values.n), .user = arena_new(a, OpId, m->values.n)};
    for (uint32_t p = order->n; p-- > 0;) {
        OpId op = order->at[p];
        f.kernel[op] = op;
        bool aliases = false;
        for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) {
            ValueId v = op_result(m, op, i);
            f.place[v] = (uint8_t)place_of(&z, op, v);
            if (f.place[v] == PLACE_FUSED && z.uses[v]) f.kernel[op] = z.user[v];
            aliases |= f.place[v] == PLACE_ALIAS;
        }
        meet_uses(&z, op, aliases);
    }
    return f;
}
