// What the files of the lowering share: the program being built, and where each source value is found in it.
#ifndef PARTIR_SPMD_LOWER_LOWERING_H
#define PARTIR_SPMD_LOWER_LOWERING_H

#include "ir/import.h"
#include "spmd/lower/lower.h"
#include "spmd/lower/pending.h"
#include "spmd/redistribute/redistribute.h"

// A use of a source value as it was made last, in a region.
typedef struct CachedUse {
    const Dist *dist;
    ValueId value;
    RegionId region;
} CachedUse;

// An argument's or a result's dictionary as it was made last.
typedef struct SignatureEntry {
    const Dist *dist;
    uint32_t alias; // of an argument: the result it shares its memory with, NO_ID without
    AttrId dict;
} SignatureEntry;

typedef VEC(AxisBorder) BorderList;
typedef VEC(const Dist *) DistList;
typedef VEC(OpId) OriginList;
typedef VEC(bool) ImageList;

typedef struct Lowering {
    const State *s;
    const Graph *g;
    const Module *src;
    Module *out;
    const Mesh *mesh;
    Arena *a;
    LowerOptions options;
    BorderList borders; // at which redistributions would send less with axes cut
    Import im;
    DistBook *dists;
    MovePlanner planner;
    Pending pending;
    ValueId *value;    // by source value: its value in `out`
    const Dist **dist; // by source value: how that is distributed
    const ValueId *root; // by source value: what it is a form of; NULL where nobody asks
    CachedUse *cached; // by source value: the last redistribution made for a use
    struct LocalType { // found lately, by distribution and global type
        const Dist *dist;
        TypeId global, local;
    } local_types[256];
    struct NodeDist { // found lately, by rule, nest and tensor
        const Rule *rule;
        uint64_t nest;
        AxisSet except, pending;
        Monoid monoid;
        uint32_t len, tensor;
        const Dist *dist;
    } node_dists[256];
    struct { // the nest of a node while it is lowered with another one than it has (chunks.c); NO_ID: there is none
        NodeId node;
        uint32_t len;
        NestEntry nest[MESH_MAX_AXES];
        AxisSet summed, split; // what its result is pending on besides, and no longer
    } swapped;
    RegionId into; // region of `out` being filled
    OpId origin;   // source op being lowered
    LocId loc;
    DistList out_dist;     // by value of `out`
    OriginList out_origin; // by op of `out`
    ImageList out_image;   // by op of `out`: it is its origin on local shapes, not a helper
    ValueId axis_index[MESH_MAX_AXES];
    RegionId axis_index_region[MESH_MAX_AXES];
    SignatureEntry *signature; // of arguments, then results; NULL where nothing is lowered again
    struct Record *record;     // what relowering will need of this one, or NULL
    struct Base *base;         // the lowering of a similar state, from which ops are kept; NULL without
} Lowering;

// Lists of an op's operands and the like: on the stack if they are short, as nearly all are.
#define FEW                      8
#define few_or_new(a, T, few, n) ((n) <= FEW ? (few) : arena_new(a, T, n))

// ---- emit.c: single ops of the local program -----------------------------------------------------------------------
OpId emit_op(Lowering *l, const OpSpec *spec, const Dist *const *dists); // dists may be NULL: helper values
void note_ops(Lowering *l); // keeps out_dist, out_origin and out_image as long as the module's arrays
ValueId emit(Lowering *l, OpKind kind, const ValueId *operands, uint32_t n, TypeId result, const NamedAttr *attrs,
             uint32_t n_attrs, const Dist *dist);
static inline TypeId lowered_type(const Lowering *l, ValueId v) { return value_type(l->out, v); }
ValueId emit_splat(Lowering *l, TypeId type, int64_t value); // an integer or float constant of that type
// Zeros that change nothing in a sum, not even a -0.0.
ValueId emit_zero(Lowering *l, TypeId type);
ValueId emit_identity(Lowering *l, TypeId type, Monoid monoid);      // the monoid's neutral element
ValueId emit_binary(Lowering *l, OpKind kind, ValueId a, ValueId b); // of equal types
ValueId emit_compare(Lowering *l, const char *direction, ValueId a, ValueId b);
ValueId emit_select(Lowering *l, ValueId pred, ValueId a, ValueId b);
ValueId emit_broadcast_scalar(Lowering *l, ValueId scalar, TypeId type);
ValueId emit_convert(Lowering *l, ValueId v, Elem elem);
// This device's chunk number among several axes (major first): an i64 scalar.
ValueId emit_chunk_index(Lowering *l, const AxisId *axes, uint32_t n);
// Chunk number times chunk size.
ValueId emit_chunk_offset(Lowering *l, const AxisId *axes, uint32_t n, int64_t chunk);
// i1 scalar: this device is the first along all axes of the set.
ValueId emit_is_first(Lowering *l, AxisSet axes);
// The scalar body `a op b` of a monoid, in an empty region.
void emit_monoid_body(Lowering *l, RegionId region, Monoid monoid, Elem elem);

