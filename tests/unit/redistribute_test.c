// The planner of redistributions against a search that leaves out nothing: all distributions of a tensor over a mesh, and
// between any two of them every step that there is. Both must agree on bytes, collectives and peak for every pair. A sum is
// taken over no other axes than those of both ends.
#include "spmd/redistribute/redistribute.h"
#include "test.h"
#include <stdlib.h>

enum { MOST_STATES = 512, MOST_AXES = 4, MOST_DIMS = 3 };

// A distribution as lists of axes, one for each dimension.
typedef struct Place {
    uint32_t n[MOST_DIMS];
    AxisId axes[MOST_DIMS][MOST_AXES];
    AxisSet pending;
} Place;

typedef struct Price {
    double bytes, peak;
    int collectives;
} Price;

static Context *ctx;
static Arena arena;
static Mesh mesh;
static uint32_t rank;
static Place places[MOST_STATES];
static uint32_t n_places;
static Price edges[MOST_STATES][MOST_STATES]; // collectives -1: no such step

static double size_of(AxisId a) { return (double)mesh.axes[a].size; }

static double local_of(const Place *p) {
    double size = 1;
    for (uint32_t d = 0; d < rank; d++)
        for (uint32_t i = 0; i < p->n[d]; i++) size /= size_of(p->axes[d][i]);
    return size;
}

static double chunks_of(const Place *p, uint32_t d) {
    double n = 1;
    for (uint32_t i = 0; i < p->n[d]; i++) n *= size_of(p->axes[d][i]);
    return n;
}

static AxisSet axes_of(const Place *p) {
    AxisSet set = 0;
    for (uint32_t d = 0; d < rank; d++)
        for (uint32_t i = 0; i < p->n[d]; i++) set |= (AxisSet)1 << p->axes[d][i];
    return set;
}

static bool begins_with(const Place *p, const Place *q, uint32_t d) {
    return p->n[d] >= q->n[d] && memcmp(p->axes[d], q->axes[d], q->n[d]) == 0;
}

static bool same_dim(const Place *p, const Place *q, uint32_t d) { return p->n[d] == q->n[d] && begins_with(p, q, d); }

static double rest_of(const Place *p, const Place *q, uint32_t d) { // p's list begins with q's
    double n = 1;
    for (uint32_t i = q->n[d]; i < p->n[d]; i++) n *= size_of(p->axes[d][i]);
    return n;
}

// What one step from x to y costs; false if there is none.
static bool step_price(const Place *x, const Place *y, StepKind *kind, Price *out) {
    uint32_t shorter = 0, longer = 0, other = 0, s = 0, l = 0;
    bool same_chunks = true;
    for (uint32_t d = 0; d < rank; d++) {
        same_chunks &= chunks_of(x, d) == chunks_of(y, d);
        if (same_dim(x, y, d)) continue;
        if (begins_with(x, y, d)) shorter++, s = d;
        else if (begins_with(y, x, d)) longer++, l = d;
        else other++;
    }
    double local = local_of(x);
    *out = (Price){.collectives = 1, .peak = local + local_of(y)};
    bool same_pending = x->pending == y->pending, moved = shorter + longer + other > 0;
    AxisSet before = axes_of(x), after = axes_of(y);
    if (same_pending && moved && !shorter && !other && !(after & ~before & x->pending) && before == (before & after)) {
        *kind = STEP_SLICE;
        *out = (Price){.peak = local};
        return true;
    }
    if (same_pending && shorter == 1 && !longer && !other) {
        *kind = STEP_GATHER;
        out->bytes = local * (rest_of(x, y, s) - 1);
        return true;
    }
    if (same_pending && shorter == 1 && longer == 1 && !other && x->n[s] - y->n[s] == y->n[l] - x->n[l] &&
        memcmp(x->axes[s] + y->n[s], y->axes[l] + x->n[l], x->n[s] - y->n[s]) == 0) {
        *kind = STEP_ALL_TO_ALL;
        out->bytes = local * (1 - 1 / rest_of(x, y, s));
        return true;
    }
    if (same_pending && moved && same_chunks) {
        *kind = STEP_PERMUTE;
        out->bytes = local;
        return true;
    }
    AxisSet done = x->pending & ~y->pending;
    if (!done || (y->pending & ~x->pending)) return false;
    if (longer == 1 && !shorter && !other && (after & ~before) == done) {
        *kind = STEP_REDUCE_SCATTER;
        out->bytes = local * (1 - 1 / rest_of(y, x, l));
        return true;
    }
    if (moved) return false;
    double group = 1;
    for (uint32_t a = 0; a < mesh.n_axes; a++)
        if (done >> a & 1) group *= size_of((AxisId)a);
    *kind = STEP_ALL_REDUCE;
    out->bytes = 2 * local * (1 - 1 / group);
    return true;
}

