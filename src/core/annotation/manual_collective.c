// Collectives in the body of a manual computation: replaces groups of device ids by axes of the mesh.
//
//     "stablehlo.all_reduce"(%a) replica_groups = [[0, 1], [2, 3]]   =>   partir.all_reduce %a over "model"
//
// JAX 0.12 names the axes itself: #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "model">]>.
#include "core/annotation/manual_flatten.h"

// The strides of the computation's own mesh.
static int64_t *own_strides(const Flatten *f) {
    int64_t *strides = arena_new(f->a, int64_t, f->own.n), stride = 1;
    for (uint32_t k = f->own.n; k-- > 0; stride *= f->own.sizes[k]) strides[k] = stride;
    return strides;
}

static bool axis_is_manual(const Flatten *f, uint32_t own) {
    AxisId id = mesh_find(f->mesh, f->own.names[own]);
    return id != NO_AXIS && (f->scope >> id & 1);
}

static int64_t *decode_ids(Flatten *f, AttrName name, int64_t dims[2]) {
    AttrId attr = op_attr(f->src, f->at, name);
    if (attr == NO_ID) return NULL;
    const Attr *a = attr_get(f->src, attr);
    const Type *t = a->kind == ATTR_DENSE && a->type != NO_ID ? type_get(f->src, a->type) : NULL;
    if (!t || t->rank != 2 || t->elem != EL_I64) return NULL;
    memcpy(dims, t->dims, 2 * sizeof *dims);
    int64_t n = dims[0] * dims[1], *ids = arena_new(f->a, int64_t, n);
    if (!attr_dense_decode(f->src, a, ids, (size_t)n * sizeof *ids)) return NULL;
    if (attr_is_splat(f->src, a))
        for (int64_t i = 1; i < n; i++) ids[i] = ids[0];
    return ids;
}

// The mesh's axes along which the groups lie, major first. False if they lie otherwise.
static bool manual_groups(const int64_t *ids, int64_t n_groups, int64_t size, const int64_t *strides, const int64_t *sizes,
                   uint32_t n_axes, uint32_t *axes, uint32_t *n) {
    int64_t step[MESH_MAX_AXES], product = 1;
    *n = 0;
    for (uint32_t k = 0; k < n_axes; k++) // an axis is there if the first device's neighbour along it is
        for (int64_t i = 1; sizes[k] > 1 && i < size; i++) {
            if (ids[i] != ids[0] + strides[k]) continue;
            uint32_t at = (*n)++;
            for (; at > 0 && step[at - 1] < i; at--) step[at] = step[at - 1], axes[at] = axes[at - 1];
            step[at] = i;
            axes[at] = k;
            product *= sizes[k];
            break;
        }
    if (product != size) return false;
    for (int64_t g = 0; g < n_groups; g++)
        for (int64_t i = 0; i < size; i++) {
            int64_t id = ids[g * size], rest = i;
            for (uint32_t k = *n; k-- > 0; rest /= sizes[axes[k]]) {
                if (ids[g * size] / strides[axes[k]] % sizes[axes[k]] != 0) return false;
                id += rest % sizes[axes[k]] * strides[axes[k]];
            }
            if (ids[g * size + i] != id) return false;
        }
    return true;
}

// Where `needle` ends in a text, from `at` on; NULL if it is not there.
static const char *end_of(const char *at, const char *end, const char *needle) {
    size_t n = strlen(needle);
    for (; (size_t)(end - at) >= n; at++)
        if (memcmp(at, needle, n) == 0) return at + n;
    return NULL;
}

