// Layers: shifts repeated stretches until their copies begin where layers begin, then numbers the copies by what they read.
#include "auto/layers.h"

typedef struct LayerFinder {
    const Graph *g;
    const Module *m;
    Arena *a;
    Layers out;
    uint32_t *argument, *group; // what out will have
    uint32_t n_groups, n_families;
    VEC(uint32_t) family; // by layer
    ValueId first_arg;
    VEC(LayerPart) parts;
} LayerFinder;

static uint32_t argument_of(const LayerFinder *f, ValueId v) {
    const Value *val = &f->m->values.at[v];
    return val->is_arg && val->owner == f->g->body ? v - f->first_arg : NO_ID;
}

// The layer that an op speaks of by itself: that of an argument it reads, else that of an op in another stretch.
static uint32_t layer_read(const LayerFinder *f, uint32_t position, uint32_t part) {
    const Module *m = f->m;
    OpId op = f->out.ops[position];
    uint32_t other = NO_ID;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        uint32_t arg = argument_of(f, v);
        if (arg != NO_ID && f->argument[arg] != NO_ID) return f->argument[arg];
        if (arg != NO_ID || m->values.at[v].is_arg) continue;
        uint32_t at = f->out.number[m->values.at[v].owner];
        if (at != NO_ID && f->out.part[at] != part && f->out.part[at] < f->parts.n) other = layers_of(&f->out, at);
    }
    return other;
}

// ---- A new family ---------------------------------------------------------------------------------------------------

// How often the layer changes from one argument to the next, with layers as the copies of this stretch. UINT32_MAX if most
// copies have no argument of their own that is not known yet.
static uint32_t count_changes(const LayerFinder *f, const Stretch *s, uint32_t *layer) {
    const Module *m = f->m;
    for (uint32_t i = 0; i < f->g->n_arguments; i++) layer[i] = NO_ID;
    uint32_t named = 0, changes = 0, last = NO_ID;
    for (uint32_t p = 0; p < s->period * s->copies; p++) {
        OpId op = f->out.ops[s->start + p];
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
            uint32_t arg = argument_of(f, op_operand(m, op, i));
            if (arg == NO_ID || f->argument[arg] != NO_ID) continue;
            named += layer[arg] == NO_ID;
            layer[arg] = p / s->period;
        }
    }
    for (uint32_t i = 0; i < f->g->n_arguments; i++) {
        if (layer[i] == NO_ID) continue;
        changes += last != NO_ID && last != layer[i];
        last = layer[i];
    }
    return named < s->copies ? UINT32_MAX : changes;
}

// The stretch that begins later; the last copy stays if enough of one more follows.
static Stretch shifted(const Stretch *s, uint32_t shift) {
    return (Stretch){s->start + shift, s->period, s->copies - (shift > s->slack), 0};
}

static bool reads_argument(const LayerFinder *f, uint32_t position) {
    OpId op = f->out.ops[position];
    for (uint32_t i = 0; i < op_get(f->m, op)->n_operands; i++)
        if (argument_of(f, op_operand(f->m, op, i)) != NO_ID) return true;
    return false;
}

// The shift with which copies are layers; false if its copies read the same arguments, or none.
static bool align_first(const LayerFinder *f, Stretch *s) {
    uint32_t *layer = arena_new(f->a, uint32_t, f->g->n_arguments), least = UINT32_MAX;
    Stretch best = *s;
    for (uint32_t shift = 0; shift < s->period; shift++) {
        if (shift && !reads_argument(f, s->start + shift)) continue;
        Stretch t = shifted(s, shift);
        uint32_t changes = count_changes(f, &t, layer);
        if (changes < least) least = changes, best = t;
    }
    *s = best;
    return least != UINT32_MAX;
}

// ---- Others ---------------------------------------------------------------------------------------------------------

// The layer that most ops of a copy speak of, and how many speak of another.
static uint32_t layer_of_copy(const LayerFinder *f, const Stretch *s, uint32_t part, uint32_t copy, uint32_t *n_votes,
                              uint32_t *others) {
    uint32_t *votes = arena_zalloc(f->a, (f->out.n + 1) * sizeof *votes), best = NO_ID, n = 0;
    for (uint32_t p = 0; p < s->period; p++) {
        uint32_t layer = layer_read(f, s->start + copy * s->period + p, part);
        if (layer == NO_ID) continue;
        n++;
        if (++votes[layer] > (best == NO_ID ? 0 : votes[best])) best = layer;
    }
    *n_votes = best == NO_ID ? 0 : votes[best];
    *others += n - *n_votes;
    return best;
}