static void add_places(Place p, AxisSet used) {
    for (uint32_t i = 0; i < n_places; i++) {
        bool same = places[i].pending == p.pending;
        for (uint32_t d = 0; d < rank; d++) same = same && same_dim(&places[i], &p, d);
        if (same) return;
    }
    places[n_places++] = p;
    for (uint32_t a = 0; a < mesh.n_axes; a++) {
        if (used >> a & 1) continue;
        for (uint32_t d = 0; d < rank; d++) {
            Place q = p;
            q.axes[d][q.n[d]++] = (AxisId)a;
            add_places(q, used | (AxisSet)1 << a);
        }
    }
}

static int compare(Price a, Price b) {
    if (a.bytes < b.bytes - 1e-9 || a.bytes > b.bytes + 1e-9) return a.bytes < b.bytes ? -1 : 1;
    if (a.collectives != b.collectives) return a.collectives < b.collectives ? -1 : 1;
    return a.peak < b.peak - 1e-9 ? -1 : a.peak > b.peak + 1e-9;
}

static Price add(Price a, Price b) {
    return (Price){a.bytes + b.bytes, a.peak > b.peak ? a.peak : b.peak, a.collectives + b.collectives};
}

// From one place to all others, through places that split over these axes alone.
static void find_best(uint32_t from, AxisSet axes, Price *best) {
    static bool done[MOST_STATES];
    memset(done, 0, sizeof done);
    for (uint32_t i = 0; i < n_places; i++) best[i] = (Price){.bytes = 1e9};
    best[from] = (Price){0};
    for (uint32_t round = 0; round < n_places; round++) {
        uint32_t x = NO_ID;
        for (uint32_t i = 0; i < n_places; i++)
            if (!done[i] && (x == NO_ID || compare(best[i], best[x]) < 0)) x = i;
        done[x] = true;
        for (uint32_t y = 0; y < n_places; y++) {
            if (edges[x][y].collectives < 0 || done[y] || (axes_of(&places[y]) & ~axes)) continue;
            Price p = add(best[x], edges[x][y]);
            if (compare(p, best[y]) < 0) best[y] = p;
        }
    }
}

static const Dist *dist_of(DistBook *b, const Place *p) {
    DistEntry at[MOST_AXES];
    uint32_t n = 0;
    for (uint32_t d = 0; d < rank; d++)
        for (uint32_t i = 0; i < p->n[d]; i++) at[n++] = (DistEntry){p->axes[d][i], (uint8_t)d};
    return dist_intern(b, at, n, p->pending, MONOID_ADD);
}

static Place place_of(const Dist *d) {
    Place p = {.pending = d->pending};
    for (uint32_t i = 0; i < d->n; i++) p.axes[d->at[i].dim][p.n[d->at[i].dim]++] = d->at[i].axis;
    return p;
}

// Every step of the plan is one that there is, and they lead from one end to the other.
static bool plan_price(const MovePlan *plan, Price *out) {
    *out = (Price){0};
    const Dist *at = plan->from;
    for (uint32_t i = 0; i < plan->n; i++) {
        const MoveStep *s = &plan->steps[i];
        Place x = place_of(s->from), y = place_of(s->to);
        StepKind kind;
        Price price;
        if (s->from != at || !step_price(&x, &y, &kind, &price) || kind != s->kind) return false;
        *out = add(*out, price);
        at = s->to;
    }
    return at == plan->to;
}

