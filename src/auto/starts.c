// Starts: builds from classes the plans that an expert would try first. Each axis has a role (data parallelism, tensor parallelism,
// none); state is stored in chunks or whole.
//
//     data on batch, weights on model, store 3 on batch        Megatron and ZeRO-3
//     data on both, store 3 on both                            fully sharded data parallelism
#include "auto/search.h"
#include <math.h>

enum { USE_NONE, USE_DATA, USE_WEIGHTS, USE_WEIGHTS_AND_RESIDUAL, USE_WEIGHTS_AND_SEQUENCE, N_USES };

static void add_to_plan(Plan *p, const Choices *c, ChoiceKind kind, uint32_t of, AxisId axis) {
    for (uint32_t i = 0; i < c->at.n && p->n < PLAN_MAX; i++) {
        const Choice *x = &c->at.at[i];
        if (x->kind == kind && x->of == of && x->axis == axis) p->at[p->n++] = (uint16_t)i;
    }
}

// The class that most weights share: the width of what flows from layer to layer.
static uint32_t residual_class(const Choices *c) {
    for (uint32_t k = 0; k < c->classes.n; k++)
        if (c->classes.at[k].weight && !c->classes.at[k].data) return k;
    return NO_ID;
}

// All classes that hold weights but no data, but the residual one: those that repeated layers have, or the others.
static void add_weights(Plan *p, const Choices *c, AxisId axis, bool repeated) {
    uint32_t residual = residual_class(c), room = PLAN_MAX / 2;
    for (uint32_t k = 0; k < c->classes.n && room; k++) {
        const Class *x = &c->classes.at[k];
        if (k == residual || !x->weight || x->data || (x->n_colours > 1) != repeated) continue;
        add_to_plan(p, c, CHOICE_CLASS, k, axis), room--;
    }
}

// The classes of one dimension of all data: the batch, the sequence. Data that no op joins have each their own.
typedef struct DataDims {
    uint32_t n;
    uint32_t at[6]; // classes, those first that most data have
} DataDims;

static void add_data_class(DataDims *d, const Choices *c, uint32_t class) {
    enum { ROOM = sizeof d->at / sizeof *d->at };
    uint32_t i = d->n < ROOM ? d->n++ : ROOM;
    for (; i > 0 && c->classes.at[class].data_bytes > c->classes.at[d->at[i - 1]].data_bytes; i--)
        if (i < ROOM) d->at[i] = d->at[i - 1];
    if (i < ROOM) d->at[i] = class;
}

// By dimension, the outermost first. A class that has several counts as the outermost. Returns how many have some.
static uint32_t find_data_dims(const Choices *c, DataDims *out, uint32_t room) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->classes.n; k++) {
        const Class *x = &c->classes.at[k];
        if (!x->data || (uint32_t)x->data_dim >= room) continue;
        add_data_class(&out[x->data_dim], c, k);
    }
    for (uint32_t d = 0; d < room; d++)
        if (out[d].n) out[n++] = out[d];
    return n;
}

// What starts are made of.
enum { MOST_DATA = 3 };
typedef struct StartParts {
    Arena *a;
    const Choices *c;
    const Mesh *mesh;
    uint32_t n; // axes
    AxisId axes[MESH_MAX_AXES];
    uint32_t n_data;
    DataDims data[MOST_DATA + 1];
} StartParts;

// Before the data, what inside the program has the dimension twice: queries, not keys.
static void add_data(Plan *p, const Choices *c, const DataDims *d, AxisId axis) {
    for (uint32_t i = 0; i < d->n; i++) add_to_plan(p, c, CHOICE_INNER, d->at[i], axis);
    for (uint32_t i = 0; i < d->n; i++) add_to_plan(p, c, CHOICE_CLASS, d->at[i], axis);
}

// How many elements of each dimension are left to be split.
typedef struct DataLeft {
    int64_t of[MOST_DATA + 1];
} DataLeft;

