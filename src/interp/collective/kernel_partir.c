// PartIR:HLO: collectives that name axes of the mesh, which the module's attribute `partir.mesh` describes. Each is put
// together of three steps: combine the group's values, gather their chunks, keep the device's own chunk. So it says
// what the ops mean, and owes nothing to the StableHLO that they are lowered to.
//
//     all_to_all %x {axes = ["model"], split_dimension = 1, concat_dimension = 0}
//         gather dimension 0, keep a chunk of dimension 1
#include "core/mesh.h"
#include "core/monoid.h"
#include "interp/collective/collective.h"
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/movement/index.h"
#include "interp/tensor/copy.h"

// For each dimension the axes that its chunks are counted by, major first.
typedef struct Chunks {
    uint32_t rank;
    uint32_t n[MAX_RANK];
    AxisId *axes[MAX_RANK];
} Chunks;

static bool read_op_mesh(Exec *e, OpId op) {
    if (!e->mesh.n_axes) {
        AttrId attr = module_attr(e->m, SPAN("partir.mesh"));
        if (attr == NO_ID || attr_get(e->m, attr)->kind != ATTR_STRING)
            return exec_error(e, op, "PartIR:HLO has partir.mesh = \"batch=4,model=2\" among the module's attributes",
                              "needs a mesh, and the module has none");
        if (!mesh_parse(&e->mesh, e->ctx, e->arena, attr_get(e->m, attr)->text, NULL, NO_OFFSET)) return false;
    }
    if (e->mesh.n_devices == e->n_devices) return true;
    return exec_error(e, op, "run it on as many devices as it was made for (--devices)",
                      "the mesh has %lld devices, and the run has %u", (long long)e->mesh.n_devices, e->n_devices);
}

static bool read_op_axis(Exec *e, OpId op, Span name, AxisId *axis) {
    *axis = mesh_axis(&e->mesh, name);
    return *axis != NO_AXIS || exec_error(e, op, NULL, "the mesh has no axis '%.*s'", (int)name.n, name.at);
}

// `seen`: the axes of the op's list so far. An axis, or a digit of one, that stood there twice would count chunks that no
// device has.
static bool read_op_axes(Exec *e, OpId op, AttrId list, AxisId **axes, uint32_t *n, AxisSet *seen) {
    const Attr *a = attr_get(e->m, list);
    *n = 0;
    if (a->kind != ATTR_ARRAY) return exec_error(e, op, NULL, "expected a list of axes");
    *axes = exec_scratch(e, a->n + 1u);
    for (uint32_t i = 0; i < a->n; i++) {
        const Attr *name = attr_get(e->m, attr_get(e->m, list)->items[i]);
        if (name->kind != ATTR_STRING) return exec_error(e, op, NULL, "expected the name of an axis");
        AxisId axis;
        if (!read_op_axis(e, op, name->text, &axis)) return false;
        for (uint32_t k = 0; k < e->mesh.n_ids; k++) {
            if (!(*seen >> k & 1)) continue;
            if (e->mesh.axes[axis].overlaps >> k & 1)
                return exec_error(e, op, NULL, "axis '%.*s' is named twice", (int)name->text.n, name->text.at);
            if (!axis_parts_fit(&e->mesh.axes[axis], &e->mesh.axes[k]))
                return exec_error(e, op, NULL, "the axis has no parts '%.*s' and '%.*s' at once", (int)name->text.n,
                                  name->text.at, (int)e->mesh.axes[k].name.n, e->mesh.axes[k].name.at);
        }
        *seen |= (AxisSet)1 << axis;
        (*axes)[(*n)++] = axis;
    }
    return true;
}

static bool read_chunks(Exec *e, OpId op, AttrName which, Chunks *c) {
    AttrId list = op_attr(e->m, op, which);
    *c = (Chunks){.rank = operand_type(e->m, op, 0)->rank};
    if (attr_get(e->m, list)->kind != ATTR_ARRAY || attr_get(e->m, list)->n != c->rank)
        return exec_error(e, op, NULL, "expected a list of axes for each dimension");
    AxisSet seen = 0;
    for (uint32_t d = 0; d < c->rank; d++)
        if (!read_op_axes(e, op, attr_get(e->m, list)->items[d], &c->axes[d], &c->n[d], &seen)) return false;
    return true;
}

static AxisSet axes_of(const Chunks *c) {
    AxisSet set = 0;
    for (uint32_t d = 0; d < c->rank; d++)
        for (uint32_t i = 0; i < c->n[d]; i++) set |= (AxisSet)1 << c->axes[d][i];
    return set;
}

// How many chunks dimension d has, and which of them is the device's.
static int64_t chunk_count(const Mesh *mesh, const Chunks *c, uint32_t d) {
    int64_t n = 1;
    for (uint32_t i = 0; i < c->n[d]; i++) n *= mesh->axes[c->axes[d][i]].size;
    return n;
}

