// Shardings in GSPMD's notation, which does not name axes: finds the axes of the mesh by the positions of the devices.
//
//     "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"    on the mesh data=4, model=2:    [{data}, {}]
//     "{devices=[2,4]<=[4,2]T(1,0)}"                                                      [{model}, {data}]
//     "{replicated}"                                                                      [{}, {}]
//
// Device number k of the list has tile k, row-major. The number of a device's tile along a dimension must be a number in
// mixed radix, whose digits are the device's places on some axes, major first.
#include "core/annotation/sharding_gspmd.h"

typedef struct GspmdText {
    const char *at, *end;
} GspmdText;

static bool gtext_take(GspmdText *t, const char *word) {
    while (t->at < t->end && *t->at == ' ') t->at++;
    size_t n = strlen(word);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n) != 0) return false;
    t->at += n;
    return true;
}

// number { "," number }, up to `most`
static bool gtext_numbers(GspmdText *t, int64_t *out, uint32_t most, uint32_t *n) {
    for (*n = 0;;) {
        const char *digits = t->at;
        int64_t number = 0;
        for (; t->at < t->end && *t->at >= '0' && *t->at <= '9' && t->at - digits < 10; t->at++)
            number = number * 10 + (*t->at - '0');
        if (t->at == digits || *n == most) return false;
        out[(*n)++] = number;
        if (!gtext_take(t, ",")) return true;
    }
}

static int64_t bounded_product(const int64_t *sizes, uint32_t n, int64_t most) {
    int64_t all = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (sizes[i] < 1 || sizes[i] > most / all) return -1;
        all *= sizes[i];
    }
    return all;
}

// "<=[sizes]T(order)": 0, 1, … in an array of these sizes, its dimensions in another order, read off row-major.
static bool iota_devices(GspmdText *t, int64_t *device, int64_t n_devices) {
    int64_t sizes[MAX_RANK], order[MAX_RANK], place[MAX_RANK] = {0};
    uint32_t n, n_order;
    if (!gtext_take(t, "[") || !gtext_numbers(t, sizes, MAX_RANK, &n) || !gtext_take(t, "]")) return false;
    if (bounded_product(sizes, n, n_devices) != n_devices) return false;
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    if (gtext_take(t, "T(")) {
        if (!gtext_numbers(t, order, MAX_RANK, &n_order) || n_order != n || !gtext_take(t, ")")) return false;
        uint64_t seen = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (order[i] >= n || seen >> order[i] & 1) return false;
            seen |= (uint64_t)1 << order[i];
        }
    }
    for (int64_t k = 0; k < n_devices; k++) {
        int64_t id = 0, at[MAX_RANK];
        for (uint32_t i = 0; i < n; i++) at[order[i]] = place[i];
        for (uint32_t i = 0; i < n; i++) id = id * sizes[i] + at[i];
        device[k] = id;
        for (uint32_t i = n; i-- > 0 && ++place[i] == sizes[order[i]];) place[i] = 0;
    }
    return true;
}

static bool listed_devices(GspmdText *t, int64_t *device, int64_t n_devices, Arena *a) {
    uint32_t n;
    bool *seen = arena_zalloc(a, (size_t)n_devices);
    if (!gtext_numbers(t, device, (uint32_t)n_devices, &n) || n != n_devices) return false;
    for (uint32_t k = 0; k < n; k++) {
        if (device[k] >= n_devices || seen[device[k]]) return false;
        seen[device[k]] = true;
    }
    return true;
}

// The axes whose places make the tile's number along one dimension, by device; false if none do.
static bool dim_axes(const Mesh *mesh, const int64_t *tile, int64_t tiles, Arena *a, ShardingDim *out) {
    AxisId axes[MESH_MAX_AXES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < mesh->n_axes; i++) {
        if (mesh->axes[i].size == 1 || tile[mesh_stride(mesh, (AxisId)i)] == 0) continue;
        uint32_t k = n++;
        for (; k > 0 && tile[mesh_stride(mesh, axes[k - 1])] < tile[mesh_stride(mesh, (AxisId)i)]; k--) axes[k] = axes[k - 1];
        axes[k] = (AxisId)i;
    }
    int64_t radix = 1;
    for (uint32_t k = n; k-- > 0; radix *= mesh->axes[axes[k]].size)
        if (tile[mesh_stride(mesh, axes[k])] != radix) return false;
    if (radix != tiles) return false;
    for (int64_t d = 0; d < mesh->n_devices; d++) {
        int64_t number = 0;
        for (uint32_t k = 0; k < n; k++)
            number = number * mesh->axes[axes[k]].size + d / mesh_stride(mesh, axes[k]) % mesh->axes[axes[k]].size;
        if (number != tile[d]) return false;
    }
    ShardingAxis *named = arena_new(a, ShardingAxis, n);
    for (uint32_t k = 0; k < n; k++) named[k] = (ShardingAxis){.name = mesh->axes[axes[k]].name};
    out->n = n;
    out->axes = named;
    return true;
}

GspmdAnswer sharding_read_gspmd(Span text, const Mesh *mesh, uint32_t rank, Arena *a, Sharding *out) {
    GspmdText t = {text.at, text.at + text.n};
    ShardingDim *dims = arena_zalloc(a, (rank + 1) * sizeof *dims);
    *out = (Sharding){.rank = rank, .dims = dims};
    if (gtext_take(&t, "{replicated}")) return GSPMD_READ;
    int64_t sizes[MAX_RANK];
    uint32_t n;
    if (!gtext_take(&t, "{devices=[") || !gtext_numbers(&t, sizes, MAX_RANK, &n) || !gtext_take(&t, "]") || n < rank)
        return GSPMD_SAYS_NOTHING; // maximal, manual, of a tuple
    int64_t all = mesh->n_devices;
    if (bounded_product(sizes, n, INT32_MAX) == 1) return GSPMD_SAYS_NOTHING;
    if (bounded_product(sizes, n, all) != all) return GSPMD_OTHER_MESH;
    int64_t *device = arena_new(a, int64_t, all), *tile = arena_new(a, int64_t, all), after = all;
    if (!(gtext_take(&t, "<=") ? iota_devices(&t, device, all) : listed_devices(&t, device, all, a)))
        return GSPMD_OTHER_MESH;
    for (uint32_t d = 0; d < rank; d++) {
        after /= sizes[d];
        for (int64_t k = 0; k < all; k++) tile[device[k]] = k / after % sizes[d];
        if (!dim_axes(mesh, tile, sizes[d], a, &dims[d])) return GSPMD_OTHER_MESH;
    }
    return GSPMD_READ;
}

void sharding_open_gspmd(Span config, Sharding *s, Arena *a) {
    GspmdText t = {config.at, config.at + config.n};
    int64_t open[MAX_RANK];
    uint32_t n;
    if (!gtext_take(&t, "unspecified_dims=[") || !gtext_numbers(&t, open, MAX_RANK, &n)) return;
    ShardingDim *dims = arena_new(a, ShardingDim, s->rank);
    for (uint32_t d = 0; d < s->rank; d++) dims[d] = s->dims[d];
    for (uint32_t i = 0; i < n; i++)
        if (open[i] < s->rank) dims[open[i]].open = true;
    s->dims = dims;
}
