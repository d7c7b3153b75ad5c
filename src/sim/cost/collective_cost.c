// Collectives over several axes go axis by axis: gathers take the slow axes first, while there is little to move, and
// reductions last.
#include "sim/cost/collective_cost.h"
#include <math.h>

// n - 1 parts of `bytes` each; both ways round a ring the farthest device is half of it away.
static double gather_axis(double n, double bytes, const AxisLink *l) {
    double hops = l->ring ? floor(n / 2) : n - 1;
    return hops * l->link->latency + bytes * (n - 1) / l->bandwidth;
}

// Half of it reduces and half of it gathers; in a switch a tree is faster where latency is all there is.
static double all_reduce_axis(double n, double bytes, const AxisLink *l) {
    double by_ring = 2 * gather_axis(n, bytes / n, l);
    double by_tree = 2 * ceil(log2(n)) * l->link->latency + 2 * bytes / l->bandwidth;
    return !l->link->torus && by_tree < by_ring ? by_tree : by_ring;
}

// Round a ring, a part travels a quarter of it on average and shares each link with the others on their way; in a line
// twice that, over the links in its middle.
static double all_to_all_axis(double n, double bytes, const AxisLink *l) {
    if (!l->link->torus || n <= 2) return gather_axis(n, bytes / n, l);
    return (l->ring ? floor(n / 2) : n - 1) * l->link->latency + bytes * n / 4 / l->bandwidth;
}

// What a collective has of one axis: all of its devices, or those along a part of it.
typedef struct Span1D {
    AxisId axis; // named
    double n;
    AxisLink link;
} Span1D;

// Along a part of an axis there is no ring; on a torus those that lie between neighbours share the links with them.
static AxisLink link_of_part(const Mesh *mesh, AxisId digit, AxisLink l) {
    if (l.ring) l.bandwidth /= 2;
    l.ring = false;
    const Axis *axis = &mesh->axes[digit];
    if (l.link->torus) l.bandwidth /= (double)(axis->whole->size / axis_end(axis));
    return l;
}

// The axes of a set, the slowest first; sets are small. Digits of one axis are one.
static uint32_t slowest_first(const Mesh *mesh, const AxisLink *links, AxisSet axes, Span1D *out) {
    uint32_t n = 0;
    for (uint32_t a = 0; a < mesh->n_axes;) {
        Span1D s = {axis_named(mesh, (AxisId)a), 1, links[axis_named(mesh, (AxisId)a)]};
        AxisId last = (AxisId)a;
        for (; a < mesh->n_axes && axis_named(mesh, (AxisId)a) == s.axis; a++)
            if (axes >> a & 1) s.n *= (double)mesh->axes[a].size, last = (AxisId)a;
        if (s.n < 2) continue;
        if ((int64_t)s.n != mesh->axes[last].whole->size) s.link = link_of_part(mesh, last, s.link);
        uint32_t i = n++;
        for (; i > 0 && out[i - 1].link.bandwidth > s.link.bandwidth; i--) out[i] = out[i - 1];
        out[i] = s;
    }
    return n;
}

// Through memory all axes are one meeting. Each device copies the parts that it needs, its own too; to reduce is to
// read all parts of a share and to write it, and whatever changes places is written once more on its way.
static double through_memory(CollectiveKind kind, const Span1D *axes, uint32_t n_axes, double bytes, double *by_axis) {
    double group = 1;
    for (uint32_t i = 0; i < n_axes; i++) group *= axes[i].n;
    double copied = kind == COLLECTIVE_ALL_GATHER       ? group * bytes
                    : kind == COLLECTIVE_REDUCE_SCATTER ? bytes
                                                        : 2 * bytes;
    double t = group * axes[0].link.link->latency + copied / axes[0].link.bandwidth;
    for (uint32_t i = 0; i < n_axes; i++) by_axis[axes[i].axis] += t / n_axes;
    return t;
}

double collective_seconds(const Mesh *mesh, const AxisLink *links, CollectiveKind kind, AxisSet axes, double bytes,
                          double *by_axis) {
    Span1D order[MESH_MAX_AXES];
    uint32_t n_axes = slowest_first(mesh, links, axes, order);
    double sum = 0;
    if (n_axes && order[0].link.link->memory) return through_memory(kind, order, n_axes, bytes, by_axis);
    for (uint32_t i = 0; i < n_axes; i++) {
        bool reduces = kind == COLLECTIVE_REDUCE_SCATTER || kind == COLLECTIVE_ALL_REDUCE;
        const Span1D *s = &order[reduces ? n_axes - 1 - i : i];
        double n = s->n, t = 0;
        switch (kind) {
        case COLLECTIVE_ALL_GATHER:
            t = gather_axis(n, bytes, &s->link);
            bytes *= n;
            break;
        case COLLECTIVE_REDUCE_SCATTER:
            bytes /= n;
            t = gather_axis(n, bytes, &s->link);
            break;
        case COLLECTIVE_ALL_REDUCE: // scatters on the fast axes first, so that the slow ones reduce less, and gathers
                                    // on the way back
            t = all_reduce_axis(n, bytes, &s->link);
            bytes /= n;
            break;
        case COLLECTIVE_ALL_TO_ALL: t = all_to_all_axis(n, bytes, &s->link); break;
        default:
            t = i == 0 ? s->link.link->latency + bytes / s->link.bandwidth : 0;
            break; // one message, over the slowest link
        }
        by_axis[s->axis] += t;
        sum += t;
    }
    return sum;
}
