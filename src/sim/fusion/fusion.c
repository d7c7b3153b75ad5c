// Fusion: one walk from the last op to the first, so that all uses of a value are decided before the value itself.
//
// The model of XLA's instruction fusion: elementwise ops, broadcasts, slices, transposes, iotas and pads are computed
// inside the kernels that use them, if all of these are loops over elements or reductions. What costs much
// (exponentials) is computed once, so only for a single use. Reductions fuse their producers but end a kernel; dots,
// convolutions, gathers, scatters, sorts, collectives and loops are kernels of their own. Library fusion runs first, and
// the remaining ops are fused around its kernels.
#include "sim/fusion/fusion.h"
#include "sim/backend/rules.h"
#include "sim/cost/cost.h"
#include "spmd/export/one_hot.h"

static double stored_bytes(const Module *m, const Fusion *f, ValueId v) {
    return value_bytes(m, v) / (f->stored_bf16[v] ? 2 : 1);
}

static bool is_elementwise_class(FuseClass c) { return c == FUSE_CHEAP || c == FUSE_COSTLY; }

// A kernel that computes what it reads on the way.
static bool takes_in(FuseClass c, OpKind k) {
    return is_elementwise_class(c) || c == FUSE_MOVE || c == FUSE_SHAPE || k == OP_reduce || k == OP_concatenate ||
           k == OP_dynamic_update_slice;
}

// How the uses of a value want it.
enum {
    BLOCKED = 1,            // one needs it in memory
    BLOCKED_BY_DOT = 2,     // and is a dot
    BLOCKED_BY_LIBRARY = 4, // and is in a library kernel
    BENT = 8,               // one in the same kernel reads other elements of it than those it computes
    REDUCED = 16,           // one is a reduction
    MULTIPLIED = 32,        // one is a product
    FUSIBLE = 64,           // one can compute it on the way
    INNER = 128             // one is no kernel of its elements whose result leaves the region
};

typedef struct Wanted {
    OpId user;      // the kernel of one of the uses
    uint16_t how;   // bits of all of them
    uint8_t uses;   // none, one, more
    uint8_t copies; // of the kernels they are in
    uint16_t kernels; // how many can compute it on the way, at most
} Wanted;

typedef struct Fuser {
    const Module *m;
    Fusion *f;
    const Backend *backend;
    uint8_t *class_of;      // by op
    Wanted *wanted;         // by value
    const uint16_t *size;   // by value, from find_fused_sizes; NULL until it is asked for
    const ValueId *source;  // by value, where producers are duplicated into consumers; else NULL
    const uint16_t *depth;  // by value, from find_kernel_depths; NULL until it is asked for
    const uint8_t *after_product; // by value, from find_after_products; NULL where products end alone
    const ProgramOrder *written;
    RegionId body; // of @main
    Arena *a;
} Fuser;

static inline uint8_t class_of(const Fuser *fz, OpId op) {
    OpKind kind = op_kind(fz->m, op);
    return op_traits[kind] & TRAIT_RULE ? (uint8_t)fuse_class_by_rule(fz->m, fz->backend, fz->f, op) : fuse_classes[kind];
}

static uint16_t add_up(uint32_t a, uint32_t b) { return (uint16_t)(a + b > UINT16_MAX ? UINT16_MAX : a + b); }

// A transpose in front of a dot is folded into it: the dot reads the operand's buffer in another order.
static bool folds(const Fuser *fz, OpId op) {
    return op_kind(fz->m, op) == OP_transpose &&
           (!fz->backend->relays_dot_operands || result_type(fz->m, op, 0)->rank <= 2);
}

// Whether it stands in a loop or a branch: all that another op reads stands in its own region, and outside of all loops.
static bool is_inner(const Fuser *fz, const Op *o) { return fz->f->nested && o->parent != fz->body; }

static OpId library_fusion_of(const Fuser *fz, OpId op) { return fz->f->library ? fz->f->library[op] : NO_ID; }

