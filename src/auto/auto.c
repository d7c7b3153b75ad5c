// Automatic tactics: runs the steps of auto.h.
#include "auto/auto.h"
#include "auto/confirm.h"
#include "auto/describe.h"
#include "auto/fold.h"
#include "auto/lines.h"
#include "support/bytes.h"
#include <math.h>

enum { DEFAULT_BUDGET_MS = 1000, FRONT_MOST = 12, FOLD_STEP = 2, FOLD_MOST = 6 };
// Folded programs that together have more of the whole one's nodes than this are not worth it.
#define FOLD_WORTH 0.7
#define FOLD_ERROR 0.05 // of a step's time: what a few layers rule out is not worth it if they say something quite different

typedef struct Auto {
    Partition *p;
    const Tactic *t;
    const Source *source;
    const Device *device;
    AxisSet axes;
    const Site *sites;
    Choices choices;
    Evaluator e;
    bool is_folded;
    Folded folded[2];
    Search search;
} Auto;

#define AUTO_NAME(x) (int)(x)->t->name.text.n, (x)->t->name.text.at

// ---- What is asked ----------------------------------------------------------------------------------------------------

// Where the whole program has its targets.
static const Site *sites_of(const Targets *targets, Arena *a) {
    Site *sites = arena_new(a, Site, targets->n);
    for (uint32_t i = 0; i < targets->n; i++) {
        const Target *t = &targets->at[i];
        sites[i] = (Site){t->node, t->tensor, t->value, targets->indexed[i]};
    }
    return sites;
}

static bool find_auto_axes(Auto *x) {
    Partition *p = x->p;
    AxisId *at = arena_new(&p->scratch, AxisId, x->t->n_axes);
    if (!tactic_axes(&p->mesh, x->t, x->source, p->ctx, &p->scratch, at)) return false;
    for (uint32_t i = 0; i < x->t->n_axes; i++) x->axes |= (AxisSet)1 << at[i];
    return true;
}

// What `leave` lines name.
static bool *find_left_alone(const Auto *x) {
    const Targets *targets = &x->p->targets;
    bool *left_alone = arena_zalloc(&x->p->scratch, targets->n);
    for (uint32_t k = 0; k < x->t->n_leave; k++) {
        uint32_t matched = 0;
        Word pattern = x->t->leave[k];
        for (uint32_t i = 0; i < targets->n; i++)
            if (pattern_match(pattern.text, targets->at[i].name)) left_alone[i] = true, matched++;
        if (!matched)
            diag_warning(x->p->ctx, x->source, pattern.offset, LISTS_NAMES,
                         "auto %.*s: the pattern %.*s matches no argument, result or tag", AUTO_NAME(x),
                         (int)pattern.text.n, pattern.text.at);
    }
    return left_alone;
}

static double memory_limit(const Auto *x) {
    return (double)(x->t->memory_bytes ? x->t->memory_bytes : x->device->memory);
}

// An axis on which nothing can be tiled is left alone, with a word about it.
static void check_axes(Auto *x) {
    State *s = &x->p->state;
    for (uint32_t axis = 0; axis < x->p->mesh.n_axes; axis++) {
        bool any = !(x->axes >> axis & 1), used = false;
        for (uint32_t i = 0; i < x->choices.at.n && !any; i++) {
            const Choice *choice = &x->choices.at.at[i];
            uint32_t mark = state_mark(s);
            any = choice->axis == axis && choice_take(s, x->sites, &x->choices, choice, NULL, NULL) == TAKEN;
            state_undo(s, mark);
        }
        for (uint32_t i = 0; i < x->p->graph.n_arguments && !any; i++)
            used |= state_factor(s, x->p->graph.argument_node[i], (AxisId)axis) != NO_FACTOR;
        Span name = x->p->mesh.axes[axis].name;
        if (!any)
            diag_warning(x->p->ctx, x->source, x->t->name.offset,
                         used ? "earlier tactics use it up" : "no dimension of an argument divides by its size",
                         "auto %.*s: no argument can be tiled on axis \"%.*s\"; it is left alone", AUTO_NAME(x),
                         (int)name.n, name.at);
    }
}