// The axes that groups name: each once, whole, of the computation's own mesh.
static bool named_groups(const Flatten *f, uint32_t *axes, uint32_t *n) {
    AttrId attr = op_attr(f->src, f->at, A_replica_groups);
    *n = 0;
    if (attr == NO_ID || attr_get(f->src, attr)->kind == ATTR_DENSE) return false;
    Span text = attr_get(f->src, attr)->text;
    const char *end = text.at + text.n, *at = text.n ? end_of(text.at, end, "replica_group_mesh_axes<") : NULL;
    if (!at || end_of(at, end, "sub_axis")) return false;
    while ((at = end_of(at, end, "axis_ref<name = \""))) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        if (!quote) return false;
        uint32_t axis = 0;
        while (axis < f->own.n && !span_eq(f->own.names[axis], (Span){at, (size_t)(quote - at)})) axis++;
        if (axis == f->own.n || *n == MESH_MAX_AXES) return false;
        for (uint32_t i = 0; i < *n; i++)
            if (axes[i] == axis) return false;
        axes[(*n)++] = axis;
        at = quote;
    }
    return *n > 0;
}

// The axes of groups of device ids.
static bool numbered_groups(Flatten *f, uint32_t *axes, uint32_t *n) {
    int64_t dims[2];
    const int64_t *ids = decode_ids(f, A_replica_groups, dims);
    return ids && dims[0] * dims[1] != 0 &&
           manual_groups(ids, dims[0], dims[1], own_strides(f), f->own.sizes, f->own.n, axes, n);
}

// The axes along which a collective works, by name.
static bool collective_axes(Flatten *f, Span *names, uint32_t *n) {
    uint32_t axes[MESH_MAX_AXES];
    if (!named_groups(f, axes, n) && !numbered_groups(f, axes, n))
        return flatten_error(f, "e.g. jax.lax.psum(x, \"data\"), without axis_index_groups",
                             "the groups of this collective do not lie along axes of the mesh");
    for (uint32_t i = 0; i < *n; i++) {
        if (!axis_is_manual(f, axes[i]))
            return flatten_error(f, "a collective in a shard_map is along its manual axes (axis_names)",
                                 "axis \"%.*s\" is not manual here", (int)f->own.names[axes[i]].n,
                                 f->own.names[axes[i]].at);
        names[i] = f->own.names[axes[i]];
    }
    return true;
}

// What a reducer computes, annotations aside.
static bool reducer_monoid(const Module *m, RegionId body, Monoid *out) {
    static const struct {
        OpKind kind;
        Monoid monoid;
    } known[] = {{OP_add, MONOID_ADD},     {OP_multiply, MONOID_MUL}, {OP_maximum, MONOID_MAX},
                 {OP_minimum, MONOID_MIN}, {OP_and, MONOID_AND},      {OP_or, MONOID_OR}};
    const Region *r = &m->regions.at[body];
    OpId first = r->first;
    if (r->n_args != 2 || first == NO_ID || op_get(m, first)->n_operands != 2) return false;
    for (OpId op = op_get(m, first)->next; op != NO_ID; op = op_get(m, op)->next)
        if (op_kind(m, op) != OP_sdy_sharding_constraint && op_kind(m, op) != OP_return) return false;
    if (op_operand(m, first, 0) == op_operand(m, first, 1)) return false;
    for (uint32_t i = 0; i < 2; i++)
        if (op_operand(m, first, i) - r->first_arg > 1) return false;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (op_kind(m, first) == known[k].kind) {
            *out = monoid_on(known[k].monoid, (Elem)value_tensor(m, r->first_arg)->elem);
            return true;
        }
    return false;
}

// A list of axes for each dimension, empty but for one.
static AttrId axes_at_dim(Flatten *f, uint32_t rank, int64_t dim, const Span *names, uint32_t n) {
    AttrId *dims = arena_new(f->a, AttrId, rank);
    for (uint32_t d = 0; d < rank; d++) dims[d] = name_array(f, names, d == dim ? n : 0);
    return attr_array(f->out->m, dims, rank);
}