static void check_mesh(const char *text, uint32_t r, bool with_sums) {
    CHECK(mesh_parse(&mesh, ctx, &arena, span_of(text), NULL, NO_OFFSET));
    rank = r;
    n_places = 0;
    for (AxisSet pending = 0; pending < (AxisSet)(with_sums ? 1 << mesh.n_axes : 1); pending++)
        add_places((Place){.pending = pending}, pending);
    for (uint32_t x = 0; x < n_places; x++)
        for (uint32_t y = 0; y < n_places; y++) {
            StepKind kind;
            if (!step_price(&places[x], &places[y], &kind, &edges[x][y])) edges[x][y].collectives = -1;
        }
    Module *m = module_new(ctx);
    int64_t dims[] = {24, 48, 72};
    TypeId type = type_tensor(m, EL_F32, r, dims);
    DistBook book;
    distbook_init(&book, &mesh, &arena);
    MovePlanner planner;
    planner_init(&planner, &book, m, &arena);
    static Price best[MOST_STATES];
    uint32_t pairs = 0, wrong = 0;
    for (uint32_t x = 0; x < n_places; x++) {
        AxisSet sums = places[x].pending;
        if (!sums) find_best(x, ~(AxisSet)0, best);
        for (uint32_t y = 0; y < n_places; y++) {
            if (places[y].pending & ~places[x].pending) continue;
            if (sums) find_best(x, axes_of(&places[x]) | axes_of(&places[y]) | sums, best);
            const Dist *from = dist_of(&book, &places[x]), *to = dist_of(&book, &places[y]);
            const MovePlan *plan = plan_redistribution(&planner, from, to, type);
            Price price;
            pairs++;
            bool legal = plan_price(plan, &price);
            if (legal && compare(price, best[y]) == 0) continue;
            if (++wrong > 3) continue;
            Buffer b;
            buf_init(&b, &arena);
            dist_print(from, &mesh, r, &b), buf_str(&b, " -> "), dist_print(to, &mesh, r, &b);
            printf("%s: %s: sends %g in %d, peak %g; best %g in %d, peak %g%s\n", text, buf_cstr(&b), price.bytes,
                   price.collectives, price.peak, best[y].bytes, best[y].collectives, best[y].peak,
                   legal ? "" : "; not legal");
        }
    }
    CHECK_INT(wrong, 0);
    printf("%s, rank %u: %u pairs of %u distributions\n", text, r, pairs, n_places);
    module_free(m);
}

// ---- Parts of axes --------------------------------------------------------------------------------------------------
// Axes of four devices against a search over their digits: the planner cuts an axis where that is cheaper, and only there.

static uint32_t digits_of[MOST_AXES]; // of each axis of the named mesh: how many axes of the mesh that is searched

static Place in_digits(const Place *p) {
    Place q = {0};
    for (uint32_t d = 0; d < rank; d++)
        for (uint32_t i = 0; i < p->n[d]; i++) {
            uint32_t first = 0;
            for (AxisId a = 0; a < p->axes[d][i]; a++) first += digits_of[a];
            for (uint32_t k = 0; k < digits_of[p->axes[d][i]]; k++) q.axes[d][q.n[d]++] = (AxisId)(first + k);
        }
    return q;
}

static uint32_t number_of(const Place *p) {
    for (uint32_t i = 0; i < n_places; i++) {
        bool same = true;
        for (uint32_t d = 0; d < rank; d++) same = same && same_dim(&places[i], p, d);
        if (same) return i;
    }
    return NO_ID;
}

// The plan on the mesh as it is named, or, if it asks for that, on the mesh that it would have.
static bool parts_price(const Mesh *named, const Place *x, const Place *y, const Module *m, TypeId type, Price *out, bool *cut) {
    DistBook book;
    MovePlanner planner;
    distbook_init(&book, named, &arena);
    planner_init(&planner, &book, m, &arena);
    const MovePlan *plan = plan_redistribution(&planner, dist_of(&book, x), dist_of(&book, y), type);
    *cut = plan->n_borders > 0;
    if (!*cut) {
        *out = (Price){0};
        for (uint32_t i = 0; i < plan->n; i++) {
            Place from = place_of(plan->steps[i].from), to = place_of(plan->steps[i].to);
            from = in_digits(&from), to = in_digits(&to);
            StepKind kind;
            Price price;
            if (!step_price(&from, &to, &kind, &price) || kind != plan->steps[i].kind) return false;
            *out = add(*out, price);
        }
        return true;
    }
    Mesh finer = mesh_cut(named, 0, plan->borders, plan->n_borders, &arena);
    distbook_init(&book, &finer, &arena);
    planner_init(&planner, &book, m, &arena);
    Place from = in_digits(x), to = in_digits(y);
    plan = plan_redistribution(&planner, dist_of(&book, &from), dist_of(&book, &to), type);
    return plan_price(plan, out) && plan->n_borders == 0;
}