static bool check_question(const Auto *x) {
    const Partition *p = x->p;
    if (device_links(x->device) == 0)
        return diag_error(p->ctx, x->source, x->t->name.offset, "give the device file a link",
                          "auto %.*s: device %s has no links, so that communication cannot be judged", AUTO_NAME(x),
                          x->device->name);
    double bytes = 0;
    ValueId first = p->m->regions.at[p->graph.body].first_arg;
    for (uint32_t i = 0; i < p->graph.n_arguments; i++) bytes += value_tensor(p->m, first + i)->bytes;
    bytes /= (double)p->mesh.n_devices;
    if (bytes <= memory_limit(x)) return true;
    char limit[32], needed[32];
    bytes_text(memory_limit(x), 1, limit);
    bytes_text(bytes, 1, needed);
    return diag_error(p->ctx, x->source, x->t->name.offset, "more memory, or more devices",
                      "auto %.*s: %s are not enough: split over all %lld devices the arguments alone take %s on each",
                      AUTO_NAME(x), limit, (long long)p->mesh.n_devices, needed);
}

// ---- Folding ----------------------------------------------------------------------------------------------------------

// A choice of each kind on an axis, as far as there is one: data, the largest class of weights, storing in chunks.
static void add_first(const Choices *c, AxisSet axes, ChoiceKind kind, bool data, Plan *plan) {
    for (uint32_t i = 0; i < c->at.n; i++) {
        const Choice *x = &c->at.at[i];
        if (!(axes >> x->axis & 1) || x->kind != kind) continue;
        if (kind == CHOICE_CLASS && c->classes.at[x->of].data != data) continue;
        plan->at[plan->n++] = (uint16_t)i;
        return;
    }
}

// Plans of several kinds, on each of which a few layers must say about what the whole program does.
static bool fold_agrees(Auto *x) {
    AxisSet first = x->axes & (~x->axes + 1), rest = x->axes & ~first;
    Plan plans[3] = {0};
    for (uint32_t k = 0; k < 3; k++) {
        add_first(&x->choices, first, CHOICE_CLASS, true, &plans[k]);
        if (k == 1) add_first(&x->choices, rest, CHOICE_CLASS, false, &plans[k]);
        if (k > 0) add_first(&x->choices, first, CHOICE_STORE_3, false, &plans[k]);
    }
    Evaluator whole;
    evaluator_init(&whole, x->p->ctx, x->device);
    whole.lower = x->e.lower, whole.choices = x->e.choices, whole.after = x->e.after, whole.n_after = x->e.n_after;
    whole.gathers_decided = x->e.gathers_decided;
    evaluator_add_whole(&whole, &x->p->state, x->sites);
    bool agrees = true;
    for (uint32_t k = 0; k < 3; k++) {
        StateHash unused;
        Score a = evaluate(&whole, &plans[k], INFINITY, &unused), b = evaluate(&x->e, &plans[k], INFINITY, &unused);
        agrees &= a.possible == b.possible && fabs(a.seconds - b.seconds) <= FOLD_ERROR * a.seconds;
        if (a.complete && b.complete) compare_whole(&x->e, &b, &a);
    }
    evaluator_rewind(&whole);
    evaluator_rewind(&x->e);
    evaluator_free(&whole);
    x->e.n_evaluated = 0; // a budget is for the search
    return agrees;
}

// Two programs, of `kept` and of `kept + FOLD_STEP` layers of those that can be removed. Two more at a time, since layouts may
// alternate from layer to layer.
static bool fold_with(Auto *x, const Layers *layers, uint32_t removable, uint32_t kept) {
    Partition *p = x->p;
    const Schedule *s = p->schedule;
    uint32_t most = removable - kept, nodes = 0;
    for (uint32_t k = 0; k < 2; k++) {
        if (!fold_program(layers, &p->state, &p->targets, s->rules, s->n_rules, most - FOLD_STEP * k, most, &x->folded[k],
                          &p->scratch)) {
            if (k > 0) folded_free(&x->folded[0]);
            return false;
        }
        nodes += x->folded[k].graph.n_nodes;
    }
    for (uint32_t k = 0; k < 2; k++) evaluator_add(&x->e, &x->folded[k]);
    x->e.more = (double)(most - FOLD_STEP) / FOLD_STEP;
    if (nodes < FOLD_WORTH * p->graph.n_nodes && fold_agrees(x)) return true;
    for (uint32_t k = 0; k < 2; k++) folded_free(&x->folded[k]);
    x->e.n_subjects = 0;
    x->e.growth = x->e.whole_seconds = x->e.whole_peak = x->e.whole_least = (Recent){0};
    return false;
}

