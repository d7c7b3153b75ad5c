// Whole arrays and the parts of them that devices hold, as a device-local program says: the mesh among the module's
// attributes, the distribution of each argument and result in its own.
//
//     partir.mesh = "batch=2,model=2"      partir.distribution = "[{batch}, {}]"
//     a whole 4x3 array:                   devices 0 and 1 hold rows 0 and 1, devices 2 and 3 rows 2 and 3
#include "api/run_parts.h"
#include "interp/tensor/copy.h"

bool run_read_mesh(partir_run *r) {
    const Module *m = r->module->ir;
    AttrId attr = module_attr(m, SPAN("partir.mesh"));
    if (attr == NO_ID || attr_get(m, attr)->kind != ATTR_STRING) return true;
    Mesh mesh;
    if (!mesh_parse(&mesh, m->ctx, &r->arena, attr_get(m, attr)->text, NULL, NO_OFFSET)) return false;
    if (mesh.n_devices == interp_devices(r->interp)) r->mesh = mesh; // else each device is given what is given
    return true;
}

// The text of partir.distribution of an argument or result of @main.
static bool distribution_text(const Module *m, AttrName dicts, uint32_t index, Span *text) {
    AttrId all = op_attr(m, module_main(m), dicts);
    if (all == NO_ID || index >= attr_get(m, all)->n) return false;
    const Attr *dict = attr_get(m, attr_get(m, all)->items[index]);
    for (uint32_t i = 0; dict->kind == ATTR_DICT && i < dict->n; i++) {
        const Attr *value = attr_get(m, dict->entries[i].value);
        if (value->kind != ATTR_STRING || !span_is(name_get(m, dict->entries[i].name), "partir.distribution")) continue;
        *text = value->text;
        return true;
    }
    return false;
}

// Adds an axis or a part of one to a dimension. False if there is none, or a digit of it is used already.
static bool add_part_axis(ArrayParts *p, const Mesh *mesh, Span name, uint32_t dim) {
    PartsEntry e = {.dim = (uint8_t)dim};
    if (p->n == MESH_MAX_AXES || !mesh_read_part(mesh, name, &e.axis, &e.before, &e.size)) return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->at[i].axis == e.axis && p->at[i].before < e.before * e.size && e.before < p->at[i].before * p->at[i].size)
            return false;
    p->at[p->n++] = e;
    p->chunks[dim] *= e.size;
    return true;
}

static bool is_delimiter(char c) { return c == ',' || c == '}' || c == ' '; }

// distribution ::= "[" [ "{" [ axis { "," axis } ] "}" { "," … } ] "]"; an axis may be a part of one. False if it is none of this rank on the mesh.
static bool read_distribution(ArrayParts *p, const Mesh *mesh, Span text, uint32_t rank) {
    bool inside = false;
    uint32_t dims = 0;
    for (uint32_t i = 0; i < MAX_RANK; i++) p->chunks[i] = 1;
    p->n = 0;
    for (size_t i = 0; i < text.n;) {
        char c = text.at[i];
        if (!inside || is_delimiter(c)) {
            if (c == '{' && (inside || dims == rank)) return false;
            if (c == '}') dims++;
            inside = c == '{' ? true : c == '}' ? false : inside;
            i++;
            continue;
        }
        size_t end = i;
        while (end < text.n && !is_delimiter(text.at[end])) end++;
        if (!add_part_axis(p, mesh, (Span){text.at + i, end - i}, dims)) return false;
        i = end;
    }
    return dims == rank && !inside;
}

bool run_parts(const partir_run *r, AttrName dicts, uint32_t index, uint32_t rank, ArrayParts *p) {
    Span text;
    return r->mesh.n_axes && distribution_text(r->module->ir, dicts, index, &text) &&
           read_distribution(p, &r->mesh, text, rank);
}

bool parts_whole_dims(const ArrayParts *p, const Type *t, int64_t *dims) {
    for (uint32_t d = 0; d < t->rank; d++) {
        if (t->dims[d] < 0 || t->dims[d] > INT64_MAX / p->chunks[d]) return false;
        dims[d] = t->dims[d] * p->chunks[d];
    }
    return true;
}

// The first device that holds the same part, and where in the whole array it begins, in parts of each dimension.
static uint32_t device_part(const partir_run *r, const ArrayParts *p, uint32_t device, int64_t *start) {
    int64_t first = 0;
    memset(start, 0, MAX_RANK * sizeof *start);
    for (uint32_t i = 0; i < p->n; i++) {
        const PartsEntry *e = &p->at[i];
        int64_t minor = r->mesh.axes[e->axis].size / (e->before * e->size); // what the less major digits count
        int64_t at = mesh_coordinate(&r->mesh, e->axis, device) / minor % e->size;
        start[e->dim] = start[e->dim] * e->size + at;
        first += at * minor * mesh_stride(&r->mesh, e->axis);
    }
    return (uint32_t)first;
}

// Where the part begins among the elements of the whole array.
static char *part_address(char *whole, size_t size, uint32_t rank, const int64_t *local, const int64_t *strides,
                          const int64_t *start) {
    int64_t offset = 0;
    for (uint32_t d = 0; d < rank; d++) offset += start[d] * local[d] * strides[d];
    return whole + (size_t)offset * size;
}

bool run_put_parts(partir_run *r, uint32_t index, const ArrayParts *p, Tensor *whole) {
    const Type *t = run_argument_type(r, index);
    size_t size = elem_bytes((Elem)whole->elem);
    int64_t strides[MAX_RANK], start[MAX_RANK];
    shape_strides(whole->rank, whole->dims, strides);
    for (uint32_t device = 0; device < interp_devices(r->interp); device++) {
        uint32_t first = device_part(r, p, device, start);
        if (first < device) {
            run_put_input(r, device, index, tensor_retain(r->inputs[first * r->n_inputs + index]));
            continue;
        }
        Tensor *part = interp_tensor(r->interp, (Elem)whole->elem, t->rank, t->dims);
        if (!part) return false;
        if (part->n)
            copy_into_dense(size, t->rank, t->dims, part->data,
                            part_address(whole->data, size, t->rank, t->dims, strides, start), strides);
        run_put_input(r, device, index, part);
    }
    interp_release(r->interp, whole);
    return true;
}

void run_join_parts(const partir_run *r, const ArrayParts *p, const Tensor *const *parts, Tensor *whole) {
    size_t size = elem_bytes((Elem)whole->elem);
    int64_t strides[MAX_RANK], local[MAX_RANK], start[MAX_RANK];
    shape_strides(whole->rank, whole->dims, strides);
    for (uint32_t device = 0; device < interp_devices(r->interp); device++) {
        if (device_part(r, p, device, start) < device || !parts[device]->n) continue;
        shape_strides(whole->rank, parts[device]->dims, local);
        copy_strided(size, whole->rank, parts[device]->dims,
                     part_address(whole->data, size, whole->rank, parts[device]->dims, strides, start), strides,
                     parts[device]->data, local);
    }
}