static void align_other(const LayerFinder *f, Stretch *s, uint32_t part) {
    uint32_t least = UINT32_MAX;
    Stretch best = *s;
    Arena scratch;
    arena_init(&scratch, f->m->ctx);
    LayerFinder g = *f;
    g.a = &scratch;
    for (uint32_t shift = 0; shift < s->period; shift++) {
        if (shift && layer_read(f, s->start + shift, part) == NO_ID) continue;
        Stretch t = shifted(s, shift);
        uint32_t others = 0, votes;
        for (uint32_t c = 0; c < t.copies; c++) layer_of_copy(&g, &t, part, c, &votes, &others);
        arena_reset(&scratch);
        if (others < least) least = others, best = t;
        if (least == 0) break;
    }
    arena_free(&scratch);
    *s = best;
}

// Arguments that a copy reads are of its layer. Those at the same place in other copies are its group.
static void name_arguments(LayerFinder *f, const LayerPart *part) {
    const Stretch *s = &part->at;
    for (uint32_t p = 0; p < s->period; p++) {
        OpId op = f->out.ops[s->start + p];
        for (uint32_t i = 0; i < op_get(f->m, op)->n_operands; i++) {
            uint32_t first = argument_of(f, op_operand(f->m, op, i));
            if (first == NO_ID) continue;
            bool shared = false; // by copies: no layer's own
            for (uint32_t c = 1; c < s->copies && !shared; c++)
                shared = argument_of(f, op_operand(f->m, f->out.ops[s->start + c * s->period + p], i)) == first;
            if (shared) continue;
            bool used = false;
            for (uint32_t c = 0; c < s->copies; c++) {
                uint32_t arg = argument_of(f, op_operand(f->m, f->out.ops[s->start + c * s->period + p], i));
                if (arg == NO_ID || f->argument[arg] != NO_ID || part->layer[c] == NO_ID) continue;
                f->argument[arg] = part->layer[c];
                f->group[arg] = f->n_groups;
                used = true;
            }
            f->n_groups += used;
        }
    }
}

// ---- All ------------------------------------------------------------------------------------------------------------

// Copies of few votes are strangers: a layer that differs, outside of the stretch that numbered the layers.
static uint32_t *number_copies(const LayerFinder *f, const Stretch *s, uint32_t part) {
    uint32_t *layer = arena_new(f->a, uint32_t, s->copies), *votes = arena_new(f->a, uint32_t, s->copies), most = 0;
    uint32_t unused = 0;
    for (uint32_t c = 0; c < s->copies; c++) {
        layer[c] = layer_of_copy(f, s, part, c, &votes[c], &unused);
        if (votes[c] > most) most = votes[c];
    }
    for (uint32_t c = 0; c < s->copies; c++)
        if (votes[c] * 2 <= most) layer[c] = NO_ID;
    return layer;
}

static void enter_part(LayerFinder *f, Stretch s, const uint32_t *layer) {
    LayerPart made = {s, layer};
    for (uint32_t p = 0; p < s.period * s.copies; p++) f->out.part[s.start + p] = f->parts.n;
    vec_push(f->a, &f->parts, made);
    f->out.parts = f->parts.at;
    name_arguments(f, &made);
}

static bool reads_known(const LayerFinder *f, const Stretch *s) {
    for (uint32_t p = 0; p < s->period * s->copies; p++)
        if (layer_read(f, s->start + p, NO_ID) != NO_ID) return true;
    return false;
}

static void add_family(LayerFinder *f, Stretch s) {
    if (!align_first(f, &s)) return;
    uint32_t *layer = arena_new(f->a, uint32_t, s.copies);
    for (uint32_t c = 0; c < s.copies; c++) {
        layer[c] = f->out.n++;
        vec_push(f->a, &f->family, f->n_families);
    }
    f->n_families++;
    enter_part(f, s, layer);
}

// The longest stretch first: it numbers the layers. Then all others in program order.
static void number_stretches(LayerFinder *f, const Stretches *found) {
    uint32_t main = NO_ID;
    uint64_t longest = 0;
    for (uint32_t i = 0; i < found->n; i++) {
        Stretch s = found->at[i];
        uint64_t covers = (uint64_t)s.copies * s.period;
        if (covers > longest && align_first(f, &s)) longest = covers, main = i;
    }
    if (main == NO_ID) return;
    add_family(f, found->at[main]);
    for (uint32_t i = 0; i < found->n; i++) {
        Stretch s = found->at[i];
        if (i == main) continue;
        if (!reads_known(f, &s)) {
            add_family(f, s);
        } else {
            align_other(f, &s, f->parts.n);
            enter_part(f, s, number_copies(f, &s, f->parts.n));
        }
    }
}