// Computed before a loop in which the op is.
static bool is_hoisted(const Fuser *fz, ValueId v, ValueId out) {
    const Value *val = &fz->m->values.at[v];
    return fz->f->loops && fz->f->loops[v] > (out == NO_ID ? 0 : fz->f->loops[out]) && !val->is_arg &&
           op_is_worth_hoisting(op_kind(fz->m, val->owner));
}

// What is fused into several kernels is computed in each of them; beyond a few, XLA would rather keep it.
#define MAX_COPIES 4

// How an op that is in a library's kernel, or wants operands in an order of its own, uses one of them that is made in its
// region if it is `here`. Sets whether it can be computed on the way.
static int special_use(const Fuser *fz, OpId op, uint32_t operand, bool here, bool *fusible) {
    const Module *m = fz->m;
    OpKind kind = op_kind(m, op);
    OpId library = library_fusion_of(fz, op);
    ValueId v = op_operand(m, op, operand);
    bool copied = fz->f->copied && fz->f->copied[op_get(m, op)->first_operand + operand];
    if (copied && kind != OP_select_and_scatter && here) *fusible = true;
    if (library != NO_ID && !copied) *fusible = here && library_fusion_of(fz, m->values.at[v].owner) == library;
    if (*fusible) return FUSIBLE;
    return kind == OP_dot_general && here ? BLOCKED_BY_DOT : library != NO_ID ? BLOCKED_BY_LIBRARY : BLOCKED;
}

// Of much that many kernels would compute, each would do all: time without bound for them, and for us. XLA too gives up on fusions
// that duplicate too much code.
#define MAX_KERNELS 512
#define MAX_SIZE    256

static bool duplicates_too_much(Fuser *fz, ValueId v) {
    if (fz->wanted[v].kernels <= MAX_KERNELS) return false;
    if (!fz->size) fz->size = find_fused_sizes(fz->m, fz->written, fz->class_of, fz->a);
    return fz->size[v] > MAX_SIZE;
}

// What is the same for all that an op reads.
typedef struct UseBy {
    OpId kernel;
    uint32_t copies, kernels; // that compute the op
} UseBy;

static inline void add_use(Fuser *fz, ValueId v, int how, UseBy by) {
    Wanted *w = &fz->wanted[v];
    bool same_kernel = w->uses && w->user == by.kernel;
    uint32_t sum = !same_kernel ? w->copies + by.copies : w->copies > by.copies ? w->copies : by.copies;
    if (how & FUSIBLE && !same_kernel) w->kernels = add_up(w->kernels, by.kernels);
    w->copies = (uint8_t)(sum > MAX_COPIES ? MAX_COPIES : sum);
    w->how |= (uint16_t)how;
    w->uses = (uint8_t)(1 + (w->uses > 0));
    w->user = by.kernel;
}

// Whether nothing in the region is made of what the op's kernel gives: several such kernels over the same elements are one (multi-output
// fusion), since none can wait for another.
static bool leaves_region(const Fuser *fz, OpId op) {
    const Module *m = fz->m;
    OpId kernel = fz->f->kernel[op];
    if (!fz->backend->multi_output_fusion || op_get(m, kernel)->n_results != 1) return false;
    ValueId v = op_result(m, kernel, 0);
    const Users *u = &fz->f->users;
    for (uint32_t i = u->first[v]; i < u->first[v + 1]; i++)
        if (!op_is_terminator(op_kind(m, u->op[i]))) return false;
    return true;
}

static inline int use_by_kernel(const Fuser *fz, OpId op) {
    if (!fz->f->flat[op]) return BENT | INNER;
    return leaves_region(fz, op) ? 0 : INNER;
}

