// Axis links: finds the domains of links, the part of each axis in each domain, and the sides of a torus.
#include "sim/device/axis_links.h"
#include "support/integer.h"

// ---- Domains -------------------------------------------------------------------------------------------------------

// How many consecutive devices of the mesh each link connects: the most that make up the mesh and whole smaller domains.
static void find_domains(const Device *d, int64_t n_devices, int64_t *domain) {
    int64_t inner = 1;
    for (uint32_t k = 0; k < device_links(d); k++) {
        int64_t most = d->links[k].devices, size = most && most < n_devices ? most : n_devices;
        while (size > inner && (n_devices % size || size % inner)) size--;
        domain[k] = inner = size > inner ? size : inner;
    }
}

static void cut_axis(const Device *d, const int64_t *domain, int64_t size, int64_t stride, AxisLink *out) {
    int64_t left = size;
    out->n = 0;
    for (uint32_t k = 0, n_links = device_links(d); k < n_links && left > 1; k++) {
        int64_t inside = k + 1 == n_links ? left : domain[k] > stride ? gcd(left, domain[k] / stride) : 1;
        if (inside < 2) continue;
        const Link *l = &d->links[k];
        out->at[out->n++] = (AxisSegment){l, inside, l->bandwidth, (double)(inside - 1), inside, l->bandwidth, false, false};
        left /= inside, stride *= inside;
    }
}

// ---- Torus ---------------------------------------------------------------------------------------------------------

typedef struct Sides {
    const Link *link;
    uint32_t n;
    int64_t whole[MAX_TORUS], left[MAX_TORUS]; // sizes, and what no axis has yet
    bool closed[MAX_TORUS];
} Sides;

// Sides as equal as they can be: the largest prime first, to the shortest side.
static Sides slice_sides(const Link *link, int64_t n_devices) {
    Sides s = {.link = link, .n = (uint32_t)link->torus};
    int64_t primes[MESH_MAX_SPLITS];
    uint32_t n_primes = 0;
    for (int64_t p = 2; n_devices > 1; p++) {
        if (p * p > n_devices) p = n_devices;
        for (; n_devices % p == 0; n_devices /= p) primes[n_primes++] = p;
    }
    for (uint32_t i = 0; i < s.n; i++) s.whole[i] = 1;
    while (n_primes-- > 0) {
        uint32_t shortest = 0;
        for (uint32_t i = 1; i < s.n; i++)
            if (s.whole[i] < s.whole[shortest]) shortest = i;
        s.whole[shortest] *= primes[n_primes];
    }
    // Three dimensions are put together of cubes, which have their wrap-around in common.
    bool cubes = true;
    for (uint32_t i = 0; i < s.n; i++) cubes &= s.whole[i] % link->ring == 0;
    for (uint32_t i = 0; i < s.n; i++) {
        s.left[i] = s.whole[i];
        s.closed[i] = s.whole[i] > 2 && (s.n < 3 ? s.whole[i] % link->ring == 0 : cubes);
    }
    return s;
}

// The most whole sides that make up the size, as bits; 0 if none do.
static uint32_t whole_sides(const Sides *s, int64_t size) {
    uint32_t best = 0, most = 0;
    for (uint32_t set = 1; set < UINT32_C(1) << s->n; set++) {
        int64_t product = 1;
        uint32_t count = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            if (!(set >> i & 1)) continue;
            bool used = s->left[i] != s->whole[i] || s->whole[i] == 1;
            product *= used ? 0 : s->whole[i];
            count++;
        }
        if (product == size && count > most) best = set, most = count;
    }
    return best;
}

// `size` of what is left of a side: what lies between neighbours shares their links.
static void take_side(Sides *s, uint32_t i, int64_t size, AxisSegment *out) {
    bool ring = s->closed[i] && size == s->whole[i];
    double bandwidth = s->link->bandwidth * (ring ? 2 : 1) / (double)(s->whole[i] / s->left[i]);
    out->folded |= out->bandwidth > 0;
    out->ring &= ring;
    out->bandwidth += bandwidth;
    out->hops += (double)(ring ? size / 2 : size - 1);
    if (size > out->side) out->side = size, out->side_bandwidth = bandwidth;
    s->left[i] /= size;
}

static void take_sides(Sides *s, uint32_t whole, AxisSegment *out) {
    int64_t left = out->size;
    *out = (AxisSegment){.link = s->link, .size = out->size, .ring = true};
    for (uint32_t i = 0; i < s->n && left > 1; i++) {
        int64_t size = whole ? (whole >> i & 1 ? s->whole[i] : 1) : gcd(left, s->left[i]);
        if (size > 1) take_side(s, i, size, out), left /= size;
    }
    if (left == 1) return;
    // What fits on no side goes along one link.
    out->ring = false;
    out->hops += (double)(left - 1);
    if (out->bandwidth == 0) out->bandwidth = s->link->bandwidth;
    if (out->side == 0) out->side = left, out->side_bandwidth = out->bandwidth;
}

static AxisSegment *segment_on(AxisLink *axis, const Link *link) {
    for (uint32_t i = 0; i < axis->n; i++)
        if (axis->at[i].link == link) return &axis->at[i];
    return NULL;
}

// Those that can have whole sides first; of each kind the fastest varying first.
static void lay_on_torus(const Link *link, int64_t n_devices, AxisLink *axes, uint32_t n_axes) {
    Sides s = slice_sides(link, n_devices);
    bool laid[MESH_MAX_AXES] = {false};
    for (int in_parts = 0; in_parts < 2; in_parts++)
        for (uint32_t a = n_axes; a-- > 0;) {
            AxisSegment *segment = segment_on(&axes[a], link);
            if (!segment || laid[a]) continue;
            uint32_t whole = whole_sides(&s, segment->size);
            if (whole || in_parts) take_sides(&s, whole, segment), laid[a] = true;
        }
}

// ---- All axes ------------------------------------------------------------------------------------------------------

void map_axes_to_links(const Device *d, const Mesh *mesh, AxisLink *out) {
    int64_t domain[DEVICE_MAX_LINKS] = {0};
    find_domains(d, mesh->n_devices, domain);
    for (uint32_t a = 0; a < mesh->n_axes; a++)
        cut_axis(d, domain, mesh->axes[a].size, mesh_stride(mesh, (AxisId)a), &out[a]);
    for (uint32_t k = 0; k < device_links(d); k++)
        if (d->links[k].torus) lay_on_torus(&d->links[k], domain[k], out, mesh->n_axes);
}

bool axes_share_a_switch(const AxisLink *a, const AxisLink *b) {
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < b->n; k++)
            if (a->at[i].link == b->at[k].link && !a->at[i].link->torus) return true;
    return false;
}
