// StableHLO out: copies every op; only the partir ops change.
//
//     partir.all_gather %x {axes = [["batch"], []]}
//  ⇒  "stablehlo.all_gather"(%x) <{all_gather_dim = 0, channel_handle = …7, replica_groups = #groups, …}>
//
// Each collective has its own channel handle: with one for all, XLA merges two equal gathers, and ZeRO-3's second
// gather would be gone.
//
// XLA on CPU gets a program with fewer small collectives, because synchronizing the devices' threads costs more than sending the
// bytes of a small collective. A small reduce_scatter beside other sums becomes an all_reduce, of which each device takes its
// part: that compiler combines the all_reduces of all gradients into one, but not reduce_scatters. A small value is gathered
// once. Equal ops are merged, as XLA's partitioner does: for two quotients by equal broadcasts that compiler computes one
// broadcast of the reciprocal and keeps it in memory, unless both read the same broadcast. A scatter of one element to each row
// of zeros becomes a select (one_hot.c). The ops of @main are reordered (cpu_order.h).
#include "spmd/export/to_stablehlo.h"
#include "ir/analysis/call_estimate.h"
#include "ir/import.h"
#include "spmd/export/callbacks.h"
#include "spmd/export/cpu_order.h"
#include "spmd/export/groups.h"
#include "spmd/export/one_hot.h"
#include "support/hash.h"

// Sums of a region that can be one: on the same axes (a bit each), and none needs another, since as many follow each of them.
typedef struct CpuSums {
    RegionId region;
    uint32_t following;
    uint64_t axes;
    uint32_t n;
} CpuSums;

typedef struct Export {
    const Lowered *l;
    bool for_cpu, for_tpu;
    const Module *src;
    Module *out;
    const Mesh *mesh;
    Arena *a;
    Import im;
    ValueId *map;
    OpId *gather; // for CPU: of each value the last op that gathers it
    VEC(CpuSums) sums;
    IdMap sums_by_key, ops_by_key;
    uint32_t *following;      // for CPU, by value: sums one after another, at most, that need it
    RegionId into, main_body; // for CPU: of @main, NO_ID if there is none
    LocId loc;
    int64_t handle;
    ValueId axis_index[MESH_MAX_AXES];
    RegionId axis_index_region[MESH_MAX_AXES];
    VEC(struct MadeGroups { // replica groups, each made once
        AxisId axes[MESH_MAX_AXES];
        uint32_t n;
        AttrId attr;
    })
    made;
} Export;

static ValueId add_exported(Export *e, OpKind kind, const ValueId *operands, uint32_t n, TypeId type,
                            const NamedAttr *attrs, uint32_t n_attrs) {
    return op_new_value(e->out, e->into, kind, operands, n, type, attrs, n_attrs, e->loc);
}

static ValueId add_scalar(Export *e, Elem elem, int64_t value) {
    TypeId t = type_tensor(e->out, elem, 0, NULL);
    Buffer b;
    buf_init(&b, &e->out->arena);
    buf_int(&b, value);
    Attr dense = {.kind = ATTR_DENSE, .sub = DENSE_TEXT, .type = t, .text = {b.at, b.n}};
    NamedAttr attr = {A_value, attr_intern(e->out, &dense)};
    return add_exported(e, OP_constant, NULL, 0, t, &attr, 1);
}

static ValueId add_binary(Export *e, OpKind kind, ValueId a, ValueId b) {
    ValueId operands[] = {a, b};
    return add_exported(e, kind, operands, 2, value_type(e->out, a), NULL, 0);
}

// The coordinate of this device on an axis, as i64: partition_id / stride % size.
static ValueId axis_index(Export *e, AxisId axis) {
    if (e->axis_index_region[axis] == e->into) return e->axis_index[axis];
    ValueId v = add_exported(e, OP_partition_id, NULL, 0, type_tensor(e->out, EL_UI32, 0, NULL), NULL, 0);
    int64_t stride = mesh_stride(e->mesh, axis), size = e->mesh->axes[axis].size;
    if (stride > 1) v = add_binary(e, OP_divide, v, add_scalar(e, EL_UI32, stride));
    if (stride * size < e->mesh->n_devices) v = add_binary(e, OP_remainder, v, add_scalar(e, EL_UI32, size));
    v = add_exported(e, OP_convert, &v, 1, type_tensor(e->out, EL_I64, 0, NULL), NULL, 0);
    e->axis_index[axis] = v;
    e->axis_index_region[axis] = e->into;
    return v;
}