// How many kernels compute what they read for the op.
static inline UseBy use_by(const Fuser *fz, const Op *o, OpId op) {
    const Fusion *f = fz->f;
    ValueId v = o->first_result;
    const Wanted *w = &fz->wanted[v];
    bool duplicated = o->n_results && f->duplicated[v] && w->how & FUSIBLE;
    bool fused = o->n_results && f->place[v] == PLACE_FUSED;
    return (UseBy){.kernel = f->kernel[op],
                   .copies = duplicated ? 2 : f->copies[op], // in its own kernel and in others
                   .kernels = fused ? w->kernels : duplicated ? 1u + w->kernels : 1};
}

// Of most ops: element by element, outside of all loops.
static void add_elementwise_uses(Fuser *fz, OpId op) {
    const Op *o = op_get(fz->m, op);
    const ValueId *v = fz->m->operands.at + o->first_operand, *end = v + o->n_operands;
    const Value *values = fz->m->values.at;
    uint8_t *fusible = fz->f->fusible + o->first_operand;
    UseBy by = use_by(fz, o, op);
    int always = use_by_kernel(fz, op);
    for (; v < end; v++) {
        bool here = !values[*v].is_arg;
        *fusible++ = here;
        add_use(fz, *v, always | (here ? FUSIBLE : BLOCKED), by);
    }
}

// An op as one that reads its operands: what is the same for all of them.
typedef struct FusedReader {
    const Op *o;
    OpId op;
    ValueId out;
    int always, as_here;
    bool takes, special, scatter_add, inner;
    bool scatter; // into what it may make itself, of what it may compute on the way
    bool adds_scatter; // into its other operand, which is in memory
} FusedReader;

static bool has_alias(const Fusion *f, const Op *o) {
    for (uint32_t i = 0; i < o->n_results; i++)
        if (f->place[o->first_result + i] == PLACE_ALIAS) return true;
    return false;
}

static FusedReader reader_of(const Fuser *fz, OpId op, FuseClass c) {
    const Module *m = fz->m;
    const Fusion *f = fz->f;
    const Op *o = op_get(m, op);
    OpKind kind = (OpKind)o->kind;
    bool product = IS_PRODUCT(kind);
    bool windows = kind == OP_reduce && fz->backend->normalizes_bf16 && sums_bf16(m, op);
    bool sums = kind == OP_gather && fz->backend->gathers_to_sums && reads_one_hot(m, op);
    FusedReader r = {.o = o,
                .op = op,
                .out = o->n_results ? o->first_result : NO_ID,
                .scatter_add = kind == OP_scatter && f->scatter_add && f->scatter_add[op],
                .scatter = kind == OP_scatter && o->n_results == 1 && fz->backend->fuses_scatter_adds,
                .adds_scatter = kind == OP_add && f->scatter_add && f->scatter_add[op],
                .inner = is_inner(fz, o)};
    r.takes = ((takes_in(c, kind) && !windows) || sums || (product && fz->backend->fuses_dot_producers) ||
               ((kind == OP_reduce_window || kind == OP_select_and_scatter) && fz->backend->fuses_window_producers)) &&
              !has_alias(f, o);
    if (kind == OP_slice && fz->backend->strides_in_memory && strided_dims(m, op)) r.takes = false;
    r.special = library_fusion_of(fz, op) != NO_ID || (op_copies_operands(kind) && copies_operands(fz->backend));
    r.always = use_by_kernel(fz, op) | (kind == OP_reduce || sums ? REDUCED : 0) | (product ? MULTIPLIED : 0);
    r.as_here = kind == OP_dot_general ? BLOCKED_BY_DOT : BLOCKED;
    return r;
}

// One number everywhere.
static bool is_one_number(const Module *m, OpId op) {
    if (op_kind(m, op) != OP_broadcast_in_dim) return false;
    const Value *from = &m->values.at[op_operand(m, op, 0)];
    return !from->is_arg && op_kind(m, from->owner) == OP_constant;
}