// Two programs with some of the layers, if there are enough of them; otherwise the whole one.
static void add_subjects(Auto *x) {
    Layers layers = layers_find(&x->p->graph, &x->p->scratch);
    uint32_t removable = layers_removable(&layers);
    for (uint32_t kept = 2 - removable % 2; kept + FOLD_STEP < removable && kept < FOLD_MOST && !x->is_folded; kept += 2)
        x->is_folded = fold_with(x, &layers, removable, kept);
    evaluator_add_whole(&x->e, &x->p->state, x->sites);
}

// ---- Answers ----------------------------------------------------------------------------------------------------------

static GatherPolicy gathers_of(const Auto *x, const Plan *plan) {
    return x->e.gathers_decided ? x->p->gathers : (GatherPolicy)plan->gathers;
}

static const Tactic *to_tactics(const Auto *x, const Plan *plan, bool brief, uint32_t *n) {
    Partition *p = x->p;
    Writer w = {.state = &p->state,
                .sites = x->sites,
                .targets = &p->targets,
                .choices = &x->choices,
                .name = x->t->name.text,
                .brief = brief,
                .a = &p->arena};
    if (x->is_folded) w.folded = (State *)&x->folded[1].state, w.folded_sites = x->folded[1].sites;
    return plan_to_tactics(&w, plan, n);
}

// Nothing fits: the leanest plan, and what holds the memory there.
static bool refuse_to_fit(Auto *x, const Confirmed *leanest) {
    Partition *p = x->p;
    State *s = &p->state;
    char limit[32], least[32];
    bytes_text(memory_limit(x), 2, limit), bytes_text(leanest->score.least, 2, least);
    diag_error(p->ctx, x->source, x->t->name.offset, "more memory, more devices, a longer budget, or smaller inputs",
               "auto %.*s: no plan fits into %s; the leanest found takes %s", AUTO_NAME(x), limit, least);
    uint32_t n, mark = state_mark(s);
    const Tactic *tactics = to_tactics(x, &leanest->plan, true, &n);
    for (uint32_t i = 0; i < n; i++) {
        Buffer text;
        buf_init(&text, &p->scratch);
        tactic_print(&tactics[i], &text);
        for (size_t k = 0; k < text.n; k++)
            if (text.at[k] == '\n') text.at[k] = ' ';
        diag_note(p->ctx, NULL, NO_OFFSET, NULL, "the leanest plan: %s", buf_cstr(&text));
    }
    for (uint32_t i = 0; i < leanest->plan.n; i++)
        choice_take(s, x->sites, &x->choices, &x->choices.at.at[leanest->plan.at[i]], NULL, NULL);
    GatherPolicy gathers = p->gathers;
    p->gathers = gathers_of(x, &leanest->plan);
    const Lowered *l = partition_lowered(p);
    p->gathers = gathers;
    SimResult r;
    if (l) simulate(l, x->device, &p->scratch, &r);
    if (l) sort_residents(&r.memory);
    for (uint32_t i = 0; l && i < r.memory.n_residents && i < 3; i++) {
        const Value *val = &l->m->values.at[r.memory.residents[i].value];
        char bytes[32];
        bytes_text(r.memory.residents[i].bytes, 2, bytes);
        diag_note(p->ctx, NULL, NO_OFFSET, NULL, "%s there are of %s", bytes,
                  !val->is_arg                        ? op_info[op_kind(l->m, val->owner)].name
                  : val->index < p->graph.n_arguments ? p->m->argument_names[val->index]
                                                      : "a region");
    }
    partition_forget(p);
    state_undo(s, mark);
    return false;
}

// Nothing fits for sure; what is returned does unless the compiler leaves temporaries in the order in which they are written.
static void warn_unsure(const Auto *x, const Score *score) {
    char limit[32], least[32], most[32];
    bytes_text(memory_limit(x), 2, limit), bytes_text(score->least, 2, least), bytes_text(score->peak, 2, most);
    diag_warning(x->p->ctx, x->source, x->t->name.offset, "compile it before you count on it, or leave it more room",
                 "auto %.*s: nothing surely fits into %s; what was found takes %s, or up to %s if temporaries lie in padded tiles",
                 AUTO_NAME(x), limit, least, most);
}