static DataLeft all_data(const StartParts *x) {
    DataLeft left = {{0}};
    for (uint32_t k = 0; k < x->n_data; k++) left.of[k] = x->c->classes.at[x->data[k].at[0]].data_size;
    return left;
}

// Splits dimension `first`, or if what is left of it does not divide, the outermost one that does.
static void add_divisible(Plan *p, const StartParts *x, uint32_t first, AxisId axis, DataLeft *left) {
    int64_t size = x->mesh->axes[axis].size;
    uint32_t d = first;
    for (uint32_t k = 0; k < x->n_data && left->of[d] % size; k++)
        if (left->of[k] % size == 0) d = k;
    if (left->of[d] % size) d = first;
    left->of[d] /= size;
    add_data(p, x->c, &x->data[d], axis);
}

// A start that is much slower than one that fits is of no use.
static bool try_start(Search *s, Plan *p) {
    Score score;
    const Score *best = &s->finalists.at->score;
    bool bounded = s->finalists.n && search_fits(&s->options, best) && !s->options.least_memory;
    return search_try(s, p, bounded ? SLOWEST * best->seconds : INFINITY, &score);
}

// One plan: uses[i] is what axis i is for; dimension `first` of the data is split first.
static Plan make_start(const StartParts *x, const uint8_t *uses, uint32_t first, int store, bool store_all) {
    Plan p = {0};
    const Choices *c = x->c;
    DataLeft left = all_data(x);
    for (uint32_t i = 0; i < x->n; i++)
        if (uses[i] == USE_DATA) add_divisible(&p, x, first, x->axes[i], &left);
    for (uint32_t i = 0; i < x->n; i++) {
        if (uses[i] < USE_WEIGHTS) continue;
        uint32_t before = p.n, residual = residual_class(c);
        add_weights(&p, c, x->axes[i], true);
        // The sequence before what is there once, the vocabulary: where both are wanted, it is worth more.
        bool repeats = p.n > before;
        if (!repeats) add_weights(&p, c, x->axes[i], false);
        if (uses[i] == USE_WEIGHTS_AND_SEQUENCE) add_data(&p, c, &x->data[first == 0], x->axes[i]);
        if (repeats) add_weights(&p, c, x->axes[i], false);
        if (uses[i] == USE_WEIGHTS_AND_RESIDUAL && residual != NO_ID) add_to_plan(&p, c, CHOICE_CLASS, residual, x->axes[i]);
    }
    for (uint32_t i = 0; store && i < x->n; i++)
        if (store_all || uses[i] == USE_DATA) add_to_plan(&p, c, (ChoiceKind)store, STATE_TENSORS, x->axes[i]);
    return p;
}

// All that is stored in chunks or not, for one use of the axes.
static void add_stores_starts(Search *s, const StartParts *x, const uint8_t *uses, uint32_t first) {
    for (int store = 0; store < CHOICE_TACTIC; store++)
        for (int all = 0; all <= (store != 0); all++) vec_push(x->a, &s->starts, make_start(x, uses, first, store, all));
}

// Data on all axes; state in chunks on one of them, and on the others what the optimizer keeps, or nothing.
static void add_hybrids(Search *s, const StartParts *x) {
    for (uint32_t of = 0; of < x->n && x->n > 1; of++)
        for (int others = 0; others < 2; others++) {
            Plan p = {0};
            DataLeft left = all_data(x);
            for (uint32_t i = 1; i <= x->n; i++) // its own axis is the innermost
                add_divisible(&p, x, 0, x->axes[(of + i) % x->n], &left);
            add_to_plan(&p, x->c, CHOICE_STORE_3, STATE_TENSORS, x->axes[of]);
            for (uint32_t i = 0; i < x->n && others; i++)
                if (i != of) add_to_plan(&p, x->c, CHOICE_STORE_2, STATE_TENSORS, x->axes[i]);
            vec_push(x->a, &s->starts, p);
        }
}