// How it uses one of them. Sets whether it can compute it on the way.
static inline int use_of(const Fuser *fz, const FusedReader *r, uint32_t i, uint8_t *fusible_by) {
    const Fusion *f = fz->f;
    ValueId v = fz->m->operands.at[r->o->first_operand + i];
    const Value *val = &fz->m->values.at[v];
    bool here = !val->is_arg && (!r->inner || op_get(fz->m, val->owner)->parent == r->o->parent);
    if (here && r->inner && f->loops) here = (f->copied && f->copied[r->o->first_operand + i]) || !is_hoisted(fz, v, r->out);
    bool whole = i == 0 ? r->o->kind == OP_dynamic_update_slice : r->scatter_add; // updated in place
    if (r->adds_scatter && here) whole = !f->scatter_add[val->owner];
    if (i == 0 && r->scatter_add) here = true;                                    // zeros, which nobody reads
    bool fusible = r->takes && !whole && here;
    if (r->scatter && i == 0 && here && is_one_number(fz->m, val->owner)) fusible = true;
    int how = fusible ? FUSIBLE : here ? r->as_here : BLOCKED;
    if (r->special) how = special_use(fz, r->op, i, here, &fusible);
    *fusible_by = fusible;
    return r->always | how;
}

static void add_uses(Fuser *fz, OpId op, FuseClass c) {
    FusedReader r = reader_of(fz, op, c);
    const ValueId *operands = fz->m->operands.at + r.o->first_operand;
    uint8_t *fusible = fz->f->fusible + r.o->first_operand;
    UseBy by = use_by(fz, r.o, op);
    for (uint32_t i = 0, n = r.o->n_operands; i < n; i++)
        add_use(fz, operands[i], use_of(fz, &r, i, &fusible[i]), by);
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

static bool is_cheap_to_duplicate(const Fuser *fz, OpId op, ValueId v) {
    return fz->source ? fz->source[v] != MANY_SOURCES : reads_one(fz->m, op);
}

// A reduction computes it anyhow, and writes it for the products.
static bool kept_by_reduction(const Fuser *fz, FuseClass c, const Wanted *w) {
    return fz->backend->reductions_write_producers && is_elementwise_class(c) && w->how & REDUCED && w->how & MULTIPLIED;
}

// ---- Output fusion: products with what follows them element by element -----------------------------------------------

#define MAX_AFTER 64 // values between a product and what its kernel writes

// Adds a value to those that are not looked at yet, unless it is among them; false if there are too many.
static bool add_after(ValueId *open, uint32_t *n, ValueId v) {
    for (uint32_t i = 0; i < *n; i++)
        if (open[i] == v) return true;
    if (*n == MAX_AFTER) return false;
    open[(*n)++] = v;
    return true;
}

#define WORD 32 // bits

// Of a convolution the kernel writes what is made of it as bf16, and beside that the bits of comparisons, instead of itself. They are
// packed along a spatial dimension of which a word holds all.
static bool is_mask(const Fuser *fz, ValueId of, OpId op) {
    const Module *m = fz->m;
    const Value *val = &m->values.at[of];
    if (!fz->backend->fuses_products || val->is_arg || op_kind(m, op) != OP_compare) return false;
    if (op_kind(m, val->owner) != OP_convolution) return false;
    uint32_t n;
    const int64_t *dims = record_ints(m, op_attr(m, val->owner, A_dimension_numbers), RF_CONV_output_spatial_dimensions, &n);
    for (uint32_t i = 0; i < n; i++)
        if (value_tensor(m, of)->dims[dims[i]] <= WORD) return true;
    return false;
}

// Whether all that is made of a product comes together in `v`, element by element, but for masks.
static bool leads_to(const Fuser *fz, ValueId product, ValueId v) {
    const Module *m = fz->m;
    const Users *u = &fz->f->users;
    ValueId open[MAX_AFTER];
    open[0] = product;
    for (uint32_t n = 1, i = 0; i < n; i++)
        for (uint32_t k = u->first[open[i]]; k < u->first[open[i] + 1]; k++) {
            OpId op = u->op[k];
            ValueId out = op_get(m, op)->first_result;
            if (is_mask(fz, open[i], op) && fz->f->stored_bf16[v]) continue;
            bool goes_on = op_get(m, op)->n_results == 1 && fz->class_of[op] != FUSE_NEVER &&
                           value_tensor(m, out)->elements == value_tensor(m, v)->elements;
            if (!goes_on || (out != v && !add_after(open, &n, out))) return false;
        }
    return true;
}

// Whether a value is made of a product of which nothing else is made.
static bool is_made_of_product(const Fuser *fz, ValueId v) {
    const Module *m = fz->m;
    bool moves = op_kind(m, m->values.at[v].owner) == OP_transpose; // into the layout that its readers need
    ValueId open[MAX_AFTER];
    open[0] = v;
    for (uint32_t n = 1, i = 0; i < n; i++) {
        const Value *val = &m->values.at[open[i]];
        if (val->is_arg || value_tensor(m, open[i])->elements != value_tensor(m, v)->elements) continue;
        if (IS_PRODUCT(op_kind(m, val->owner))) {
            bool larger = moves ? stored_bytes(m, fz->f, v) > stored_bytes(m, fz->f, open[i])
                                : kept_bytes(m, fz->f, v) > kept_bytes(m, fz->f, open[i]);
            if (!larger && leads_to(fz, open[i], v)) return true;
        }
        if (fz->class_of[val->owner] == FUSE_NEVER) continue;
        for (uint32_t k = 0; k < op_get(m, val->owner)->n_operands; k++) {
            ValueId from = op_operand(m, val->owner, k);
            bool masked = fz->f->stored_bf16[v] && !m->values.at[from].is_arg && op_kind(m, m->values.at[from].owner) == OP_convolution;
            if (fz->wanted[from].uses && !masked) continue; // by ops after this one: not all that is made of it leads here
            if (!add_after(open, &n, from)) return false;
        }
    }
    return false;
}

// A value that several kernels read is written by that of the product that it is made of.
static bool kept_by_product(const Fuser *fz, ValueId v) {
    return fz->wanted[v].copies > 1 && fz->after_product && fz->after_product[v] && is_made_of_product(fz, v);
}

static bool has_mask(const Fuser *fz, ValueId v) {
    const Users *u = &fz->f->users;
    for (uint32_t k = u->first[v]; k < u->first[v + 1]; k++)
        if (is_mask(fz, v, u->op[k])) return true;
    return false;
}

// A convolution of which all but masks is one value, kept as bf16, is computed by the kernel of that value.
static bool is_kept_as_bf16(const Fuser *fz, OpId op, ValueId v) {
    const Users *u = &fz->f->users;
    OpId user = NO_ID;
    if (!fz->backend->fuses_products || op_kind(fz->m, op) != OP_convolution) return false;
    for (uint32_t k = u->first[v]; k < u->first[v + 1]; k++) {
        OpId reader = u->op[k];
        if (is_mask(fz, v, reader)) continue;
        if (user != NO_ID || op_get(fz->m, reader)->n_results != 1) return false;
        user = reader;
    }
    if (user == NO_ID || !fz->f->stored_bf16[op_result(fz->m, user, 0)] || fz->f->kernel[user] != user) return false;
    if (!is_elementwise_class((FuseClass)fz->class_of[user]) || fz->f->has_product[user]) return false;
    fz->wanted[v].user = user;
    return true;
}

#define NESTED_SIDE  128     // the matrix unit's
#define NESTED_BYTES 8388608 // half of what a kernel has of VMEM

// A product whose readers are all in one kernel, which ends element by element or is another product, is computed there: of each
// kernel one product alone. Another product computes it for each block of its result that has all that it needs: only if there is
// one such block, and the smaller operand stays on the chip, nothing is computed twice.
static bool fuses_into_reader(const Fuser *fz, OpId op, ValueId v) {
    const Module *m = fz->m;
    const Wanted *w = &fz->wanted[v];
    if (!fz->backend->fuses_products || !IS_PRODUCT(op_kind(m, op)) || w->copies != 1 || !w->uses) return false;
    if (w->how & (BLOCKED | BLOCKED_BY_DOT | BLOCKED_BY_LIBRARY | REDUCED) || fz->f->has_product[w->user] || has_mask(fz, v)) return false;
    if (is_elementwise_class((FuseClass)fz->class_of[w->user]) || op_kind(m, w->user) == OP_transpose)
        return leads_to(fz, v, op_result(m, w->user, 0));
    if (!IS_PRODUCT(op_kind(m, w->user))) return false;
    Cost outer = op_cost(m, w->user);
    double lhs = value_bytes(m, op_operand(m, op, 0)), rhs = value_bytes(m, op_operand(m, op, 1));
    return (outer.m < outer.n ? outer.m : outer.n) <= NESTED_SIDE && (lhs < rhs ? lhs : rhs) < NESTED_BYTES;
}

// Products read the parts of a concatenation.
static bool is_read_in_parts(const Fuser *fz, OpId op, ValueId v) {
    const Users *u = &fz->f->users;
    if (!fz->backend->fuses_dot_producers || op_kind(fz->m, op) != OP_concatenate) return false;
    for (uint32_t k = u->first[v]; k < u->first[v + 1]; k++)
        if (!IS_PRODUCT(op_kind(fz->m, u->op[k]))) return false;
    return fz->wanted[v].uses && !(fz->wanted[v].how & (BLOCKED | BLOCKED_BY_DOT | BLOCKED_BY_LIBRARY));
}

// Whether all kernels that read it could run at once, side by side: none of them can wait for another.
static bool is_read_at_once(Fuser *fz, ValueId v) {
    const Module *m = fz->m;
    const Users *u = &fz->f->users;
    if (!fz->depth) fz->depth = find_kernel_depths(m, fz->written, fz->class_of, fz->a);
    for (uint32_t k = u->first[v]; k < u->first[v + 1]; k++)
        for (uint32_t i = 0; i < op_get(m, u->op[k])->n_operands; i++)
            if (fz->depth[op_operand(m, u->op[k], i)] > fz->depth[v]) return false;
    return true;
}

static Place place_in_kernel(Fuser *fz, OpId op, FuseClass c, ValueId v) {
    const Wanted *w = &fz->wanted[v];
    OpId library = library_fusion_of(fz, op);
    if (library != NO_ID) return library == op ? PLACE_BUFFER : PLACE_FUSED;
    if (c == FUSE_COSTLY && fz->backend->duplicates_expensive) c = FUSE_CHEAP;
    bool costly = c == FUSE_COSTLY || op_kind(fz->m, op) == OP_gather;
    if (c == FUSE_CONSTANT && w->how & BLOCKED_BY_LIBRARY) c = FUSE_MOVE;
    if (c == FUSE_CONSTANT) return PLACE_FUSED;
    if (fz->f->accumulation && fz->f->accumulation[op] == ACCUMULATED) return PLACE_FUSED;
    if (c == FUSE_NEVER) {
        bool inside = fuses_into_reader(fz, op, v) || is_kept_as_bf16(fz, op, v) || is_read_in_parts(fz, op, v);
        return inside ? PLACE_FUSED : PLACE_BUFFER;
    }
    bool scatters = fz->f->scatter_add && fz->f->scatter_add[op] && op_kind(fz->m, op) == OP_add;
    if (scatters || w->uses == 0) return PLACE_BUFFER;
    int blocked = w->how & (BLOCKED | BLOCKED_BY_DOT | BLOCKED_BY_LIBRARY);
    bool once = w->copies == 1 || (w->uses == 1 && !costly); // all uses are in one kernel
    bool too_much = duplicates_too_much(fz, v);
    bool free = !blocked && !too_much && (once || !(w->how & INNER) || (!costly && is_cheap_to_duplicate(fz, op, v))) &&
                op_kind(fz->m, op) != OP_optimization_barrier;
    if (free) return kept_by_reduction(fz, c, w) || kept_by_product(fz, v) ? PLACE_BUFFER : PLACE_FUSED;
    if (c == FUSE_SHAPE) return PLACE_ALIAS;
    if (blocked == BLOCKED_BY_DOT && folds(fz, op)) return PLACE_ALIAS;
    bool transposes_product = op_kind(fz->m, op) == OP_transpose && kept_by_product(fz, v);
    fz->f->duplicated[v] = !costly && !too_much && !transposes_product &&
                           (is_cheap_to_duplicate(fz, op, v) || (fz->backend->relays_dot_operands && !blocked && is_read_at_once(fz, v)));
    return PLACE_BUFFER;
}

// Elementwise up to the end of the kernel.
static bool is_flat(const Fuser *fz, OpId op, FuseClass c) {
    ValueId v = op_get(fz->m, op)->first_result;
    return is_elementwise_class(c) && !(fz->f->place[v] == PLACE_FUSED && fz->wanted[v].how & BENT);
}

// What becomes of the op, once its uses are decided.
static void decide(Fuser *fz, OpId op, FuseClass c) {
    Fusion *f = fz->f;
    f->kernel[op] = op;
    f->copies[op] = 1;
    for (uint32_t i = 0, n = op_get(fz->m, op)->n_results; i < n; i++) {
        ValueId v = op_result(fz->m, op, i);
        const Wanted *w = &fz->wanted[v];
        Place place = place_in_kernel(fz, op, c, v);
        if (place == PLACE_FUSED && w->uses) f->kernel[op] = w->user, f->copies[op] = w->copies;
        f->place[v] = (uint8_t)place;
        if (place == PLACE_FUSED && c == FUSE_NEVER) f->has_product[f->kernel[op]] |= IS_PRODUCT(op_kind(fz->m, op));
    }
    f->flat[op] = is_flat(fz, op, c);
}

void fuse_ops(const Module *m, const ProgramOrder *written, const Backend *backend, Fusion *f, Arena *a) {
    Fuser fuser = {.m = m, .backend = backend, .f = f, .written = written, .body = op_region(m, module_main(m), 0), .a = a}, *fz = &fuser;
    f->place = arena_zalloc(a, m->values.n);
    f->kernel = arena_new(a, OpId, m->ops.n);
    f->duplicated = arena_zalloc(a, m->values.n);
    f->fusible = arena_alloc(a, m->operands.n);
    f->copies = arena_alloc(a, m->ops.n);
    f->flat = arena_alloc(a, m->ops.n);
    fz->wanted = arena_zalloc(a, m->values.n * sizeof(Wanted));
    fz->class_of = arena_alloc(a, m->ops.n);
    f->has_product = arena_zalloc(a, m->ops.n);
    for (uint32_t p = 0; p < written->n; p++) fz->class_of[written->at[p]] = class_of(fz, written->at[p]);
    if (backend->fuses_products) fz->after_product = find_after_products(m, written, fz->class_of, a);
    if (backend->duplicates_expensive)
        fz->source = find_duplication_sources(m, written, &f->users, fz->class_of, a);
    for (uint32_t p = written->n; p-- > 0;) {
        OpId op = written->at[p];
        FuseClass c = (FuseClass)fz->class_of[op];
        decide(fz, op, c);
        bool scatters = f->scatter_add && f->scatter_add[op];
        if (is_elementwise_class(c) && op_is_elementwise(op_kind(m, op)) && !is_inner(fz, op_get(m, op)) &&
            library_fusion_of(fz, op) == NO_ID && !scatters)
            add_elementwise_uses(fz, op);
        else
            add_uses(fz, op, c);
    }
}
