// Choices: groups colours into classes by the arguments that have them, and applies a choice to a state.
#include "auto/choice.h"
#include "auto/inner.h"
#include "support/sort.h"

// ---- Classes --------------------------------------------------------------------------------------------------------

// A dimension of an argument, under its colour.
typedef struct ColouredDim {
    uint32_t colour;
    uint64_t look; // what the argument looks like: type, role, dimension
    Seed seed;
    double bytes;
    int64_t size;
    uint8_t role;
} ColouredDim;

static bool is_before_by_colour(const ColouredDim *x, const ColouredDim *y) {
    return x->colour != y->colour ? x->colour < y->colour : x->look < y->look;
}
DEFINE_SORT(sort_by_colour, ColouredDim, is_before_by_colour)

// The dimensions of one colour.
typedef struct ColourRange {
    const ColouredDim *at;
    uint32_t n;
} ColourRange;

static int compare_looks(const ColourRange *x, const ColourRange *y) {
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->at[i].look != y->at[i].look) return x->at[i].look < y->at[i].look ? -1 : 1;
    return 0;
}

static bool is_before_by_looks(const ColourRange *x, const ColourRange *y) {
    int order = compare_looks(x, y);
    return order ? order < 0 : x->at < y->at;
}
DEFINE_SORT(sort_by_looks, ColourRange, is_before_by_looks)

static bool is_larger_class(const Class *x, const Class *y) {
    return x->bytes != y->bytes ? x->bytes > y->bytes : x->first < y->first;
}
DEFINE_SORT(sort_classes, Class, is_larger_class)

static void add_class(Choices *c, const ColourRange *ranges, uint32_t n, Arena *a) {
    Class k = {.first = c->seeds.n, .first_colour = c->colours.n, .n_colours = n};
    for (uint32_t i = 0; i < n; i++) vec_push(a, &c->colours, ranges[i].at->colour);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < ranges[i].n; j++) {
            const ColouredDim *d = &ranges[i].at[j];
            vec_push(a, &c->seeds, d->seed);
            k.data |= d->role == ROLE_DATA;
            k.weight |= d->role == ROLE_WEIGHT;
            if (d->role == ROLE_WEIGHT) k.bytes += d->bytes;
            if (d->role != ROLE_DATA) continue;
            if (k.data_bytes == 0 || d->seed.dim < k.data_dim) k.data_dim = d->seed.dim, k.data_size = d->size;
            k.data_bytes += d->bytes;
        }
    k.n = c->seeds.n - k.first;
    vec_push(a, &c->classes, k);
}

static void find_choice_classes(Choices *c, const Graph *g, const Targets *targets, const bool *left_alone,
                                const uint8_t *roles, const Colours *colours, Arena *a) {
    VEC(ColouredDim) dims = {0};
    for (uint32_t i = 0; i < g->n_arguments; i++) { // the first targets are the arguments
        const Target *t = &targets->at[i];
        const Type *type = type_get(g->m, t->type);
        if (type->kind != TYPE_TENSOR || left_alone[i]) continue;
        for (uint32_t d = 0; d < type->rank; d++) {
            if (type->dims[d] <= 1) continue;
            uint64_t look = ((uint64_t)t->type << 16) + d * 4 + roles[i];
            ColouredDim dim = {colour_of(colours, t->value, d), look, {i, (int16_t)d}, type->bytes, type->dims[d], roles[i]};
            vec_push(a, &dims, dim);
        }
    }
    sort_by_colour(dims.at, dims.n, a);
    VEC(ColourRange) ranges = {0};
    for (uint32_t i = 0, j; i < dims.n; i = j) {
        for (j = i; j < dims.n && dims.at[j].colour == dims.at[i].colour;) j++;
        vec_push(a, &ranges, ((ColourRange){dims.at + i, j - i}));
    }
    sort_by_looks(ranges.at, ranges.n, a);
    for (uint32_t i = 0, j; i < ranges.n; i = j) {
        for (j = i; j < ranges.n && compare_looks(&ranges.at[j], &ranges.at[i]) == 0;) j++;
        add_class(c, ranges.at + i, j - i, a);
    }
    sort_classes(c->classes.at, c->classes.n, a);
}

// ---- Choices --------------------------------------------------------------------------------------------------------