bool flat_collective(Flatten *f, OpKind kind) {
    const Op *o = op_get(f->src, f->at);
    Span names[MESH_MAX_AXES];
    uint32_t n;
    if (!collective_axes(f, names, &n)) return false;
    NamedAttr attrs[4] = {manual_attr(f, "body")};
    Monoid monoid = MONOID_ADD;
    if ((kind == OP_all_reduce || kind == OP_reduce_scatter) &&
        !reducer_monoid(f->src, op_region(f->src, f->at, 0), &monoid))
        return flatten_error(f, "add, multiply, maximum, minimum, and, or", "this reduction is none that is known");
    AttrId monoid_text = attr_string(f->out->m, span_of(monoid_name(monoid)));
    for (uint32_t i = 0; i < o->n_operands; i++) {
        uint32_t rank = operand_type(f->src, f->at, i)->rank, n_attrs = 2;
        OpKind to = OP_partir_all_reduce;
        if (kind == OP_all_reduce) {
            attrs[1] = (NamedAttr){A_axes, name_array(f, names, n)};
            attrs[n_attrs++] = (NamedAttr){A_monoid, monoid_text};
        } else if (kind == OP_all_gather) {
            to = OP_partir_all_gather;
            attrs[1] =
                (NamedAttr){A_axes, axes_at_dim(f, rank, op_attr_int(f->src, f->at, A_all_gather_dim, 0), names, n)};
        } else if (kind == OP_reduce_scatter) {
            to = OP_partir_reduce_scatter;
            attrs[1] =
                (NamedAttr){A_axes, axes_at_dim(f, rank, op_attr_int(f->src, f->at, A_scatter_dimension, 0), names, n)};
            attrs[n_attrs++] = (NamedAttr){A_monoid, monoid_text};
        } else {
            to = OP_partir_all_to_all;
            attrs[1] = (NamedAttr){A_axes, name_array(f, names, n)};
            for (int k = 0; k < 2; k++) {
                AttrName dim = k ? A_concat_dimension : A_split_dimension;
                attrs[n_attrs++] = (NamedAttr){dim, attr_int(f->out->m, op_attr_int(f->src, f->at, dim, 0), EL_I64)};
            }
        }
        ValueId v = f->map[op_operand(f->src, f->at, i)];
        TypeId type = import_type(&f->im, value_type(f->src, o->first_result + i));
        f->map[o->first_result + i] = flat_value(f, to, &v, 1, type, attrs, n_attrs);
    }
    return true;
}

// The number that a device has in the schedule's mesh if it lies where device `id` lies in the computation's own mesh,
// and at `rest` on the axes that this does not have.
static int64_t renumber(const Flatten *f, const int64_t *strides, int64_t id, int64_t rest) {
    int64_t device = 0;
    for (uint32_t a = 0; a < f->mesh->n_axes; a++) {
        int64_t at = mesh_coordinate(f->mesh, (AxisId)a, rest);
        for (uint32_t k = 0; k < f->own.n; k++)
            if (span_eq(f->own.names[k], f->mesh->axes[a].name) && f->own.sizes[k] > 1)
                at = id / strides[k] % f->own.sizes[k];
        device += at * mesh_stride(f->mesh, (AxisId)a);
    }
    return device;
}