// Arguments that only few layers have one of: those layers stay, since nothing could stand in for what they read.
static void keep_rare(const LayerFinder *f, bool *removable) {
    uint32_t n = f->g->n_arguments, *members = arena_zalloc(f->a, (f->n_groups + 1) * sizeof *members);
    uint32_t *last = arena_new(f->a, uint32_t, f->n_groups + 1), *size = arena_zalloc(f->a, f->out.n * sizeof *size);
    memset(last, 0xff, (f->n_groups + 1) * sizeof *last);
    for (uint32_t i = 0; i < f->out.n; i++) size[f->family.at[i]]++;
    for (uint32_t i = 0; i < n; i++) {
        if (f->argument[i] == NO_ID) continue;
        members[f->group[i]] += last[f->group[i]] != f->argument[i];
        last[f->group[i]] = f->argument[i];
    }
    for (uint32_t i = 0; i < n; i++)
        if (f->argument[i] != NO_ID && 2 * members[f->group[i]] < size[f->family.at[f->argument[i]]])
            removable[f->argument[i]] = false;
}

// Layers that have fewer ops or arguments than most of their family, as the first and the last may: without one of them a program
// is not smaller by as much as without another.
static void keep_odd(const LayerFinder *f, bool *removable) {
    uint32_t n = f->out.n, *size = arena_zalloc(f->a, n * sizeof *size);
    for (uint32_t p = 0; p < f->out.n_ops; p++)
        if (layers_of(&f->out, p) != NO_ID) size[layers_of(&f->out, p)]++;
    for (uint32_t i = 0; i < f->g->n_arguments; i++)
        if (f->argument[i] != NO_ID) size[f->argument[i]] += f->out.n_ops; // more than all ops
    for (uint32_t i = 0; i < n; i++) {
        uint32_t same = 0, all = 0;
        for (uint32_t k = 0; k < n; k++) {
            if (f->family.at[k] != f->family.at[i]) continue;
            same += size[k] == size[i];
            all++;
        }
        if (2 * same < all) removable[i] = false;
    }
}

static void find_removable(LayerFinder *f) {
    bool *removable = arena_alloc(f->a, f->out.n);
    memset(removable, true, f->out.n);
    keep_rare(f, removable);
    keep_odd(f, removable);
    for (uint32_t p = 0; p < f->out.n_ops; p++) {
        if (layers_of(&f->out, p) != NO_ID) continue;
        OpId op = f->out.ops[p];
        if (op_kind(f->m, op) == OP_func_return || op_kind(f->m, op) == OP_return) continue;
        for (uint32_t i = 0; i < op_get(f->m, op)->n_operands; i++) {
            uint32_t arg = argument_of(f, op_operand(f->m, op, i));
            if (arg != NO_ID && f->argument[arg] != NO_ID) removable[f->argument[arg]] = false;
        }
    }
    f->out.removable = removable;
}

Layers layers_find(const Graph *g, Arena *a) {
    const Module *m = g->m;
    LayerFinder f = {.g = g, .m = m, .a = a, .first_arg = m->regions.at[g->body].first_arg};
    VEC(OpId) ops = {0};
    for (OpId op = m->regions.at[g->body].first; op != NO_ID; op = op_get(m, op)->next) vec_push(a, &ops, op);
    uint64_t *prints = arena_new(a, uint64_t, ops.n);
    f.out.ops = ops.at;
    f.out.n_ops = ops.n;
    f.out.number = arena_new(a, uint32_t, m->ops.n);
    f.out.part = arena_new(a, uint32_t, ops.n);
    memset(f.out.number, 0xff, m->ops.n * sizeof *f.out.number);
    memset(f.out.part, 0xff, ops.n * sizeof *f.out.part);
    for (uint32_t i = 0; i < ops.n; i++) prints[i] = op_fingerprint(m, ops.at[i]), f.out.number[ops.at[i]] = i;
    f.argument = arena_new(a, uint32_t, g->n_arguments);
    f.group = arena_new(a, uint32_t, g->n_arguments);
    memset(f.argument, 0xff, g->n_arguments * sizeof *f.argument);
    memset(f.group, 0xff, g->n_arguments * sizeof *f.group);
    Stretches found = repeats_find(prints, ops.n, a);
    number_stretches(&f, &found);
    f.out.n_parts = f.parts.n;
    f.out.family = f.family.at;
    f.out.argument = f.argument;
    f.out.group = f.group;
    if (f.out.n) find_removable(&f);
    return f.out;
}

uint32_t layers_removable(const Layers *l) {
    uint32_t least = 0, first = 0;
    for (uint32_t family = 0, i = 0; i < l->n; family++) { // layers stand by family
        uint32_t removable = 0;
        for (; i < l->n && l->family[i] == family; i++) removable += l->removable[i];
        if (family == 0) least = first = removable;
        if (2 * removable >= first && removable < least) least = removable;
    }
    return least;
}
