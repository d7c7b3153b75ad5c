// A collective is hierarchical: the axes that share a link form one phase. Gathers use the farthest link first, while there are few
// bytes to move, and reductions use it last. Over several sides of a torus all links work at once, as in XLA's algorithms for TPU.
// Rings and trees through several switches use all of them at once, as NCCL's do, and the slowest switch decides.
#include "sim/cost/cost.h"
#include <math.h>

// ---- What a collective has of each link ----------------------------------------------------------------------------

// Along a part of a segment there is no ring; on a torus those that lie between neighbours share the links with them.
static AxisSegment segment_part(AxisSegment s, double n, double stride) {
    if ((int64_t)n == s.size) return s;
    s.size = s.side = (int64_t)n;
    s.hops = n - 1;
    if (s.link->torus) s.bandwidth = s.side_bandwidth = s.link->bandwidth / stride;
    return s;
}

static void add_segment(Phases *phases, AxisId axis, const AxisSegment *s) {
    uint32_t i = 0;
    while (i < phases->n && phases->at[i].link < s->link) i++;
    if (i == phases->n || phases->at[i].link != s->link) {
        for (uint32_t k = phases->n++; k > i; k--) phases->at[k] = phases->at[k - 1];
        phases->at[i] = (Phase){.link = s->link, .n = 1};
    }
    Phase *p = &phases->at[i];
    p->n *= (double)s->size;
    p->hops = s->link->torus ? p->hops + s->hops : p->n - 1;
    p->bandwidth = s->link->torus ? p->bandwidth + s->bandwidth : s->bandwidth;
    if ((double)s->side > p->side) p->side = (double)s->side, p->side_bandwidth = s->side_bandwidth;
    p->axis[p->n_axes] = axis;
    p->of_axis[p->n_axes++] = log2((double)s->size);
}

// The digits of an axis that are in the set, from the major one on: `stride` is what the minor ones make.
static void add_axis(Phases *phases, const Mesh *mesh, AxisId named, const AxisLink *link, uint32_t from, uint32_t to,
                     AxisSet axes) {
    double below = 1;
    for (uint32_t i = 0; i < link->n; i++) {
        double end = below * (double)link->at[i].size, n = 1, stride = 1;
        for (uint32_t a = from; a < to; a++) {
            const Axis *digit = &mesh->axes[a];
            double low = (double)(digit->whole->size / axis_end(digit)), high = low * (double)digit->size;
            double inner = low > below ? low : below, outer = high < end ? high : end;
            if (!(axes >> a & 1) || outer <= inner) continue;
            n *= outer / inner;
            stride = inner / below;
        }
        AxisSegment part = segment_part(link->at[i], n, stride);
        if (n > 1) add_segment(phases, named, &part);
        below = end;
    }
}

void find_phases(const Mesh *mesh, const AxisLink *links, AxisSet axes, Phases *out) {
    *out = (Phases){.axes = axes};
    for (uint32_t a = 0; a < mesh->n_axes;) {
        AxisId named = axis_named(mesh, (AxisId)a);
        uint32_t from = a;
        while (a < mesh->n_axes && axis_named(mesh, (AxisId)a) == named) a++;
        AxisSet digits = axes >> from & ((UINT64_C(2) << (a - from - 1)) - 1);
        if (digits) add_axis(out, mesh, named, &links[named], from, a, axes);
    }
}

// ---- Seconds -------------------------------------------------------------------------------------------------------

typedef struct PhaseTime {
    double latency, transfer;
} PhaseTime;

// n - 1 parts of `bytes` each.
static PhaseTime gather_time(const Phase *p, double bytes) {
    return (PhaseTime){p->hops * p->link->latency, bytes * (p->n - 1) / p->bandwidth};
}

// Half of it reduces and half of it gathers; in a switch a tree is faster where latency is all there is.
static PhaseTime all_reduce_time(const Phase *p, double bytes) {
    PhaseTime t = gather_time(p, bytes / p->n);
    double tree = 2 * ceil(log2(p->n)) * p->link->latency, through_tree = 2 * bytes / p->bandwidth;
    if (!p->link->torus && tree + through_tree < 2 * (t.latency + t.transfer)) return (PhaseTime){tree, through_tree};
    return (PhaseTime){2 * t.latency, 2 * t.transfer};
}

// Round a ring, a part travels a quarter of it on average and shares each link with the others on their way; in a line
// twice that, over the links in its middle. The longest side decides.
static PhaseTime all_to_all_time(const Phase *p, double bytes) {
    if (!p->link->torus || p->side <= 2) return gather_time(p, bytes / p->n);
    return (PhaseTime){p->hops * p->link->latency, bytes * p->side / 4 / p->side_bandwidth};
}

// Through memory all axes are one meeting. Each device copies the parts that it needs, its own too; to reduce is to
// read all parts of a share and to write it, and whatever changes places is written once more on its way.
static PhaseTime memory_time(CollectiveKind kind, const Phase *p, double bytes) {
    double copied = kind == COLLECTIVE_ALL_GATHER       ? p->n * bytes
                    : kind == COLLECTIVE_REDUCE_SCATTER ? bytes
                                                        : 2 * bytes;
    return (PhaseTime){p->n * p->link->latency, copied / p->bandwidth};
}

// `bytes` is what a device has at the begin of the phase, and then at its end.
static PhaseTime phase_time(CollectiveKind kind, const Phase *p, double *bytes) {
    if (p->link->memory) return memory_time(kind, p, *bytes);
    double before = *bytes;
    switch (kind) {
    case COLLECTIVE_ALL_GATHER: *bytes *= p->n; return gather_time(p, before);
    case COLLECTIVE_REDUCE_SCATTER: *bytes /= p->n; return gather_time(p, *bytes);
    case COLLECTIVE_ALL_REDUCE: *bytes /= p->n; return all_reduce_time(p, before);
    case COLLECTIVE_ALL_TO_ALL: return all_to_all_time(p, before);
    default: // one message to one neighbour, over one link of a torus
        return (PhaseTime){p->link->latency, before / (p->link->torus ? p->link->bandwidth : p->bandwidth)};
    }
}

static void share_out(const Phase *p, double seconds, double *by_axis) {
    double whole = log2(p->n);
    for (uint32_t i = 0; i < p->n_axes; i++) by_axis[p->axis[i]] += seconds * p->of_axis[i] / whole;
}

double collective_seconds(const Phases *phases, CollectiveKind kind, double bytes, double *by_axis) {
    PhaseTime times[DEVICE_MAX_LINKS];
    bool reduces = kind == COLLECTIVE_REDUCE_SCATTER || kind == COLLECTIVE_ALL_REDUCE;
    bool permutes = kind != COLLECTIVE_ALL_GATHER && kind != COLLECTIVE_ALL_TO_ALL && !reduces;
    uint32_t slowest = 0; // of the switches
    for (uint32_t i = 0; i < phases->n; i++) {
        uint32_t k = reduces ? i : phases->n - 1 - i;
        times[k] = phase_time(kind, &phases->at[k], &bytes);
        if (permutes && i > 0) times[k] = (PhaseTime){0, 0}; // the farthest link decides
        bool first = i == 0 || phases->at[slowest].link->torus;
        if (!phases->at[k].link->torus && (first || times[k].transfer > times[slowest].transfer)) slowest = k;
    }
    double sum = 0;
    for (uint32_t k = 0; k < phases->n; k++) {
        bool hidden = !phases->at[k].link->torus && k != slowest;
        double seconds = times[k].latency + (hidden ? 0 : times[k].transfer);
        share_out(&phases->at[k], seconds, by_axis);
        sum += seconds;
    }
    return sum;
}