static uint32_t axes_of_list(const Export *e, AttrId list, AxisId *axes) {
    const Attr *a = attr_get(e->src, list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++) n += mesh_axes_of(e->mesh, attr_get(e->src, a->items[i])->text, axes + n);
    return n;
}

static AttrId replica_groups(Export *e, const AxisId *axes, uint32_t n) {
    for (uint32_t i = 0; i < e->made.n; i++)
        if (e->made.at[i].n == n && memcmp(e->made.at[i].axes, axes, n) == 0) return e->made.at[i].attr;
    int64_t dims[2];
    const int64_t *ids = groups_of_axes(e->mesh, axes, n, &e->out->arena, dims);
    AttrId attr =
        attr_dense_bytes(e->out, type_tensor(e->out, EL_I64, 2, dims), ids, (size_t)(dims[0] * dims[1]) * sizeof *ids);
    memcpy(vec_extend(e->a, &e->made, 1)->axes, axes, n);
    e->made.at[e->made.n - 1].n = n;
    e->made.at[e->made.n - 1].attr = attr;
    return attr;
}

static AttrId next_channel(Export *e) {
    FieldValue fields[] = {{.field = RF_CHANNEL_HANDLE_handle, .i = ++e->handle},
                           {.field = RF_CHANNEL_HANDLE_type, .i = 1}};
    return attr_record(e->out, RECORD_CHANNEL_HANDLE, fields, 2);
}

static ValueId add_collective(Export *e, OpKind kind, ValueId v, TypeId type, NamedAttr *attrs, uint32_t n_attrs,
                              const AxisId *axes, uint32_t n, const Monoid *monoid) {
    attrs[n_attrs++] = (NamedAttr){A_channel_handle, next_channel(e)};
    attrs[n_attrs++] = (NamedAttr){A_replica_groups, replica_groups(e, axes, n)};
    if (kind != OP_all_to_all) attrs[n_attrs++] = (NamedAttr){A_use_global_device_ids, attr_unit(e->out)};
    OpSpec spec = {.kind = kind,
                   .operands = &v,
                   .n_operands = 1,
                   .results = &type,
                   .n_results = 1,
                   .attrs = attrs,
                   .n_attrs = n_attrs,
                   .n_regions = monoid != NULL,
                   .loc = e->loc};
    OpId op = op_new(e->out, e->into, &spec);
    if (monoid) {
        Elem elem = (Elem)type_get(e->out, type)->elem;
        TypeId scalar = type_tensor(e->out, elem, 0, NULL);
        RegionId body = op_region(e->out, op, 0), outer = e->into;
        ValueId args[] = {region_add_argument(e->out, body, scalar), region_add_argument(e->out, body, scalar)};
        e->into = body;
        ValueId sum = add_exported(e, monoid_op(*monoid, elem), args, 2, scalar, NULL, 0);
        op_new(e->out, body, &(OpSpec){.kind = OP_return, .operands = &sum, .n_operands = 1, .loc = e->loc});
        e->into = outer;
    }
    return op_result(e->out, op, 0);
}