static void check_parts(const char *text, const char *digits, uint32_t r, uint32_t expected_cuts) {
    Mesh named;
    CHECK(mesh_parse(&named, ctx, &arena, span_of(text), NULL, NO_OFFSET));
    for (uint32_t a = 0; a < named.n_axes; a++) digits_of[a] = named.axes[a].size == 4 ? 2 : 1;
    rank = r;
    mesh = named;
    n_places = 0;
    add_places((Place){0}, 0);
    static Place ends[MOST_STATES];
    uint32_t n_ends = n_places, wrong = 0, cuts = 0;
    memcpy(ends, places, n_ends * sizeof *ends);
    CHECK(mesh_parse(&mesh, ctx, &arena, span_of(digits), NULL, NO_OFFSET));
    n_places = 0;
    add_places((Place){0}, 0);
    for (uint32_t x = 0; x < n_places; x++)
        for (uint32_t y = 0; y < n_places; y++) {
            StepKind kind;
            if (!step_price(&places[x], &places[y], &kind, &edges[x][y])) edges[x][y].collectives = -1;
        }
    Module *m = module_new(ctx);
    int64_t dims[] = {48, 48, 48};
    TypeId type = type_tensor(m, EL_F32, r, dims);
    static Price best[MOST_STATES];
    for (uint32_t x = 0; x < n_ends; x++) {
        Place from = in_digits(&ends[x]);
        find_best(number_of(&from), ~(AxisSet)0, best);
        for (uint32_t y = 0; y < n_ends; y++) {
            Place to = in_digits(&ends[y]);
            Price price, least = best[number_of(&to)];
            bool cut;
            bool legal = parts_price(&named, &ends[x], &ends[y], m, type, &price, &cut);
            cuts += cut;
            if (!legal || price.bytes > least.bytes + 1e-9 || price.bytes < least.bytes - 1e-9 || (cut && compare(price, least))) wrong++;
        }
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(cuts, expected_cuts);
    printf("%s, rank %u: %u pairs, %u of them by parts of axes\n", text, r, n_ends * n_ends, cuts);
    module_free(m);
}

static void parts(void) {
    check_parts("a=2,b=4", "a=2,x=2,y=2", 2, 6);
    check_parts("a=2,b=4", "a=2,x=2,y=2", 3, 18);
    check_parts("a=4,b=2", "x=2,y=2,b=2", 2, 6);
    check_parts("a=4,b=2", "x=2,y=2,b=2", 3, 18);
    check_parts("a=4,b=4", "x=2,y=2,z=2,u=2", 2, 0); // axes of one size are exchanged whole
}

static void two_by_two(void) {
    check_mesh("a=2,b=2", 2, true);
    check_mesh("a=2,b=2", 3, true);
}
static void two_by_three(void) {
    check_mesh("a=2,b=3", 2, true);
    check_mesh("a=2,b=3", 3, true);
}
static void two_by_two_by_two(void) {
    check_mesh("a=2,b=2,c=2", 2, true);
    check_mesh("a=2,b=2,c=2", 3, false);
}
static void four_by_two(void) {
    check_mesh("a=4,b=2", 2, true);
    check_mesh("a=4,b=2", 3, true);
}

int main(void) {
    partir_context_create(NULL, &ctx);
    arena_init(&arena, ctx);
    RUN(two_by_two);
    RUN(two_by_three);
    RUN(two_by_two_by_two);
    RUN(four_by_two);
    RUN(parts);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
