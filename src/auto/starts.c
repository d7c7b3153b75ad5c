// Starts: what an expert would try first, made from classes. Each axis has a role, data or tensor parallelism, or none;
// then state is stored in chunks or not.
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

// All classes that hold weights but no data; the residual one last, or not at all.
static void add_weights(Plan *p, const Choices *c, AxisId axis, bool residual) {
    uint32_t last = residual_class(c), room = PLAN_MAX / 2;
    for (uint32_t k = 0; k < c->classes.n && room; k++)
        if (k != last && c->classes.at[k].weight && !c->classes.at[k].data)
            add_to_plan(p, c, CHOICE_CLASS, k, axis), room--;
    if (residual && last != NO_ID) add_to_plan(p, c, CHOICE_CLASS, last, axis);
}

// The classes of data, those first that most data have, and of these the outermost dimension. Returns how many.
static uint32_t data_classes(const Choices *c, uint32_t *out, uint32_t room) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->classes.n; k++) {
        const Class *x = &c->classes.at[k];
        if (!x->data) continue;
        uint32_t i = n < room ? n++ : room;
        for (; i > 0; i--) {
            const Class *y = &c->classes.at[out[i - 1]];
            bool outer = c->seeds.at[x->first].dim < c->seeds.at[y->first].dim;
            if (x->data_bytes < y->data_bytes || (x->data_bytes == y->data_bytes && !outer)) break;
            if (i < room) out[i] = out[i - 1];
        }
        if (i < room) out[i] = k;
    }
    return n;
}

// One plan: uses[i] is what axis i is for; data dimension `data` is split first, `other` is the sequence.
static Plan make_start(const Choices *c, const uint8_t *uses, const AxisId *axes, uint32_t n, uint32_t data,
                       uint32_t other, int store, bool store_all) {
    Plan p = {0};
    for (uint32_t i = 0; i < n; i++)
        if (uses[i] == USE_DATA) add_to_plan(&p, c, CHOICE_CLASS, data, axes[i]);
    for (uint32_t i = 0; i < n; i++) {
        if (uses[i] >= USE_WEIGHTS) add_weights(&p, c, axes[i], uses[i] == USE_WEIGHTS_AND_RESIDUAL);
        if (uses[i] == USE_WEIGHTS_AND_SEQUENCE && other != NO_ID) add_to_plan(&p, c, CHOICE_CLASS, other, axes[i]);
    }
    for (uint32_t i = 0; store && i < n; i++)
        if (store_all || uses[i] == USE_DATA) add_to_plan(&p, c, (ChoiceKind)store, NO_ID, axes[i]);
    return p;
}

// All that is stored in chunks or not, for one use of the axes.
static bool try_stores(Search *s, const uint8_t *uses, const AxisId *axes, uint32_t n, uint32_t data, uint32_t other) {
    for (int store = 0; store < CHOICE_TACTIC; store++)
        for (int all = 0; all <= (store != 0); all++) {
            Plan p = make_start(s->e->choices, uses, axes, n, data, other, store, all);
            Score score;
            if (!search_try(s, &p, INFINITY, &score)) return false;
            s->n_starts++;
        }
    return true;
}

void search_starts(Search *s) {
    enum { MOST_DATA = 3 };
    AxisId axes[MESH_MAX_AXES];
    uint32_t n = 0, data[MOST_DATA] = {NO_ID, NO_ID, NO_ID}, n_data = data_classes(s->e->choices, data, MOST_DATA);
    for (uint32_t a = 0; a < MESH_MAX_AXES; a++)
        if (s->axes >> a & 1) axes[n++] = (AxisId)a;
    uint8_t uses[MESH_MAX_AXES] = {0};
    // First what needs least memory, so that a short search has something that fits.
    for (uint32_t i = 0; i < n; i++) uses[i] = USE_DATA;
    if (!try_stores(s, uses, axes, n, data[0], data[1])) return;
    if (n > 1) uses[1] = USE_WEIGHTS_AND_RESIDUAL;
    if (!try_stores(s, uses, axes, n, data[0], data[1])) return;
    memset(uses, 0, sizeof uses);
    for (;;) {
        bool any_data = memchr(uses, USE_DATA, n) != NULL;
        for (uint32_t d = 0; d == 0 || (d < n_data && any_data); d++)
            if (!try_stores(s, uses, axes, n, data[d], data[d == 0])) return;
        // Count up in base N_USES; axes beyond the first few are left to greedy completion.
        uint32_t at = 0;
        while (at < n && at < 3 && ++uses[at] == N_USES) uses[at++] = 0;
        if (at == n || at == 3) return;
    }
}
