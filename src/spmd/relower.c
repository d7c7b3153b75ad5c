// Relowering: one walk over the source program, as in lowering, that follows two programs: the base as it was recorded, and
// the new one. An op is kept if its nests have not changed and its inputs are the same in both programs, up to the numbers of
// values: its operands, their distributions, the slices of them that exist already, and the coordinates of the device. Then
// lowering it would give the same ops.
//
// The module is the base's. New ops are appended to its arrays and linked into their regions, and uses of a replaced value
// are changed to the new one. The next trial undoes all of this.
#include "spmd/relower.h"
#include "spmd/relower_base.h"
#include "spmd/type_check.h"

enum { MOST_TRIALS = 1000 }; // of one base: what they leave in the module's tables is given back with it

// ---- Keeping ---------------------------------------------------------------------------------------------------------

// The last op from `from` on that stands in the region itself.
static OpId last_of_region(const Module *m, uint32_t from, uint32_t to, RegionId region) {
    while (to > from && m->ops.at[to - 1].parent != region) to--;
    return to - 1;
}

// The run of ops that are kept comes next.
static void keep_run(Base *r, Lowering *l) {
    if (r->first == NO_ID) return;
    Module *out = l->out;
    const RecordExtent *from = &r->record.from[r->first], *to = &r->record.to[r->last];
    r->first = NO_ID;
    relower_replay(r, from->events, to->events);
    if (from->ops == to->ops) return;
    Region *region = &out->regions.at[l->into];
    OpId last = last_of_region(out, from->ops, to->ops, l->into);
    *(region->last == NO_ID ? &region->first : &out->ops.at[region->last].next) = from->ops;
    region->last = last;
    vec_push(&r->arena, &r->relinked, ((OldLink){last, out->ops.at[last].next}));
    out->ops.at[last].next = NO_ID;
}

// What the base has for the op is no longer there.
static void let_go(Base *r, OpId op) {
    const RecordExtent *from = &r->record.from[op], *to = &r->record.to[op];
    vec_push(&r->arena, &r->gone, *from);
    vec_push(&r->arena, &r->gone, *to);
    memset(r->is_gone + from->ops, 1, to->ops - from->ops);
    memset(r->now + from->values, 0xff, (to->values - from->values) * sizeof *r->now);
}

// Those that are kept read what stands for the values that are gone.
static void read_anew(Base *r, Module *out) {
    for (uint32_t i = 0; i < r->gone.n; i += 2)
        for (ValueId v = r->gone.at[i].values; v < r->gone.at[i + 1].values; v++) {
            if (r->now[v] == NO_ID) continue;
            for (uint32_t u = r->readers.first[v]; u < r->readers.first[v + 1]; u++) {
                const Use *use = &r->readers.at[u];
                if (r->is_gone[use->op]) continue;
                uint32_t at = op_get(out, use->op)->first_operand + use->operand;
                vec_push(&r->arena, &r->reread, ((struct Reread){at, v}));
                out->operands.at[at] = r->now[v];
            }
        }
}

// ---- The walk -------------------------------------------------------------------------------------------------------

static void compare_operands(Base *r, const Lowering *l, OpId op) {
    for (uint32_t i = 0; i < op_get(l->src, op)->n_operands; i++) relower_compare(r, l, rule_operand(l->src, op, i));
}

void relower_region_begin(Lowering *l, RegionId from) {
    Base *r = l->base;
    const Region *region = &l->src->regions.at[from];
    OpId holder = region->parent;
    if (r->record.region[from] != l->into) {
        r->now_region[r->record.region[from]] = l->into;
        vec_push(&r->arena, &r->made, r->record.region[from]);
    }
    if (op_kind(l->src, holder) != OP_func_func && op_region(l->src, holder, 0) == from) { // it has what it starts from
        relower_replay(r, r->record.from[holder].events, r->record.from[region->first].events);
        compare_operands(r, l, holder);
        relower_compare_axes(r, l);
    }
    for (uint32_t i = 0; i < region->n_args; i++) {
        l->cached[region->first_arg + i] = (CachedUse){0};
        relower_compare(r, l, region->first_arg + i);
    }
}

void relower_region_end(Lowering *l) { keep_run(l->base, l); }