// source_target_pairs, by the schedule's numbers; repeated for each place on axes that the computation's mesh has not.
bool flat_permute(Flatten *f) {
    const Op *o = op_get(f->src, f->at);
    int64_t dims[2], *strides = own_strides(f);
    const int64_t *ids = decode_ids(f, A_source_target_pairs, dims);
    if (!ids) return flatten_error(f, NULL, "the pairs of this collective_permute cannot be read");
    VEC(int64_t) pairs = {0};
    AxisSet moved = 0;
    int64_t n_own = 1;
    for (uint32_t k = 0; k < f->own.n; k++) n_own *= f->own.sizes[k];
    for (int64_t rest = 0; rest < f->mesh->n_devices; rest++) {
        if (renumber(f, strides, 0, rest) != rest) continue;
        for (int64_t i = 0; i < dims[0]; i++)
            for (int k = 0; k < 2; k++) {
                int64_t id = ids[2 * i + k];
                if (id < 0 || id >= n_own)
                    return flatten_error(f, NULL, "device %lld is not in the mesh", (long long)id);
                vec_push(f->a, &pairs, renumber(f, strides, id, rest));
            }
    }
    for (uint32_t i = 0; i < pairs.n; i += 2)
        for (uint32_t a = 0; a < f->mesh->n_axes; a++)
            if (mesh_coordinate(f->mesh, (AxisId)a, pairs.at[i]) !=
                mesh_coordinate(f->mesh, (AxisId)a, pairs.at[i + 1]))
                moved |= (AxisSet)1 << a;
    if (moved & ~f->scope)
        return flatten_error(f, "a collective in a shard_map is along its manual axes (axis_names)",
                             "the pairs differ on an axis that is not manual here");
    VEC(Span) names = {0};
    for (uint32_t a = 0; a < f->mesh->n_axes; a++)
        if (moved >> a & 1) vec_push(f->a, &names, f->mesh->axes[a].name);
    int64_t shape[2] = {pairs.n / 2, 2};
    int64_t *kept = arena_new(&f->out->m->arena, int64_t, pairs.n);
    memcpy(kept, pairs.at, pairs.n * sizeof *kept);
    // Numbers are those of partitions.
    FieldValue handle[] = {{.field = RF_CHANNEL_HANDLE_handle, .i = 1}, {.field = RF_CHANNEL_HANDLE_type, .i = 1}};
    NamedAttr attrs[] = {{A_source_target_pairs, attr_dense_bytes(f->out->m, type_tensor(f->out->m, EL_I64, 2, shape),
                                                                  kept, pairs.n * sizeof *kept)},
                         {A_axes, name_array(f, names.at, names.n)},
                         {A_channel_handle, attr_record(f->out->m, RECORD_CHANNEL_HANDLE, handle, 2)},
                         manual_attr(f, "body")};
    ValueId v = f->map[op_operand(f->src, f->at, 0)];
    f->map[o->first_result] =
        flat_value(f, OP_collective_permute, &v, 1, import_type(&f->im, value_type(f->src, o->first_result)), attrs, 4);
    return true;
}

static ValueId flat_number(Flatten *f, TypeId type, int64_t value) {
    Buffer b;
    buf_init(&b, &f->out->m->arena);
    buf_int(&b, value);
    Attr dense = {.kind = ATTR_DENSE, .sub = DENSE_TEXT, .type = type, .text = {b.at, b.n}};
    NamedAttr attr = {A_value, attr_intern(f->out->m, &dense)};
    return flat_value(f, OP_constant, NULL, 0, type, &attr, 1);
}

// The device's number in the computation's own mesh: its coordinates times their strides.
bool flat_partition_id(Flatten *f) {
    const int64_t *strides = own_strides(f);
    TypeId i64 = type_tensor(f->out->m, EL_I64, 0, NULL);
    ValueId id = flat_number(f, i64, 0);
    for (uint32_t k = 0; k < f->own.n; k++) {
        if (f->own.sizes[k] == 1) continue;
        if (!axis_is_manual(f, k))
            return flatten_error(f, "ask for the place on a manual axis (jax.lax.axis_index)",
                                 "the number of the device depends on axis \"%.*s\", which is not manual here",
                                 (int)f->own.names[k].n, f->own.names[k].at);
        NamedAttr attrs[] = {{A_axis, attr_string(f->out->m, f->own.names[k])}, manual_attr(f, "body")};
        ValueId place = flat_value(f, OP_partir_axis_index, NULL, 0, i64, attrs, 2);
        ValueId scaled[] = {place, flat_number(f, i64, strides[k])};
        ValueId sum[] = {id, flat_value(f, OP_multiply, scaled, 2, i64, NULL, 0)};
        id = flat_value(f, OP_add, sum, 2, i64, NULL, 0);
    }
    ValueId result = op_result(f->src, f->at, 0);
    f->map[result] = flat_value(f, OP_convert, &id, 1, import_type(&f->im, value_type(f->src, result)), NULL, 0);
    return true;
}