// What another plan is worth, and what differs.
static void print_alternative(const Auto *x, const Confirmed *best, const Confirmed *c, Buffer *b) {
    size_t start = b->n;
    buf_str(b, "\nalso: ");
    print_seconds(c->score.seconds, b);
    buf_str(b, ", ");
    buf_bytes(b, c->score.peak, 2);
    size_t figures = b->n;
    for (int side = 0; side < 2; side++) {
        const Plan *has = side ? &best->plan : &c->plan, *lacks = side ? &c->plan : &best->plan;
        const char *separator = side ? "; without " : "; with ";
        for (uint32_t i = 0; i < has->n; i++) {
            bool both = false;
            for (uint32_t k = 0; k < lacks->n; k++) both |= lacks->at[k] == has->at[i];
            if (both) continue;
            const Choice *choice = &x->choices.at.at[has->at[i]];
            Span axis = x->p->mesh.axes[choice->axis].name;
            const Target *t = &x->p->targets.at[x->choices.seeds.at[choice->first].target];
            if (choice->kind == CHOICE_CLASS || choice->kind == CHOICE_INNER)
                buf_format(b, "%s%s : %d", separator, t->name, x->choices.seeds.at[choice->first].dim);
            else
                buf_format(b, "%s%s%s", separator, choice->kind == CHOICE_STORE_2 ? "ZeRO-2" : "ZeRO-3",
                           choice->of == STATE_ALL ? " of all state" : "");
            buf_format(b, " on %.*s", (int)axis.n, axis.at);
            separator = ", ";
        }
    }
    if (c->plan.gathers != best->plan.gathers) buf_format(b, "; gathers %s", gather_policies[c->plan.gathers]);
    if (b->n == figures) b->n = start; // the same in another order
}

// What keeps the answer from being faster: kernels, a link, memory, conflicts.
static void print_limits(const Auto *x, const Confirmed *best, Buffer *b) {
    const Archive *front = &x->search.archive;
    const Mesh *mesh = &x->p->mesh;
    buf_format(b, "\nlimited by: kernels %.0f %%", 100 * best->compute / best->score.seconds);
    if (best->exposed > 0)
        buf_format(b, ", waiting for links %.0f %%", 100 * best->exposed / best->score.seconds);
    if (best->busiest != NO_AXIS)
        buf_format(b, " (most on %.*s)", (int)mesh->axes[best->busiest].name.n, mesh->axes[best->busiest].name.at);
    if (front->at.n && front->at.at[0].score.seconds < 0.99 * best->score.seconds &&
        front->at.at[0].score.peak > memory_limit(x)) {
        buf_str(b, "; memory: ");
        print_seconds(front->at.at[0].score.seconds, b);
        buf_str(b, " would take ");
        buf_bytes(b, front->at.at[0].score.peak, 2);
    }
    if (best->conflicts) buf_format(b, "; %u conflict%s", best->conflicts, plural(best->conflicts));
}

// A short account of the search, above the first tactic.
static void add_account(Auto *x, const Confirmed *found, uint32_t n, Tactic *first) {
    const Confirmed *best = &found[0];
    Partition *p = x->p;
    Buffer b;
    buf_init(&b, &p->arena);
    buf_format(&b, "auto %.*s on %s: ", AUTO_NAME(x), x->device->name);
    print_seconds(best->score.seconds, &b);
    buf_str(&b, ", ");
    bool unsure = search_fit(&x->search.options, &best->score) == FITS_UNSURE;
    buf_bytes(&b, unsure ? best->score.least : best->score.peak, 2);
    buf_str(&b, " of ");
    buf_bytes(&b, memory_limit(x), 2);
    if (unsure) buf_str(&b, ", up to "), buf_bytes(&b, best->score.peak, 2), buf_str(&b, " with temporaries as they are written");
    buf_format(&b, "; %llu plan%s evaluated", (unsigned long long)x->e.n_evaluated, plural((int64_t)x->e.n_evaluated));
    if (x->is_folded) buf_format(&b, " on a few of the layers, %llu of them on all", (unsigned long long)x->e.n_whole);
    buf_format(&b, "%s%s", best->start ? "; the best is a start" : "", x->search.cancelled ? ", cancelled" : "");
    print_limits(x, best, &b);
    for (uint32_t i = 1; i < n; i++) print_alternative(x, best, &found[i], &b);
    buf_char(&b, '\n');
    buf_span(&b, first->comment);
    first->comment = (Span){buf_cstr(&b), b.n};
}