static int64_t chunk_of(const Mesh *mesh, const Chunks *c, uint32_t d, uint32_t device) {
    int64_t at = 0;
    for (uint32_t i = 0; i < c->n[d]; i++)
        at = at * mesh->axes[c->axes[d][i]].size + mesh_coordinate(mesh, c->axes[d][i], device);
    return at;
}

// The devices that differ from this one on these axes alone.
static Devices group_of(Exec *e, AxisSet axes, uint32_t device) {
    uint32_t *at = exec_scratch(e, e->n_devices * sizeof *at), n = 0;
    for (uint32_t other = 0; other < e->n_devices; other++) {
        int64_t moved = other; // to where this device is on the axes
        for (uint32_t a = 0; a < e->mesh.n_ids; a++)
            if (axes >> a & 1)
                moved += (mesh_coordinate(&e->mesh, (AxisId)a, device) - mesh_coordinate(&e->mesh, (AxisId)a, other)) *
                         mesh_stride(&e->mesh, (AxisId)a);
        if (moved == device) at[n++] = other;
    }
    return (Devices){n, at};
}

static Tensor *combine(Exec *e, OpId op, Devices group) {
    Span name = op_attr_text(e->m, op, A_monoid);
    Tensor *sum = tensor_retain(exec_get(e, group.at[0], op_operand(e->m, op, 0)));
    Elem elem = (Elem)sum->elem;
    Monoid monoid;
    Elementwise f;
    if (!monoid_named(name, &monoid) ||
        !elementwise_find_kind(monoid_op(monoid, elem), 2, (Elem[]){elem, elem}, elem, &f)) {
        exec_error(e, op, NULL, "no monoid '%.*s' on %s", (int)name.n, name.at, elem_text(elem));
        return NULL;
    }
    for (uint32_t i = 1; i < group.n; i++) {
        const Tensor *x = exec_get(e, group.at[i], op_operand(e->m, op, 0));
        Tensor *next = exec_new(e, elem, sum->rank, sum->dims);
        elementwise_apply(&f, next->data, (const void *[]){sum->data, x->data}, sum->n);
        tensor_release(&e->heap, sum);
        sum = next;
    }
    return sum;
}

// The chunks of the group, each at its place.
static Tensor *gather(Exec *e, OpId op, const Chunks *c, Devices group) {
    const Tensor *first = exec_get(e, group.at[0], op_operand(e->m, op, 0));
    int64_t dims[MAX_RANK], to[MAX_RANK], from[MAX_RANK];
    for (uint32_t d = 0; d < c->rank; d++) dims[d] = first->dims[d] * chunk_count(&e->mesh, c, d);
    Tensor *out = exec_new(e, (Elem)first->elem, c->rank, dims);
    size_t size = elem_bytes((Elem)first->elem);
    shape_strides(c->rank, dims, to);
    shape_strides(c->rank, first->dims, from);
    for (uint32_t i = 0; i < group.n; i++) {
        const Tensor *x = exec_get(e, group.at[i], op_operand(e->m, op, 0));
        int64_t offset = 0;
        for (uint32_t d = 0; d < c->rank; d++) offset += chunk_of(&e->mesh, c, d, group.at[i]) * x->dims[d] * to[d];
        copy_strided(size, c->rank, x->dims, out->data + (size_t)offset * size, to, x->data, from);
    }
    return out;
}

// The device's own chunk. Gives the tensor up.
static Tensor *slice(Exec *e, OpId op, Tensor *x, const Chunks *c, uint32_t device) {
    int64_t dims[MAX_RANK], from[MAX_RANK], offset = 0;
    shape_strides(c->rank, x->dims, from);
    for (uint32_t d = 0; d < c->rank; d++) {
        int64_t n = chunk_count(&e->mesh, c, d);
        if (x->dims[d] % n) {
            exec_error(e, op, NULL, "dimension %u of size %lld has no %lld equal chunks", d, (long long)x->dims[d],
                       (long long)n);
            return NULL;
        }
        dims[d] = x->dims[d] / n;
        offset += chunk_of(&e->mesh, c, d, device) * dims[d] * from[d];
    }
    Tensor *out = exec_new(e, (Elem)x->elem, c->rank, dims);
    size_t size = elem_bytes((Elem)x->elem);
    copy_into_dense(size, c->rank, dims, out->data, x->data + (size_t)offset * size, from);
    tensor_release(&e->heap, x);
    return out;
}

typedef struct Steps {
    bool combine;
    AxisSet group;
    Chunks gathered, kept; // of rank 0: not done
    const int64_t *pairs;  // NULL: no exchange
    AxisId *axes;
    uint32_t n_axes, n_pairs;
} Steps;

