// Mesh: reading, checking and device numbering.
#include "core/mesh.h"
#include "support/json.h"

static bool name_char(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

bool mesh_make(Mesh *mesh, Context *ctx, Arena *a, const Axis *axes, uint32_t n, const Source *src, size_t offset) {
    if (n == 0)
        return diag_error(ctx, src, offset, "write axes as name=size, e.g. batch=4,model=2", "the mesh has no axes");
    if (n > MESH_MAX_AXES)
        return diag_error(ctx, src, offset, NULL, "the mesh has %u axes; at most %d are possible", n, MESH_MAX_AXES);
    Axis *copy = arena_new(a, Axis, MESH_MAX_AXES); // parts come behind
    int64_t devices = 1;
    for (uint32_t i = 0; i < n; i++) {
        Span name = axes[i].name;
        for (uint32_t j = 0; j < i; j++)
            if (span_eq(name, axes[j].name))
                return diag_error(ctx, src, offset, "give each axis its own name",
                                  "axis \"%.*s\" appears twice in the mesh", (int)name.n, name.at);
        if (axes[i].size < 1)
            return diag_error(ctx, src, offset, "a size is the number of devices along the axis, 1 or more",
                              "axis \"%.*s\" has size %lld", (int)name.n, name.at, (long long)axes[i].size);
        if (axes[i].size > MESH_MAX_DEVICES || devices * axes[i].size > MESH_MAX_DEVICES)
            return diag_error(ctx, src, offset, NULL, "the mesh has more than %d devices", MESH_MAX_DEVICES);
        devices *= axes[i].size;
        char *bytes = arena_alloc(a, name.n + 1);
        memcpy(bytes, name.at, name.n);
        bytes[name.n] = 0;
        copy[i] = (Axis){{bytes, name.n}, axes[i].size, 1, &copy[i], (AxisSet)1 << i};
    }
    *mesh = (Mesh){n, copy, devices, n, a};
    return true;
}

// mesh := name '=' size (','? name '=' size)*
bool mesh_parse(Mesh *mesh, Context *ctx, Arena *a, Span text, const Source *src, size_t offset) {
    static const char *const hint = "write axes as name=size, e.g. batch=4,model=2";
    Axis axes[MESH_MAX_AXES + 1];
    uint32_t n = 0;
    size_t i = 0;
    while (true) {
        while (i < text.n && (text.at[i] == ' ' || text.at[i] == ',' || text.at[i] == '\t')) i++;
        if (i == text.n) break;
        size_t start = i, at = offset == NO_OFFSET ? NO_OFFSET : offset + start;
        while (i < text.n && name_char(text.at[i])) i++;
        size_t name_end = i;
        while (i < text.n && text.at[i] == ' ') i++;
        if (name_end == start || i == text.n || text.at[i] != '=')
            return diag_error(ctx, src, at, hint, "expected an axis name and '=' in the mesh");
        i++;
        while (i < text.n && text.at[i] == ' ') i++;
        size_t digits = i;
        int64_t size = 0;
        while (i < text.n && text.at[i] >= '0' && text.at[i] <= '9') {
            size = size * 10 + (text.at[i++] - '0');
            if (size > MESH_MAX_DEVICES) size = MESH_MAX_DEVICES + 1;
        }
        if (i == digits || (i < text.n && name_char(text.at[i])))
            return diag_error(ctx, src, at, hint, "expected the size of axis \"%.*s\"", (int)(name_end - start),
                              text.at + start);
        if (n == MESH_MAX_AXES) return diag_error(ctx, src, at, NULL, "the mesh has more than %d axes", MESH_MAX_AXES);
        axes[n++] = (Axis){.name = {text.at + start, name_end - start}, .size = size};
    }
    return mesh_make(mesh, ctx, a, axes, n, src, offset);
}

AxisId mesh_find(const Mesh *mesh, Span name) {
    for (uint32_t i = 0; i < mesh->n_axes; i++)
        if (span_eq(mesh->axes[i].name, name)) return (AxisId)i;
    return NO_AXIS;
}

int64_t mesh_stride(const Mesh *mesh, AxisId axis) {
    const Axis *a = &mesh->axes[axis];
    int64_t stride = 1;
    if (axis >= mesh->n_axes) { // a part: its axis, and the digits that are more minor
        stride = a->whole->size / axis_end(a);
        axis = axis_named(mesh, axis);
    }
    for (uint32_t i = axis + 1u; i < mesh->n_axes; i++) stride *= mesh->axes[i].size;
    return stride;
}

int64_t mesh_coordinate(const Mesh *mesh, AxisId axis, int64_t device) {
    return device / mesh_stride(mesh, axis) % mesh->axes[axis].size;
}

void mesh_print(const Mesh *mesh, Buffer *out) {
    for (uint32_t i = 0; i < mesh->n_axes; i++) {
        const Axis *axis = mesh->axes[i].whole;
        if (mesh->axes[i].before > 1) continue;
        if (i) buf_char(out, ',');
        buf_span(out, axis->name);
        buf_char(out, '=');
        buf_int(out, axis->size);
    }
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

static Span part_name(const Axis *whole, int64_t before, int64_t size, Arena *a) {
    if (size == whole->size) return whole->name;
    Buffer b;
    buf_init(&b, a);
    buf_format(&b, "%.*s:(%lld)%lld", (int)whole->name.n, whole->name.at, (long long)before, (long long)size);
    return (Span){b.at, b.n};
}

static bool overlap(const Axis *a, const Axis *b) {
    return a->whole == b->whole && a->before < axis_end(b) && b->before < axis_end(a);
}

AxisId mesh_part(Mesh *mesh, AxisId axis, int64_t before, int64_t size) {
    const Axis *whole = mesh->axes[axis].whole;
    for (uint32_t i = 0; i < mesh->n_ids; i++)
        if (mesh->axes[i].whole == whole && mesh->axes[i].before == before && mesh->axes[i].size == size)
            return (AxisId)i;
    if (mesh->n_ids == MESH_MAX_AXES) return NO_AXIS;
    Axis *axes = (Axis *)mesh->axes; // mesh_make left room
    uint32_t id = mesh->n_ids++;
    axes[id] = (Axis){part_name(whole, before, size, mesh->arena), size, before, whole, (AxisSet)1 << id};
    for (uint32_t i = 0; i < id; i++) {
        if (!overlap(&axes[i], &axes[id])) continue;
        axes[i].overlaps |= (AxisSet)1 << id;
        axes[id].overlaps |= (AxisSet)1 << i;
    }
    return (AxisId)id;
}

static bool divide_each_other(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

bool axis_parts_fit(const Axis *a, const Axis *b) {
    if (a->whole != b->whole) return true;
    return divide_each_other(a->before, b->before) && divide_each_other(a->before, axis_end(b)) &&
           divide_each_other(axis_end(a), b->before) && divide_each_other(axis_end(a), axis_end(b));
}

// A number of few digits; 0 if there is none, or it is larger than any axis.
static int64_t read_axis_number(Span text, size_t *at) {
    int64_t n = 0;
    for (; *at < text.n && text.at[*at] >= '0' && text.at[*at] <= '9'; ++*at)
        n = n > MESH_MAX_DEVICES ? n : n * 10 + (text.at[*at] - '0');
    return n > MESH_MAX_DEVICES ? 0 : n;
}

// part := name (':' '(' number ')' number)?
bool mesh_read_part(const Mesh *mesh, Span text, AxisId *axis, int64_t *before, int64_t *size) {
    size_t at = 0;
    while (at < text.n && text.at[at] != ':') at++;
    Span name = {text.at, at};
    *axis = NO_AXIS;
    for (uint32_t i = mesh->n_axes; i-- > 0;)
        if (span_eq(mesh->axes[i].whole->name, name)) *axis = (AxisId)i;
    if (*axis == NO_AXIS) return false;
    int64_t all = mesh->axes[*axis].whole->size;
    *before = 1;
    *size = all;
    if (at == text.n) return true;
    if (++at == text.n || text.at[at++] != '(') return false;
    *before = read_axis_number(text, &at);
    if (at == text.n || text.at[at++] != ')') return false;
    *size = read_axis_number(text, &at);
    return at == text.n && *before > 0 && *size > 0 && all % *before == 0 && all / *before % *size == 0;
}

AxisId mesh_axis(Mesh *mesh, Span text) {
    AxisId axis;
    int64_t before, size;
    if (!mesh_read_part(mesh, text, &axis, &before, &size) || (size == 1 && mesh->axes[axis].size > 1)) return NO_AXIS;
    return mesh_part(mesh, axis, before, size);
}

Mesh mesh_cut(const Mesh *mesh, AxisSet parts, const AxisBorder *more, uint32_t n_more, Arena *a) {
    Axis *axes = arena_new(a, Axis, MESH_MAX_AXES);
    Mesh cut = {.axes = axes, .n_devices = mesh->n_devices, .arena = a};
    for (uint32_t i = 0; i < mesh->n_axes; i++) {
        const Axis *whole = mesh->axes[i].whole;
        for (int64_t from = mesh->axes[i].before, end = axis_end(&mesh->axes[i]);;) {
            int64_t to = end; // the next border
            for (uint32_t k = 0; k < mesh->n_ids; k++) {
                if (!(parts >> k & 1) || mesh->axes[k].whole != whole) continue;
                int64_t borders[] = {mesh->axes[k].before, axis_end(&mesh->axes[k])};
                for (int b = 0; b < 2; b++)
                    if (borders[b] > from && borders[b] < to) to = borders[b];
            }
            for (uint32_t k = 0; k < n_more; k++)
                if (more[k].whole == whole && more[k].at > from && more[k].at < to) to = more[k].at;
            uint32_t id = cut.n_axes++;
            axes[id] = (Axis){part_name(whole, from, to / from, a), to / from, from, whole, (AxisSet)1 << id};
            if (to == end) break;
            from = to;
        }
    }
    cut.n_ids = cut.n_axes;
    return cut;
}

uint32_t mesh_axes_of(const Mesh *mesh, Span name, AxisId *axes) {
    for (uint32_t i = 0; i < mesh->n_axes; i++) // as most are
        if (span_eq(mesh->axes[i].name, name)) return axes[0] = (AxisId)i, 1;
    AxisId axis;
    int64_t before, size;
    if (!mesh_read_part(mesh, name, &axis, &before, &size)) return 0;
    uint32_t n = 0;
    int64_t at = before;
    for (uint32_t i = 0; i < mesh->n_axes; i++) {
        const Axis *x = &mesh->axes[i];
        if (x->whole != mesh->axes[axis].whole || x->before < before || axis_end(x) > before * size) continue;
        if (x->before != at) return 0; // a border of the part is none of the mesh
        at = axis_end(x);
        axes[n++] = (AxisId)i;
    }
    return at == before * size ? n : 0;
}

uint32_t mesh_join(const Mesh *mesh, const AxisId *axes, uint32_t n, Buffer *name) {
    const Axis *first = &mesh->axes[axes[0]];
    int64_t end = axis_end(first);
    uint32_t k = 1;
    for (; k < n && mesh->axes[axes[k]].whole == first->whole && mesh->axes[axes[k]].before == end; k++)
        end = axis_end(&mesh->axes[axes[k]]);
    buf_span(name, first->whole->name);
    if (end / first->before != first->whole->size)
        buf_format(name, ":(%lld)%lld", (long long)first->before, (long long)(end / first->before));
    return k;
}

void mesh_print_axes(const Mesh *mesh, const AxisId *axes, uint32_t n, Buffer *out) {
    for (uint32_t i = 0; i < n;) {
        if (i) buf_char(out, ',');
        i += mesh_join(mesh, axes + i, n - i, out);
    }
}

void mesh_json_axes(const Mesh *mesh, const AxisId *axes, uint32_t n, Buffer *out) {
    buf_char(out, '[');
    for (uint32_t i = 0; i < n;) {
        Buffer name;
        buf_init(&name, out->arena);
        if (i) buf_str(out, ", ");
        i += mesh_join(mesh, axes + i, n - i, &name);
        buf_json_string(out, (Span){name.at, name.n});
    }
    buf_char(out, ']');
}

uint32_t axes_of_set(const Mesh *mesh, AxisSet set, AxisId *axes) {
    uint32_t n = 0;
    for (uint32_t a = 0; a < mesh->n_axes; a++)
        if (set >> a & 1) axes[n++] = (AxisId)a;
    return n;
}

Mesh mesh_named(const Mesh *mesh) {
    uint32_t n = axis_named(mesh, (AxisId)(mesh->n_axes - 1)) + 1u;
    return (Mesh){n, mesh->axes[0].whole, mesh->n_devices, n, mesh->arena};
}

AxisSet axes_named(const Mesh *mesh, AxisSet axes) {
    AxisSet named = 0;
    for (uint32_t a = 0; a < mesh->n_axes; a++)
        if (axes >> a & 1) named |= (AxisSet)1 << axis_named(mesh, (AxisId)a);
    return named;
}