// The best with each other way to gather: what is best for one is mostly best for others.
static bool choose_gathers(Search *s) {
    if (s->e->gathers_decided || !s->finalists.n) return true;
    Plan best = s->finalists.at->plan;
    for (uint16_t g = 0; g < GATHERS_WHOLE_TABLES; g++) {
        Plan p = best;
        p.gathers = g;
        if (g != best.gathers && !try_start(s, &p)) return false;
    }
    s->gathers = s->finalists.at->plan.gathers;
    return true;
}

// The best few of a wave with all of the state in chunks, where it was all but scales and biases: their sums then need not be whole.
static bool try_all_state(Search *s) {
    const Choices *c = s->e->choices;
    Archived best[STARTS_KEPT];
    uint32_t n = s->fresh.n < STARTS_KEPT ? s->fresh.n : STARTS_KEPT;
    memcpy(best, s->fresh.at, n * sizeof *best);
    for (uint32_t i = 0; i < n; i++) {
        Plan p = best[i].plan, q = {.gathers = p.gathers};
        for (uint32_t k = 0; k < p.n; k++) {
            const Choice *x = &c->at.at[p.at[k]];
            if (x->kind == CHOICE_STORE_2 || x->kind == CHOICE_STORE_3) add_to_plan(&q, c, x->kind, STATE_ALL, x->axis);
            else q.at[q.n++] = p.at[k];
        }
        if (!try_start(s, &q)) return false;
    }
    return true;
}

// All uses of the first few axes, from the least on, with each of some dimensions of the data split first; those of the last
// axis change first. Axes beyond are left to climbing. With USE_NONE only those that leave an axis out: others were
// tried before.
static void add_all_uses(Search *s, const StartParts *x, uint32_t first, uint32_t end, uint8_t least) {
    uint8_t uses[MESH_MAX_AXES] = {0};
    uint32_t varied = x->n < 3 ? x->n : 3, at;
    memset(uses, least, varied);
    do {
        bool any_data = memchr(uses, USE_DATA, x->n) != NULL, wanted = least != USE_NONE || memchr(uses, USE_NONE, x->n);
        for (uint32_t d = first; d < end && wanted && (d == 0 || any_data); d++) add_stores_starts(s, x, uses, d);
        at = varied;
        while (at > 0 && ++uses[at - 1] == N_USES) uses[--at] = least;
    } while (at > 0);
}

void starts_find(Search *s, Arena *a) {
    StartParts x = {.a = a, .c = s->e->choices, .mesh = s->e->subjects[0].state->mesh};
    x.n_data = find_data_dims(x.c, x.data, MOST_DATA);
    for (uint32_t axis = 0; axis < MESH_MAX_AXES; axis++)
        if (s->axes >> axis & 1) x.axes[x.n++] = (AxisId)axis;
    uint8_t uses[MESH_MAX_AXES] = {0};
    // First what needs least memory, so that a short search has something that fits.
    for (uint32_t i = 0; i < x.n; i++) uses[i] = USE_DATA;
    add_stores_starts(s, &x, uses, 0);
    add_hybrids(s, &x);
    if (x.n > 1) uses[1] = USE_WEIGHTS_AND_RESIDUAL;
    add_stores_starts(s, &x, uses, 0);
    s->n_leanest = s->starts.n;
    // What an expert would try comes first. With many axes each is for something; to leave one out is left to climbing.
    uint8_t least = USE_DATA;
    do {
        add_all_uses(s, &x, 0, 1, least);
        add_all_uses(s, &x, 1, x.n_data, least);
    } while (x.n <= 2 && least-- > USE_NONE);
}

static bool try_wave(Search *s, uint64_t until) {
    while (s->n_tried < s->starts.n && s->e->n_evaluated < until) {
        Plan p = s->starts.at[s->n_tried++];
        p.gathers = s->gathers;
        if (!try_start(s, &p)) return false;
        if (s->n_tried == s->n_leanest && !choose_gathers(s)) return false;
    }
    return try_all_state(s) && s->n_tried < s->starts.n;
}

bool starts_try(Search *s, uint64_t until) {
    s->starting = true;
    s->fresh.n = 0;
    bool more = try_wave(s, until);
    s->starting = false;
    return more;
}