static void add_choice(Choices *c, ChoiceKind kind, AxisSet axes, uint32_t of, uint32_t first, Arena *a) {
    for (uint32_t axis = 0; axis < MESH_MAX_AXES; axis++)
        if (axes >> axis & 1) {
            Choice choice = {.kind = kind, .axis = (AxisId)axis, .of = of, .first = first, .n = c->seeds.n - first};
            vec_push(a, &c->at, choice);
        }
}

// Of the state that is stored in chunks: whether it is more than that of rank 2 and above.
static bool add_stored(Choices *c, const Graph *g, const Targets *targets, const bool *left_alone, const uint8_t *roles,
                       ChoiceKind kind, uint32_t of, Arena *a) {
    bool others = false;
    for (uint32_t i = 0; i < g->n_arguments; i++) {
        uint32_t rank = type_get(g->m, targets->at[i].type)->rank;
        if (left_alone[i] || roles[i] == ROLE_DATA || rank == 0) continue;
        others |= rank == 1;
        if (rank == 1 && of == STATE_TENSORS) continue;
        bool whole = kind == CHOICE_STORE_2 && roles[i] == ROLE_WEIGHT;
        vec_push(a, &c->seeds, ((Seed){i, whole ? SEED_ATOMIC : SEED_FIRST}));
    }
    return others;
}

// Storing state in chunks.
static void add_stores(Choices *c, const Graph *g, const Targets *targets, const bool *left_alone, const uint8_t *roles,
                       AxisSet axes, Arena *a) {
    bool optimizer = false, weights = false;
    for (uint32_t i = 0; i < g->n_arguments; i++)
        optimizer |= roles[i] == ROLE_OPTIMIZER, weights |= roles[i] == ROLE_WEIGHT;
    if (!weights) return;
    for (ChoiceKind kind = CHOICE_STORE_2; kind <= CHOICE_STORE_3; kind++) {
        if (kind == CHOICE_STORE_2 && !optimizer) continue;
        bool others = true;
        for (uint32_t of = STATE_TENSORS; of <= STATE_ALL && others; of++) {
            uint32_t first = c->seeds.n;
            others = add_stored(c, g, targets, left_alone, roles, kind, of, a);
            if (c->seeds.n > first) add_choice(c, kind, axes, of, first, a);
        }
    }
}

static uint32_t class_of_colour(const Choices *c, uint32_t colour) {
    for (uint32_t k = 0; k < c->classes.n; k++)
        for (uint32_t i = 0; i < c->classes.at[k].n_colours; i++)
            if (c->colours.at[c->classes.at[k].first_colour + i] == colour) return k;
    return NO_ID;
}

// Conflicts of a dimension with itself: which of the two it is.
static void add_inners(Choices *c, const Graph *g, const Targets *targets, const bool *left_alone, const Colours *colours,
                       AxisSet axes, Arena *a) {
    Inners inners = inners_find(g, colours, targets, left_alone, a);
    for (uint32_t i = 0; i < inners.n; i++) {
        const Inner *inner = &inners.at[i];
        uint32_t class = class_of_colour(c, inner->colour);
        if (class == NO_ID) continue;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t first = c->seeds.n;
            for (uint32_t t = 0; t < inner->n; t++) vec_push(a, &c->seeds, ((Seed){inner->targets[t], inner->dims[k]}));
            add_choice(c, CHOICE_INNER, axes, class, first, a);
        }
    }
}

Choices choices_find(const Graph *g, const Targets *targets, const bool *left_alone, AxisSet axes, Arena *a) {
    Choices c = {0};
    const uint8_t *roles = roles_find(g, a);
    Colours colours = colours_find(g, a);
    find_choice_classes(&c, g, targets, left_alone, roles, &colours, a);
    for (uint32_t k = 0; k < c.classes.n; k++) {
        const Class *class = &c.classes.at[k];
        for (uint32_t axis = 0; axis < MESH_MAX_AXES; axis++)
            if (axes >> axis & 1) {
                Choice choice = {.axis = (AxisId)axis, .of = k, .first = class->first, .n = class->n};
                vec_push(a, &c.at, choice);
            }
    }
    add_stores(&c, g, targets, left_alone, roles, axes, a);
    add_inners(&c, g, targets, left_alone, &colours, axes, a);
    return c;
}