// The type after `factor` times fewer (or more) elements along one dimension.
static TypeId scaled(Export *e, ValueId v, uint32_t dim, int64_t divide, int64_t multiply) {
    const Type *t = type_get(e->out, value_type(e->out, v));
    int64_t dims[MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[dim] = dims[dim] / divide * multiply;
    return type_like(e->out, value_type(e->out, v), dims);
}

static int64_t group_size(const Export *e, const AxisId *axes, uint32_t n) {
    int64_t size = 1;
    for (uint32_t i = 0; i < n; i++) size *= e->mesh->axes[axes[i]].size;
    return size;
}

static ValueId export_slice(Export *e, OpId op, ValueId v) {
    const Attr *by_dim = attr_get(e->src, op_attr(e->src, op, A_axes));
    TypeId type = import_type(&e->im, value_type(e->src, op_result(e->src, op, 0)));
    uint32_t rank = by_dim->n;
    ValueId operands[257] = {v};
    ValueId zero = NO_ID;
    for (uint32_t d = 0; d < rank; d++) {
        AxisId axes[MESH_MAX_AXES];
        uint32_t n = axes_of_list(e, by_dim->items[d], axes);
        if (n == 0) {
            if (zero == NO_ID) zero = add_scalar(e, EL_I64, 0);
            operands[d + 1] = zero;
            continue;
        }
        ValueId index = axis_index(e, axes[0]);
        for (uint32_t i = 1; i < n; i++)
            index = add_binary(e, OP_add,
                               add_binary(e, OP_multiply, index, add_scalar(e, EL_I64, e->mesh->axes[axes[i]].size)),
                               axis_index(e, axes[i]));
        operands[d + 1] = add_binary(e, OP_multiply, index, add_scalar(e, EL_I64, type_get(e->out, type)->dims[d]));
    }
    NamedAttr attr = {A_slice_sizes, attr_ints(e->out, type_get(e->out, type)->dims, rank)};
    return add_exported(e, OP_dynamic_slice, operands, rank + 1, type, &attr, 1);
}

// all_gather and reduce_scatter of several dimensions: one after the other.
static ValueId export_by_dim(Export *e, OpId op, ValueId v, OpKind kind) {
    const Attr *by_dim = attr_get(e->src, op_attr(e->src, op, A_axes));
    bool gather = kind == OP_all_gather;
    for (uint32_t d = 0; d < by_dim->n; d++) {
        AxisId axes[MESH_MAX_AXES];
        uint32_t n = axes_of_list(e, by_dim->items[d], axes);
        if (n == 0) continue;
        int64_t size = group_size(e, axes, n);
        NamedAttr attrs[4] = {{gather ? A_all_gather_dim : A_scatter_dimension, attr_int(e->out, d, EL_I64)}};
        TypeId type = gather ? scaled(e, v, d, 1, size) : scaled(e, v, d, size, 1);
        Monoid monoid;
        bool combines = !gather && monoid_named(op_attr_text(e->src, op, A_monoid), &monoid);
        v = add_collective(e, kind, v, type, attrs, 1, axes, n, combines ? &monoid : NULL);
    }
    return v;
}

static ValueId add_all_reduce(Export *e, OpId op, ValueId v, const AxisId *axes, uint32_t n) {
    Monoid monoid = MONOID_ADD;
    monoid_named(op_attr_text(e->src, op, A_monoid), &monoid);
    NamedAttr attrs[4];
    return add_collective(e, OP_all_reduce, v, value_type(e->out, v), attrs, 0, axes, n, &monoid);
}

static ValueId export_all_reduce(Export *e, OpId op, ValueId v) {
    AxisId axes[MESH_MAX_AXES];
    uint32_t n = axes_of_list(e, op_attr(e->src, op, A_axes), axes);
    return add_all_reduce(e, op, v, axes, n);
}

// Whether a collective of this value, whole on each device, is one that XLA on CPU should rather not run alone.
static bool is_small(const Export *e, ValueId whole) {
    return e->for_cpu && type_get(e->src, value_type(e->src, whole))->bytes <= CPU_SMALL_BYTES;
}

static uint64_t summed_axes(const Export *e, OpId op) {
    const Attr *list = attr_get(e->src, op_attr(e->src, op, A_axes));
    bool by_dim = op_kind(e->src, op) == OP_partir_reduce_scatter;
    AxisId axes[MESH_MAX_AXES];
    uint64_t found = 0;
    for (uint32_t d = 0; d < (by_dim ? list->n : 1); d++) {
        uint32_t n = axes_of_list(e, by_dim ? list->items[d] : op_attr(e->src, op, A_axes), axes);
        for (uint32_t i = 0; i < n; i++) found |= (uint64_t)1 << axes[i];
    }
    return found;
}

static CpuSums *sums_like(Export *e, OpId op) {
    CpuSums sum = {op_get(e->src, op)->parent, e->following[op_result(e->src, op, 0)], summed_axes(e, op), 0};
    uint32_t hash = hash_u32(hash_u32(0, sum.region), sum.following);
    hash = hash_u32(hash_u32(hash, (uint32_t)sum.axes), (uint32_t)(sum.axes >> 32));
    for (uint32_t p = hash, id; (id = idmap_probe(&e->sums_by_key, hash, &p)) != IDMAP_END;) {
        CpuSums *s = &e->sums.at[id];
        if (s->region == sum.region && s->following == sum.following && s->axes == sum.axes) return s;
    }
    idmap_add(&e->sums_by_key, hash, e->sums.n);
    vec_push(e->a, &e->sums, sum);
    return &e->sums.at[e->sums.n - 1];
}

static bool is_sum(const Export *e, OpId op) {
    OpKind k = op_kind(e->src, op);
    return k == OP_partir_all_reduce || (k == OP_partir_reduce_scatter && is_small(e, op_operand(e->src, op, 0)));
}

static void count_sums(Export *e, const OpId *ops, uint32_t n) {
    while (n-- > 0) {
        const Op *o = op_get(e->src, ops[n]);
        uint32_t following = 0;
        for (uint32_t i = 0; i < o->n_results; i++)
            if (e->following[o->first_result + i] > following) following = e->following[o->first_result + i];
        if (is_sum(e, ops[n])) sums_like(e, ops[n])->n++, following++;
        for (uint32_t i = 0; i < o->n_operands; i++) {
            uint32_t *of = &e->following[op_operand(e->src, ops[n], i)];
            if (following > *of) *of = following;
        }
    }
}

// Whether there is no sum in its region that it could be merged with.
static bool is_alone(Export *e, OpId op) { return sums_like(e, op)->n == 1; }

static ValueId export_gather(Export *e, OpId op, ValueId v) {
    if (is_small(e, op_result(e->src, op, 0))) {
        OpId *last = &e->gather[op_operand(e->src, op, 0)];
        if (*last != NO_ID && op_get(e->src, *last)->parent == op_get(e->src, op)->parent &&
            op_attr(e->src, *last, A_axes) == op_attr(e->src, op, A_axes))
            return e->map[op_result(e->src, *last, 0)];
        *last = op;
    }
    return export_by_dim(e, op, v, OP_all_gather);
}

static ValueId export_reduce_scatter(Export *e, OpId op, ValueId v) {
    if (!is_small(e, op_operand(e->src, op, 0)) || is_alone(e, op)) return export_by_dim(e, op, v, OP_reduce_scatter);
    const Attr *by_dim = attr_get(e->src, op_attr(e->src, op, A_axes));
    AxisId axes[MESH_MAX_AXES];
    uint32_t n = 0;
    for (uint32_t d = 0; d < by_dim->n; d++) n += axes_of_list(e, by_dim->items[d], axes + n);
    return export_slice(e, op, add_all_reduce(e, op, v, axes, n));
}

static ValueId export_all_to_all(Export *e, OpId op, ValueId v) {
    AxisId axes[MESH_MAX_AXES];
    uint32_t n = axes_of_list(e, op_attr(e->src, op, A_axes), axes);
    NamedAttr attrs[6] = {
        {A_split_dimension, attr_int(e->out, op_attr_int(e->src, op, A_split_dimension, 0), EL_I64)},
        {A_concat_dimension, attr_int(e->out, op_attr_int(e->src, op, A_concat_dimension, 0), EL_I64)},
        {A_split_count, attr_int(e->out, group_size(e, axes, n), EL_I64)}};
    return add_collective(e, OP_all_to_all, v, import_type(&e->im, value_type(e->src, op_result(e->src, op, 0))), attrs,
                          3, axes, n, NULL);
}

// Between chunks that differ on the named axes alone: the same pairs in each group of devices.
static const int64_t *exchange_pairs(Export *e, OpId op, int64_t *n) {
    AxisId axes[MESH_MAX_AXES];
    uint32_t n_axes = axes_of_list(e, op_attr(e->src, op, A_axes), axes), n_pairs;
    int64_t dims[2];
    const int64_t *groups = groups_of_axes(e->mesh, axes, n_axes, e->a, dims);
    const int64_t *chunks = op_attr_ints(e->src, op, A_source_target_pairs, &n_pairs);
    int64_t *pairs = arena_new(&e->out->arena, int64_t, dims[0] * n_pairs), *out = pairs;
    for (int64_t g = 0; g < dims[0]; g++)
        for (uint32_t i = 0; i < n_pairs; i++) *out++ = groups[g * dims[1] + chunks[i]];
    *n = dims[0] * n_pairs / 2;
    return pairs;
}

static ValueId export_permute(Export *e, OpId op, ValueId v) {
    const Dist *from = e->l->dist[op_operand(e->src, op, 0)], *to = e->l->dist[op_result(e->src, op, 0)];
    int64_t dims[2] = {e->mesh->n_devices, 2};
    const int64_t *pairs = op_attr(e->src, op, A_axes) != NO_ID ? exchange_pairs(e, op, &dims[0])
                                                                : groups_permutation(e->mesh, from, to, &e->out->arena);
    NamedAttr attrs[] = {{A_source_target_pairs, attr_dense_bytes(e->out, type_tensor(e->out, EL_I64, 2, dims), pairs,
                                                                  (size_t)(dims[0] * 2) * sizeof *pairs)},
                         {A_channel_handle, next_channel(e)}};
    return add_exported(e, OP_collective_permute, &v, 1, value_type(e->out, v), attrs, 2);
}

// A permutation of the program's own, in a manual computation.
static ValueId export_own_permute(Export *e, OpId op, ValueId v) {
    NamedAttr attrs[] = {{A_source_target_pairs, import_attr(&e->im, op_attr(e->src, op, A_source_target_pairs))},
                         {A_channel_handle, next_channel(e)}};
    return add_exported(e, OP_collective_permute, &v, 1, value_type(e->out, v), attrs, 2);
}

static void export_region(Export *e, RegionId from, RegionId into);

// How another system would shard the whole value; or our own.
static bool is_not_exported(Span name) {
    return span_is(name, "sdy.sharding") || span_is(name, "mhlo.sharding") || span_eq(name, CHUNKS_ATTRIBUTE);
}

// Whether an op that reads the same is the same, so that one will do.
static bool is_repeatable(const Export *e, const Op *o) {
    switch (o->kind) {
    case OP_custom_call:
    case OP_optimization_barrier:
    case OP_rng:
    case OP_infeed:
    case OP_recv:
    case OP_create_token: return false;
    default: return e->for_cpu && o->n_results == 1 && o->n_operands && !o->n_regions;
    }
}

static bool is_same_op(const Module *m, OpId op, const OpSpec *spec, RegionId into) {
    const Op *o = op_get(m, op);
    if (o->kind != (uint16_t)spec->kind || o->parent != into || o->n_operands != spec->n_operands ||
        o->n_attrs != spec->n_attrs || value_type(m, o->first_result) != spec->results[0])
        return false;
    for (uint32_t i = 0; i < o->n_operands; i++)
        if (op_operand(m, op, i) != spec->operands[i]) return false;
    for (uint32_t i = 0; i < o->n_attrs; i++) {
        NamedAttr x = m->op_attrs.at[o->first_attr + i];
        if (x.name != spec->attrs[i].name || x.value != spec->attrs[i].value) return false;
    }
    return true;
}

// The op that was made of the same before, or a new one.
static OpId made_once(Export *e, const OpSpec *spec) {
    uint32_t hash = hash_u32(hash_u32(0, (uint32_t)spec->kind), spec->results[0]);
    for (uint32_t i = 0; i < spec->n_operands; i++) hash = hash_u32(hash, spec->operands[i]);
    for (uint32_t p = hash, op; (op = idmap_probe(&e->ops_by_key, hash, &p)) != IDMAP_END;)
        if (is_same_op(e->out, op, spec, e->into)) return op;
    OpId op = op_new(e->out, e->into, spec);
    idmap_add(&e->ops_by_key, hash, op);
    return op;
}

// What gathers and scatters one element of each row (one_hot.c), for the compiler that would write whole rows for it.
static bool export_one_hot(Export *e, OpId op) {
    bool selects = op_kind(e->src, op) == OP_scatter && e->for_cpu && is_one_hot(e->src, op);
    bool sums = op_kind(e->src, op) == OP_gather && e->for_tpu && reads_one_hot(e->src, op);
    if (!selects && !sums) return false;
    const ValueId *operands = import_operands(&e->im, op, e->map, e->a);
    e->map[op_result(e->src, op, 0)] =
        (selects ? one_hot_select : one_hot_sum)(e->out, e->into, operands, e->src, op, e->loc);
    return true;
}

static void export_plain(Export *e, OpId op) {
    const Op *o = op_get(e->src, op);
    OpSpec spec = import_spec(&e->im, op, import_operands(&e->im, op, e->map, e->a), e->a);
    NamedAttr *attrs = arena_new(e->a, NamedAttr, o->n_attrs);
    uint32_t n_attrs = 0;
    for (uint32_t i = 0; i < o->n_attrs; i++)
        if (!is_not_exported(name_get(e->out, spec.attrs[i].name))) attrs[n_attrs++] = spec.attrs[i];
    spec.attrs = attrs;
    spec.n_attrs = n_attrs;
    spec.loc = e->loc;
    OpId copy = is_repeatable(e, o) ? made_once(e, &spec) : op_new(e->out, e->into, &spec);
    for (uint32_t i = 0; i < o->n_results; i++) e->map[o->first_result + i] = op_result(e->out, copy, i);
    for (uint32_t r = 0; r < o->n_regions; r++) export_region(e, op_region(e->src, op, r), op_region(e->out, copy, r));
}

// @Sharding has said what it has to say; XLA must not read it again.
static bool is_gspmd_constraint(const Module *m, OpId op) {
    return op_kind(m, op) == OP_custom_call && op_get(m, op)->n_operands == 1 &&
           span_is(op_attr_text(m, op, A_call_target_name), "Sharding");
}

static void export_op(Export *e, OpId op) {
    OpKind kind = op_kind(e->src, op);
    e->loc = import_loc(&e->im, op_get(e->src, op)->loc);
    ValueId v = op_get(e->src, op)->n_operands ? e->map[op_operand(e->src, op, 0)] : NO_ID, result;
    if (is_gspmd_constraint(e->src, op)) kind = OP_partir_tag;
    if (export_one_hot(e, op)) return;
    switch (kind) {
    case OP_partir_tag: result = v; break;
    case OP_collective_permute: result = export_own_permute(e, op, v); break;
    case OP_partir_axis_index: {
        AxisId axes[MESH_MAX_AXES];
        mesh_axes_of(e->mesh, op_attr_text(e->src, op, A_axis), axes);
        result = axis_index(e, axes[0]);
        break;
    }
    case OP_partir_all_slice: result = export_slice(e, op, v); break;
    case OP_partir_all_gather: result = export_gather(e, op, v); break;
    case OP_partir_reduce_scatter: result = export_reduce_scatter(e, op, v); break;
    case OP_partir_all_reduce: result = export_all_reduce(e, op, v); break;
    case OP_partir_all_to_all: result = export_all_to_all(e, op, v); break;
    case OP_partir_collective_permute: result = export_permute(e, op, v); break;
    default: export_plain(e, op); return;
    }
    e->map[op_result(e->src, op, 0)] = result;
}

static void export_region(Export *e, RegionId from, RegionId into) {
    RegionId outer = e->into;
    e->into = into;
    const Region *r = &e->src->regions.at[from];
    for (uint32_t i = 0; i < r->n_args; i++)
        e->map[r->first_arg + i] =
            region_add_argument(e->out, into, import_type(&e->im, value_type(e->src, r->first_arg + i)));
    if (e->for_cpu) {
        uint32_t n;
        const OpId *ops = cpu_order(e->src, from, from == e->main_body, e->a, &n);
        count_sums(e, ops, n);
        for (uint32_t i = 0; i < n; i++) export_op(e, ops[i]);
    } else {
        for (OpId op = r->first; op != NO_ID; op = op_get(e->src, op)->next) export_op(e, op);
    }
    e->into = outer;
}

Module *to_stablehlo(const Lowered *l, ExportTarget target, Arena *a) {
    Module *out = module_new(l->m->ctx);
    Export e = {.l = l, .for_cpu = target == EXPORT_FOR_CPU, .for_tpu = target == EXPORT_FOR_TPU, .src = l->m, .out = out, .mesh = l->mesh, .a = a, .main_body = NO_ID};
    e.loc = NO_ID;
    import_init(&e.im, l->m, out, a);
    e.map = arena_new(a, ValueId, l->m->values.n);
    if (e.for_cpu) {
        e.gather = arena_new(a, OpId, l->m->values.n);
        memset(e.gather, 0xff, l->m->values.n * sizeof *e.gather);
        idmap_init(&e.sums_by_key, a);
        idmap_init(&e.ops_by_key, a);
        e.following = arena_zalloc(a, l->m->values.n * sizeof *e.following);
        OpId main = module_main(l->m);
        if (main != NO_ID) e.main_body = op_region(l->m, main, 0);
    }
    memset(e.axis_index_region, 0xff, sizeof e.axis_index_region);
    import_header(&e.im);
    export_region(&e, 0, 0);
    order_callbacks(out, l->mesh->n_devices, e.handle);
    return out;
}
