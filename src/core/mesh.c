// Mesh: reading, checking and device numbering.
#include "core/mesh.h"

static bool name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool mesh_make(Mesh *mesh, Context *ctx, Arena *a, const Axis *axes, uint32_t n, const Source *src, size_t offset) {
    if (n == 0)
        return diag_error(ctx, src, offset, "write axes as name=size, e.g. batch=4,model=2", "the mesh has no axes");
    if (n > MESH_MAX_AXES)
        return diag_error(ctx, src, offset, NULL, "the mesh has %u axes; at most %d are possible", n, MESH_MAX_AXES);
    Axis *copy = arena_new(a, Axis, n);
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
        copy[i] = (Axis){{bytes, name.n}, axes[i].size};
    }
    *mesh = (Mesh){n, copy, devices};
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
        axes[n++] = (Axis){{text.at + start, name_end - start}, size};
    }
    return mesh_make(mesh, ctx, a, axes, n, src, offset);
}

AxisId mesh_find(const Mesh *mesh, Span name) {
    for (uint32_t i = 0; i < mesh->n_axes; i++)
        if (span_eq(mesh->axes[i].name, name)) return (AxisId)i;
    return NO_AXIS;
}

int64_t mesh_stride(const Mesh *mesh, AxisId axis) {
    int64_t stride = 1;
    for (uint32_t i = axis + 1u; i < mesh->n_axes; i++) stride *= mesh->axes[i].size;
    return stride;
}

int64_t mesh_coordinate(const Mesh *mesh, AxisId axis, int64_t device) {
    return device / mesh_stride(mesh, axis) % mesh->axes[axis].size;
}

void mesh_print(const Mesh *mesh, Buffer *out) {
    for (uint32_t i = 0; i < mesh->n_axes; i++) {
        if (i) buf_char(out, ',');
        buf_span(out, mesh->axes[i].name);
        buf_char(out, '=');
        buf_int(out, mesh->axes[i].size);
    }
}