bool relower_op(Lowering *l, OpId op) {
    Base *r = l->base;
    bool moved = r->record.region[op_get(l->src, op)->parent] != l->into; // the op that holds it is lowered again
    if (!moved && relower_can_keep(r, op)) {
        if (r->first == NO_ID) r->first = op;
        r->last = op;
        return true;
    }
    keep_run(r, l);
    if (!moved) let_go(r, op);
    const Op *o = op_get(l->src, op);
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = rule_operand(l->src, op, i), forms[MOST_FORMS];
        relower_refresh(r, l, v);
        for (uint32_t k = smaller_forms(l->src, v, forms); k-- > 0;) relower_refresh(r, l, forms[k]);
    }
    for (uint32_t i = 0; i < o->n_results; i++) {
        l->value[o->first_result + i] = NO_ID;
        l->dist[o->first_result + i] = NULL;
        l->cached[o->first_result + i] = (CachedUse){0};
    }
    relower_refresh_axes(r, l);
    r->n_lowered++;
    if (!lower_any(l, op)) return false;
    if (!runs_regions((OpKind)o->kind)) { // otherwise the ops inside have looked after it
        relower_replay(r, r->record.from[op].events, r->record.to[op].events);
        compare_operands(r, l, op);
        relower_compare_axes(r, l);
    }
    for (uint32_t i = 0; i < o->n_results; i++) relower_compare(r, l, o->first_result + i);
    return true;
}

// ---- The base -------------------------------------------------------------------------------------------------------

static void prepare_trials(Base *r) {
    const Module *src = r->base.src;
    const Module *out = r->base.out;
    Arena *a = &r->arena;
    r->size = (RecordExtent){.ops = out->ops.n,
                             .values = out->values.n,
                             .operands = out->operands.n,
                             .attrs = out->op_attrs.n,
                             .regions = out->regions.n,
                             .op_regions = out->op_regions.n};
    r->func = module_main(out);
    r->body = out->regions.at[op_region(out, r->func, 0)];
    r->n_permutes = r->result->n_permutes;
    r->uses = uses_build(src, a);
    r->readers = uses_build(out, a);
    r->cached = arena_new(a, CachedUse, src->values.n);
    r->changed = arena_alloc(a, src->values.n);
    r->touched = arena_alloc(a, src->ops.n);
    r->now = arena_new(a, ValueId, out->values.n);
    for (ValueId v = 0; v < out->values.n; v++) r->now[v] = v;
    r->now_region = arena_new(a, RegionId, out->regions.n);
    for (RegionId k = 0; k < out->regions.n; k++) r->now_region[k] = k;
    r->is_gone = arena_zalloc(a, out->ops.n);
    r->trial = r->base;
    r->trial.base = r;
    r->trial.cached = arena_new(a, CachedUse, src->values.n);
    r->trial.value = arena_new(a, ValueId, src->values.n);
    r->trial.dist = arena_new(a, const Dist *, src->values.n);
}

static void free_base(Base *r) {
    if (!r) return;
    lowered_free(r->result);
    lowered_free(r->from_new);
    Arena arena;
    arena_move(&arena, &r->arena);
    arena_free(&arena);
}

static Base *lower_base(const State *s, const LowerOptions *options) {
    Context *ctx = s->g->m->ctx;
    Arena arena, scratch;
    arena_init(&arena, ctx);
    Base *r = arena_zalloc(&arena, sizeof *r);
    arena_move(&r->arena, &arena);
    size_t slots = (size_t)s->g->n_nodes * s->depth;
    r->parts = state_parts(s);
    r->at = r->parts ? *state_cut(s, NULL, 0, &r->arena) : *s;
    if (!r->parts) {
        r->at.nest = memcpy(arena_new(&r->arena, NestEntry, slots), s->nest, slots * sizeof *s->nest);
        r->at.nest_n = memcpy(arena_alloc(&r->arena, s->g->n_nodes), s->nest_n, s->g->n_nodes);
        r->at.uses = arena_zalloc(&r->arena, MESH_MAX_AXES * sizeof *r->at.uses);
    }
    record_init(&r->record, s->g->m, &r->arena);
    size_t n_entries = (size_t)s->g->n_arguments + s->g->n_results;
    SignatureEntry *entries = arena_zalloc(&r->arena, n_entries * sizeof *entries);
    arena_init(&scratch, ctx);
    r->result = lowering_begin(&r->base, &r->at, options, &(BorderList){0}, &r->arena, &scratch);
    r->base.record = &r->record;
    r->base.signature = entries;
    bool ok = lower_main(&r->base, r->result);
    if (ok) {
        lowering_end(&r->base, r->result);
        ok = type_check(r->result, &r->at, &scratch);
    }
    arena_free(&scratch);
    r->base.record = NULL;
    r->has_borders = r->base.borders.n > 0;
    if (!ok) return free_base(r), NULL;
    prepare_trials(r);
    return r;
}

bool relowering_rebase(Relowering *r) {
    Base *base = lower_base(r->s, &r->options);
    if (!base) return false;
    free_base(r->base);
    r->base = base;
    return true;
}

bool relowering_init(Relowering *r, const State *s, const LowerOptions *options) {
    return *r = (Relowering){.s = s, .options = *options}, relowering_rebase(r);
}