// ---- collective.c: redistribution and reduction ----------------------------------------------------------------------

// Each device's part, stacked along a new dimension 0.
ValueId emit_stacked(Lowering *l, ValueId v, const AxisId *axes, uint32_t n);
// All chunks of one dimension.
ValueId emit_gathered(Lowering *l, ValueId v, uint32_t dim, const AxisId *axes, uint32_t n);
// The value of another device: of chunk pairs[2i] on chunk pairs[2i + 1], zeros on those that no pair names.
ValueId emit_exchange(Lowering *l, ValueId v, const AxisId *axes, uint32_t n, const int64_t *pairs, uint32_t n_pairs);
// What each device sends for that.
double redistribution_bytes(Lowering *l, const Dist *from, const Dist *to, TypeId global);
ValueId emit_steps(Lowering *l, ValueId v, const Dist *from, const Dist *to, TypeId global);
// The same of a result whose sums must be taken, also by monoids that no collective has.
ValueId emit_reduction(Lowering *l, ValueId v, const Dist *from, const Dist *to, TypeId global);

// ---- local.c: the op on local shapes ----------------------------------------------------------------------------------

// Emits source op `op` on its redistributed operands. `results` receives the values, of the given distributions.
bool local_op(Lowering *l, OpId op, NodeId n, const ValueId *operands, const Dist *const *result_dists,
              ValueId *results);
// Whether the op tiles a dimension in which chunks need elements of other devices.
bool moves(const Lowering *l, NodeId n);
// A constant, iota or scalar broadcast as distribution `d` wants it.
ValueId local_source(Lowering *l, ValueId v, const Dist *d);
// Axes that tile a factor of a node (major first); how many.
uint32_t factor_axes(const Lowering *l, NodeId n, uint8_t factor, AxisId *axes);

// Whether a permute only reorders axes, so that another order could avoid it; one that moves edges does not.
static inline bool reorders_axes(const Module *m, OpId op) {
    return op_kind(m, op) == OP_partir_collective_permute && op_attr(m, op, A_axes) == NO_ID;
}

// ---- place.c: where a redistribution is done -----------------------------------------------------------------------
enum { MOST_FORMS = 8 }; // how many ops a redistribution is moved across
// Whether an op with one operand moves its elements, or changes each by itself.
bool only_moves(OpKind kind);
// The smaller values from which ops that only move compute a source value, nearest first; how many.
uint32_t smaller_forms(const Module *m, ValueId v, ValueId *forms);
// The value in the distribution `want`, redistributed in a smaller form, if that sends less; otherwise NO_ID.
ValueId redistribute_smaller(Lowering *l, ValueId v, const Dist *want, TypeId global);
// Lowers an op that only moves without redistributing its operand first, if redistributing later sends less; otherwise false.
bool lower_as_it_lies(Lowering *l, OpId op, NodeId n);

// ---- lower.c -------------------------------------------------------------------------------------------------------
// What lives as long as the module's tables goes into `keep`, scratch into `a`.
// Axes are cut at the borders of parts in use, and at `cuts`.
Lowered *lowering_begin(Lowering *l, const State *s, const LowerOptions *options, const BorderList *cuts, Arena *keep, Arena *a);
bool lower_main(Lowering *l, Lowered *result);
bool lower_any(Lowering *l, OpId op); // one source op, with all that is inside
void lowering_end(const Lowering *l, Lowered *result);
TypeId local_type(Lowering *l, const Dist *d, TypeId global); // both of `out`
// The distribution of a node's tensor, without the axes of `except`.
const Dist *node_dist(Lowering *l, NodeId n, uint32_t tensor, AxisSet except, AxisSet pending, Monoid monoid);

// The nest that a node is lowered with.
static inline const NestEntry *lowered_nest(const Lowering *l, NodeId n, uint32_t *len) {
    if (l->swapped.node != n) return state_nest(l->s, n, len);
    *len = l->swapped.len;
    return l->swapped.nest;
}
// Whether one gather of a value serves all its uses in a region.
bool is_shared(const Lowering *l, ValueId v);

// ---- chunks.c ------------------------------------------------------------------------------------------------------
// Whether an op with a result stored in this way is computed in chunks of a table or weight. Then its nest is swapped until chunks_done().
bool stays_in_chunks(Lowering *l, OpId op, NodeId n, const Dist *stored);
void chunks_done(Lowering *l);
// The axes on which the result of an op is pending, as it is lowered.
AxisSet lowered_pending(const Lowering *l, ValueId result);

// ---- relower.c: the regions and ops of a program that was lowered before -------------------------------------------
OpId relower_main(Lowering *l); // @main, which is there already: its ops are linked anew
void relower_region_begin(Lowering *l, RegionId from);
bool relower_op(Lowering *l, OpId op);
void relower_region_end(Lowering *l);

// ---- signature.c: @main's argument and result attributes -----------------------------------------------------------
void lower_signature(Lowering *l, OpId main, OpId out_main, const Dist *const *args, const Dist *const *results);

#endif