// collective_permute of chunks: axes, and pairs of chunk numbers on them.
static bool read_exchange(Exec *e, OpId op, Steps *s) {
    uint32_t n;
    if (!read_op_axes(e, op, op_attr(e->m, op, A_axes), &s->axes, &s->n_axes, &s->group)) return false;
    s->pairs = op_attr_ints(e->m, op, A_source_target_pairs, &n);
    s->n_pairs = n / 2;
    int64_t chunks = 1;
    for (uint32_t i = 0; i < s->n_axes; i++) chunks *= e->mesh.axes[s->axes[i]].size;
    bool ok = s->pairs && n % 2 == 0;
    for (uint32_t i = 0; ok && i < n; i++) ok = s->pairs[i] >= 0 && s->pairs[i] < chunks;
    return ok || exec_error(e, op, NULL, "source_target_pairs are no pairs of the %lld chunks", (long long)chunks);
}

// The value of the device that sends to this one, or zeros.
static Tensor *exchange_steps(Exec *e, OpId op, const Steps *s, Devices group) {
    Chunks c = {.rank = 1, .n = {s->n_axes}, .axes = {s->axes}};
    int64_t at = chunk_of(&e->mesh, &c, 0, e->device);
    for (uint32_t i = 0; i < s->n_pairs; i++)
        for (uint32_t k = 0; s->pairs[2 * i + 1] == at && k < group.n; k++)
            if (chunk_of(&e->mesh, &c, 0, group.at[k]) == s->pairs[2 * i])
                return tensor_retain(exec_get(e, group.at[k], op_operand(e->m, op, 0)));
    const Tensor *x = exec_in(e, op, 0);
    Tensor *zeros = exec_new(e, (Elem)x->elem, x->rank, x->dims);
    memset(zeros->data, 0, tensor_bytes(zeros));
    return zeros;
}

static bool read_steps(Exec *e, OpId op, Steps *s) {
    *s = (Steps){0};
    AxisId *axes;
    uint32_t n, rank = operand_type(e->m, op, 0)->rank;
    switch (op_kind(e->m, op)) {
    case OP_partir_all_slice: return read_chunks(e, op, A_axes, &s->kept);
    case OP_partir_all_gather:
        if (!read_chunks(e, op, A_axes, &s->gathered)) return false;
        s->group = axes_of(&s->gathered);
        return true;
    case OP_partir_reduce_scatter:
        if (!read_chunks(e, op, A_axes, &s->kept)) return false;
        s->combine = true;
        s->group = axes_of(&s->kept);
        return true;
    case OP_partir_collective_permute:
        if (op_attr(e->m, op, A_axes) != NO_ID) return read_exchange(e, op, s);
        if (!read_chunks(e, op, A_from, &s->gathered) || !read_chunks(e, op, A_to, &s->kept)) return false;
        s->group = axes_of(&s->gathered);
        return true;
    default: break;
    }
    if (!read_op_axes(e, op, op_attr(e->m, op, A_axes), &axes, &n, &s->group)) return false;
    s->combine = op_kind(e->m, op) == OP_partir_all_reduce;
    if (s->combine) return true;
    int64_t split = op_attr_int(e->m, op, A_split_dimension, 0), concat = op_attr_int(e->m, op, A_concat_dimension, 0);
    if (split < 0 || split >= rank || concat < 0 || concat >= rank)
        return exec_error(e, op, NULL, "a dimension is out of range");
    s->gathered.rank = s->kept.rank = rank;
    s->gathered.n[concat] = s->kept.n[split] = n;
    s->gathered.axes[concat] = s->kept.axes[split] = axes;
    return true;
}

bool kernel_partir_collective(Exec *e, OpId op) {
    Steps s;
    if (!read_op_mesh(e, op) || !read_steps(e, op, &s)) return false;
    Tensor **made = exec_scratch_array(e, e->active.n, sizeof(Tensor *));
    for (uint32_t k = 0; k < e->active.n; k++) {
        bool present;
        e->device = e->active.at[k];
        Devices group = group_of(e, s.group, e->device);
        if (!collective_arrived(e, op, group, &present)) return false;
        Tensor *t = s.pairs           ? exchange_steps(e, op, &s, group)
                    : s.combine       ? combine(e, op, group)
                    : s.gathered.rank ? gather(e, op, &s.gathered, group)
                                      : tensor_retain(exec_in(e, op, 0));
        if (t && s.kept.rank) t = slice(e, op, t, &s.kept, e->device);
        if (!t) return false;
        made[k] = t;
    }
    for (uint32_t k = 0; k < e->active.n; k++) exec_put(e, e->active.at[k], op_result(e->m, op, 0), made[k]);
    return true;
}

bool kernel_partir_axis_index(Exec *e, OpId op) {
    AxisId axis;
    if (!read_op_mesh(e, op) || !read_op_axis(e, op, op_attr_text(e->m, op, A_axis), &axis)) return false;
    Tensor *out = exec_out(e, op, 0, 0, NULL);
    int64_t at = mesh_coordinate(&e->mesh, axis, e->device);
    memcpy(out->data, &at, sizeof at);
    return true;
}