void relowering_free(Relowering *r) {
    free_base(r->base);
    r->base = NULL;
}

// ---- A trial --------------------------------------------------------------------------------------------------------

// The module is the base again, but for what each trial writes: the types of @main's arguments, and its signature.
static void forget_trial(Base *r) {
    const Module *src = r->base.src;
    Module *out = r->base.out;
    Lowering *l = &r->trial;
    for (uint32_t i = 0; i < r->relinked.n; i++) out->ops.at[r->relinked.at[i].at].next = r->relinked.at[i].was;
    for (uint32_t i = 0; i < r->reread.n; i++) out->operands.at[r->reread.at[i].at] = r->reread.at[i].was;
    for (uint32_t i = 0; i < r->made.n; i++) r->now_region[r->made.at[i]] = r->made.at[i];
    for (uint32_t i = 0; i < r->gone.n; i += 2) {
        const RecordExtent *from = &r->gone.at[i], *to = from + 1;
        memset(r->is_gone + from->ops, 0, to->ops - from->ops);
        for (ValueId v = from->values; v < to->values; v++) r->now[v] = v;
    }
    r->relinked.n = r->reread.n = r->made.n = r->gone.n = 0;
    out->regions.at[op_region(out, r->func, 0)] = r->body;
    out->ops.n = l->out_origin.n = l->out_image.n = r->size.ops;
    out->values.n = l->out_dist.n = r->size.values;
    out->operands.n = r->size.operands;
    out->op_attrs.n = r->size.attrs;
    out->regions.n = r->size.regions;
    out->op_regions.n = r->size.op_regions;
    memset(r->cached, 0, src->values.n * sizeof *r->cached);
    memset(r->changed, 0, src->values.n);
    memset(r->touched, 0, src->ops.n);
    for (uint32_t a = 0; a < MESH_MAX_AXES; a++) r->axis[a] = (CachedUse){.value = NO_ID, .region = NO_ID};
    r->axes_changed = 0;
    r->first = NO_ID;
    r->n_lowered = 0;
}

OpId relower_main(Lowering *l) {
    Base *r = l->base;
    Region *body = &l->out->regions.at[op_region(l->out, r->func, 0)];
    body->first = body->last = NO_ID;
    return r->func;
}

static uint32_t count_permutes(const Module *m, OpId from, OpId to) {
    uint32_t n = 0;
    for (OpId op = from; op < to; op++) n += reorders_axes(m, op);
    return n;
}

static const Lowered *lower_from_base(Base *r, const State *s, Arena *scratch) {
    Lowering *l = &r->trial;
    forget_trial(r);
    l->s = s, l->a = scratch, l->origin = l->loc = NO_ID;
    l->borders = (BorderList){0};
    memset(l->axis_index_region, 0xff, sizeof l->axis_index_region);
    pending_analyse(&l->pending, s, scratch);
    relower_touch(r, s, &l->pending);
    if (!lower_main(l, r->result)) return NULL;
    read_anew(r, l->out);
    lowering_end(l, r->result);
    r->result->n_permutes = r->n_permutes + count_permutes(l->out, r->size.ops, l->out->ops.n);
    for (uint32_t i = 0; i < r->gone.n; i += 2)
        r->result->n_permutes -= count_permutes(l->out, r->gone.at[i].ops, r->gone.at[i + 1].ops);
    OpRange made[] = {{r->func, r->func + 1}, {r->size.ops, l->out->ops.n}};
    return type_check_ranges(r->result, s, made, 2, scratch) ? r->result : NULL;
}

// Where redistributions ask for axes to be cut further, the base is of no use: all ops name other axes.
static const Lowered *lower_from_new(Relowering *r, Arena *scratch) {
    lowered_free(r->base->from_new), r->base->from_new = NULL;
    Lowered *l = r->base->from_new = lower(r->s, &r->options, scratch);
    return l && type_check(l, r->s, scratch) ? l : NULL;
}

const Lowered *relower(Relowering *r, Arena *scratch) {
    AxisSet parts = state_parts(r->s);
    if (parts != r->base->parts && !relowering_rebase(r)) return NULL;
    if (r->base->n_trials++ == MOST_TRIALS) {
        Base *anew = lower_base(&r->base->at, &r->options);
        if (!anew) return NULL;
        anew->parts = parts;
        free_base(r->base);
        r->base = anew;
    }
    if (r->base->has_borders) return lower_from_new(r, scratch);
    const Lowered *l = lower_from_base(r->base, parts ? state_cut(r->s, NULL, 0, scratch) : r->s, scratch);
    return l && r->base->trial.borders.n ? lower_from_new(r, scratch) : l;
}