Choice choice_of_tactic(Choices *c, const Graph *g, const Targets *targets, const AxisId *axes, const Tactic *t,
                        Arena *a) {
    Choice choice = {.kind = CHOICE_TACTIC,
                     .axis = axes[0],
                     .n_more = t->n_axes - 1,
                     .more = axes + 1,
                     .strict = true,
                     .of = NO_ID,
                     .first = c->seeds.n};
    for (uint32_t i = 0; i < targets->n; i++) {
        const Type *type = type_get(g->m, targets->at[i].type);
        const TacticLine *line = NULL; // the last one that matches wins
        for (uint32_t k = 0; k < t->n_lines; k++)
            if ((i < targets->n_without_locations || line_names_location(&t->lines[k])) &&
                line_accepts(&t->lines[k], targets->at[i].name, type)) line = &t->lines[k];
        if (!line || line->value == LINE_UNKNOWN) continue;
        int64_t dim = line->value == LINE_FIRST_DIVISIBLE ? SEED_FIRST
                      : line->value == LINE_REPLICATED    ? SEED_ATOMIC
                      : line->dim < 0                     ? line->dim + type->rank
                                                          : line->dim;
        if (line->value == LINE_DIM && (dim < 0 || dim >= type->rank)) continue; // an error when it is the tactic's turn
        vec_push(a, &c->seeds, ((Seed){i, (int16_t)dim}));
    }
    choice.n = c->seeds.n - choice.first;
    return choice;
}

uint32_t choice_on_axis(const Choices *c, uint32_t choice, AxisId axis) {
    const Choice *x = &c->at.at[choice];
    for (uint32_t i = 0; i < c->at.n; i++) {
        const Choice *y = &c->at.at[i];
        if (y->kind == x->kind && y->of == x->of && y->first == x->first && y->axis == axis) return i;
    }
    return NO_ID;
}

// ---- Taking ---------------------------------------------------------------------------------------------------------

static AxisId choice_axis(const Choice *c, uint32_t k) { return k == 0 ? c->axis : c->more[k - 1]; }

// By all axes of the choice, or by none.
static bool tile_site_by_all(State *s, const Site *p, const Choice *c, uint32_t dim) {
    uint32_t mark = state_mark(s);
    for (uint32_t k = 0; k <= c->n_more; k++) {
        AxisId axis = choice_axis(c, k);
        if (state_tiled_dim(s, p->node, p->tensor, axis) == (int)dim) continue;
        if (action_tile(s, p->node, p->tensor, dim, axis) == ACTION_OK) continue;
        state_undo(s, mark);
        return false;
    }
    return true;
}

// The dimension that was tiled, or -1.
static int tile_first(State *s, const Site *p, const Choice *c) {
    uint32_t rank = rule_rank(s->g->nodes[p->node].rule, p->tensor);
    for (uint32_t k = 0; k <= c->n_more; k++)
        if (state_factor(s, p->node, choice_axis(c, k)) != NO_FACTOR) return -1;
    for (uint32_t d = 0; d < rank; d++)
        if (!(d < 64 && (p->indexed >> d & 1)) && tile_site_by_all(s, p, c, d)) return (int)d;
    return -1;
}

static bool make_atomic(State *s, const Site *p, const Choice *c) {
    for (uint32_t k = 0; k <= c->n_more; k++)
        if (state_tiled_dim(s, p->node, p->tensor, choice_axis(c, k)) >= 0) return false;
    for (uint32_t k = 0; k <= c->n_more; k++) action_atomic(s, p->value, choice_axis(c, k));
    return true;
}

Taken choice_take(State *s, const Site *sites, const Choices *c, const Choice *choice, DoneList *done, Arena *a) {
    uint32_t mark = state_mark(s);
    for (uint32_t i = 0; i < choice->n; i++) {
        Seed seed = c->seeds.at[choice->first + i];
        const Site *p = &sites[seed.target];
        if (p->node == NO_ID) continue;
        uint32_t before = state_mark(s);
        int dim = seed.dim == SEED_FIRST ? tile_first(s, p, choice) : seed.dim;
        bool ok = seed.dim == SEED_FIRST    ? true // a value without one stays as it is
                  : seed.dim == SEED_ATOMIC ? make_atomic(s, p, choice)
                                            : tile_site_by_all(s, p, choice, (uint32_t)dim);
        if (!ok && choice->strict) {
            state_undo(s, mark);
            return TAKEN_ILLEGAL;
        }
        if (state_mark(s) != before && done) vec_push(a, done, ((Done){seed.target, (int16_t)dim}));
    }
    if (state_mark(s) == mark) return TAKEN_NOTHING;
    for (uint32_t k = 0; k <= choice->n_more; k++) propagate(s, mark, choice_axis(choice, k));
    return TAKEN;
}