static void add_front(const Auto *x, AutoResult *out) {
    const Archive *archive = &x->search.archive;
    FrontPoint *front = arena_new(&x->p->arena, FrontPoint, archive->at.n);
    uint32_t n = archive->at.n, step = (n + FRONT_MOST - 1) / FRONT_MOST;
    for (uint32_t i = 0; i < n; i++) {
        if (i % step && i + 1 < n) continue; // the leanest is always there
        const Archived *entry = &archive->at.at[i];
        FrontPoint *point = &front[out->n_front++];
        *point = (FrontPoint){
            .seconds = entry->score.seconds, .peak = entry->score.peak, .gathers = gathers_of(x, &entry->plan)};
        point->tactics = to_tactics(x, &entry->plan, false, &point->n);
    }
    out->front = front;
}

static bool answer(Auto *x, AutoResult *out) {
    Partition *p = x->p;
    Confirmed found[CONFIRMED];
    uint32_t n = confirm_plans(p, &x->search, x->sites, x->device, found);
    if (n == 0)
        return diag_error(p->ctx, x->source, x->t->name.offset,
                          "a tactic that follows cannot be applied, or the search was cancelled at once",
                          "auto %.*s: no plan was found", AUTO_NAME(x));
    FitVerdict fits = search_fit(&x->search.options, &found[0].score);
    if (fits == FITS_NOT) return refuse_to_fit(x, &found[0]);
    if (fits == FITS_UNSURE) warn_unsure(x, &found[0].score);
    Tactic *tactics = (Tactic *)to_tactics(x, &found[0].plan, true, &out->n);
    GatherPolicy gathers = p->gathers;
    p->gathers = out->gathers = gathers_of(x, &found[0].plan);
    describe_tactics(p, x->sites, &x->choices, tactics, out->n, x->device);
    p->gathers = gathers;
    if (out->n) add_account(x, found, n, &tactics[0]);
    out->tactics = tactics;
    add_front(x, out);
    return true;
}

static void search_now(Auto *x) {
    const Tactic *t = x->t;
    Buffer name;
    buf_init(&name, &x->p->scratch);
    buf_format(&name, "auto %.*s", AUTO_NAME(x));
    SearchOptions options = {.name = buf_cstr(&name),
                             .memory = memory_limit(x),
                             .least_memory = t->least_memory,
                             .evaluations = (uint64_t)t->budget_evaluations,
                             .seed = (uint64_t)t->seed};
    if (!options.evaluations) options.seconds = (double)(t->budget_ms ? t->budget_ms : DEFAULT_BUDGET_MS) / 1e3;
    search_run(&x->search, &x->e, &options, x->axes, &x->p->scratch);
    evaluator_rewind(&x->e);
}

bool auto_search(Partition *p, const Tactic *t, const Tactic *after, uint32_t n_after, const Source *source,
                 const Device *device, AutoResult *out) {
    Arena *a = &p->scratch;
    Auto x = {.p = p, .t = t, .source = source, .device = device};
    *out = (AutoResult){0};
    if (!find_auto_axes(&x) || !check_question(&x)) return false;
    partition_name_locations(p);
    x.sites = sites_of(&p->targets, a);
    x.choices = choices_find(&p->graph, &p->targets, find_left_alone(&x), x.axes, a);
    Choice *follow = arena_new(a, Choice, n_after);
    for (uint32_t i = 0; i < n_after; i++) {
        AxisId *of = arena_new(a, AxisId, after[i].n_axes);
        if (!tactic_axes(&p->mesh, &after[i], source, p->ctx, a, of)) return false;
        follow[i] = choice_of_tactic(&x.choices, &p->graph, &p->targets, of, &after[i], a);
    }
    check_axes(&x);
    evaluator_init(&x.e, p->ctx, device);
    x.e.lower.gathers = p->gathers;
    x.e.gathers_decided = p->gathers_decided;
    x.e.choices = &x.choices;
    x.e.after = follow;
    x.e.n_after = n_after;
    add_subjects(&x);
    search_now(&x);
    bool ok = answer(&x, out);
    for (int k = 0; x.is_folded && k < 2; k++) folded_free(&x.folded[k]);
    evaluator_free(&x.e);
    return ok;
}
