// Lines: writes down what each choice did, target by target. Then it replaces numbers in paths by `*`, drops lines that change
// nothing, and merges neighbouring tactics and lines. After each step the lines must still lead to the state of the plan.
#include "auto/lines.h"
#include "auto/inner.h"

// A line in the making: a pattern, and the targets that it stands for.
typedef struct LinesDraft {
    const char *pattern;
    int16_t dim; // or SEED_ATOMIC, SEED_FIRST
    uint32_t n, first; // into DraftTactic.done, which is grouped by line
    bool tensors;      // of rank 2 and above alone
} LinesDraft;

enum { SEED_UNKNOWN = -3 }; // in place of a dimension: an exception that is no part of the tactic
// Of a target while lines of a tactic are drafted: no part of it, in no line yet, in this line, or in one.
typedef enum LineDrafted { DRAFTED_ELSEWHERE, DRAFTED_NOT, DRAFTED_NOW, DRAFTED } LineDrafted;

typedef struct DraftTactic {
    AxisId axis;
    VEC(Done) done;
    VEC(LinesDraft) lines;
} DraftTactic;

typedef struct Drafts {
    const Writer *w;
    Arena *a;
    State *state; // of the program on which lines are tried
    const Site *sites;
    StateHash wanted;
    uint32_t *decides; // by target: a line of the tactic that is performed
    uint8_t *drafted;  // by target: LineDrafted
    VEC(Done) left;    // in no line yet
    VEC(DraftTactic) at;
} Drafts;

// ---- Checking -------------------------------------------------------------------------------------------------------

static bool is_exactly(const Drafts *d, const DraftTactic *t, const LinesDraft *line) {
    const Targets *targets = d->w->targets;
    uint32_t matched = 0;
    for (uint32_t i = 0; i < targets->n; i++) matched += pattern_match(span_of(line->pattern), targets->at[i].name);
    if (matched != line->n) return false;
    for (uint32_t i = 0; i < line->n; i++)
        if (!pattern_match(span_of(line->pattern), targets->at[t->done.at[line->first + i].target].name)) return false;
    return true;
}

// Performs what these of the drafts say, as a schedule would: of lines that name one target, the last decides. False if some
// line cannot be applied.
static bool perform_from(const Drafts *d, uint32_t from, uint32_t to) {
    State *s = d->state;
    uint32_t *decides = d->decides;
    for (uint32_t k = from; k < to; k++) {
        const DraftTactic *t = &d->at.at[k];
        Choices choices = {.seeds = {.n = t->done.n}};
        uint32_t n = 0;
        Seed *seeds = arena_new(d->a, Seed, t->done.n);
        for (uint32_t i = 0; i < t->lines.n; i++)
            for (uint32_t j = 0; j < t->lines.at[i].n; j++) decides[t->done.at[t->lines.at[i].first + j].target] = i;
        for (uint32_t i = 0; i < t->lines.n; i++)
            for (uint32_t j = 0; j < t->lines.at[i].n; j++) {
                Done done = t->done.at[t->lines.at[i].first + j];
                if (decides[done.target] == i && done.dim != SEED_UNKNOWN) seeds[n++] = (Seed){done.target, done.dim};
            }
        choices.seeds.at = seeds;
        s->tactic = (uint16_t)k;
        const Choice choice = {.axis = t->axis, .strict = true, .n = n};
        if (choice_take(s, d->sites, &choices, &choice, NULL, NULL) == TAKEN_ILLEGAL) return false;
    }
    return true;
}

static bool perform_drafts(const Drafts *d) { return perform_from(d, 0, d->at.n); }

static StateHash state_of_drafts(const Drafts *d) {
    uint32_t start = state_mark(d->state);
    perform_drafts(d);
    StateHash found = d->state->nests;
    state_undo(d->state, start);
    return found;
}

static bool leads_there(const Drafts *d) {
    uint32_t start = state_mark(d->state);
    bool ok = perform_drafts(d) && same_state(d->state->nests, d->wanted);
    state_undo(d->state, start);
    return ok;
}

// ---- Patterns -------------------------------------------------------------------------------------------------------

// The pattern of a line may also name targets that are in no line yet, if those are fewer, and a few that are no part of the tactic:
// later lines decide them, as exceptions that follow the rule. They join the line. False if it names others.
static bool take_named(Drafts *d, DraftTactic *t, LinesDraft *line) {
    enum { RULE = 8 }; // times as many as are elsewhere
    const Targets *targets = d->w->targets;
    uint32_t members = line->n, met = 0, elsewhere = 0, n_left = d->left.n;
    bool ok = true;
    for (uint32_t i = 0; i < members; i++) d->drafted[t->done.at[line->first + i].target] = DRAFTED_NOW;
    for (uint32_t i = 0; i < targets->n && ok; i++) {
        if (!pattern_match(span_of(line->pattern), targets->at[i].name)) continue;
        if (d->drafted[i] == DRAFTED_NOW) {
            met++;
            continue;
        }
        bool other = d->drafted[i] == DRAFTED_ELSEWHERE && line->dim != SEED_UNKNOWN;
        elsewhere += other;
        ok = (other || d->drafted[i] == DRAFTED_NOT) && line->n < 2 * members && RULE * elsewhere <= members;
        if (other) vec_push(d->a, &d->left, ((Done){i, SEED_UNKNOWN}));
        vec_push(d->a, &t->done, ((Done){i, line->dim}));
        line->n++;
    }
    ok &= met == members;
    for (uint32_t i = 0; i < members; i++) d->drafted[t->done.at[line->first + i].target] = ok ? DRAFTED : DRAFTED_NOT;
    if (!ok) d->left.n = n_left;
    for (uint32_t i = n_left; i < d->left.n; i++) d->drafted[d->left.at[i].target] = DRAFTED_NOT;
    return ok;
}

// Lines for the targets whose paths have one pattern with these numbers open, and one dimension. The others stay in their order.
static void draft_open(Drafts *d, DraftTactic *t, uint8_t numbers) {
    uint32_t n = d->left.n, stay = 0, *hash = arena_new(d->a, uint32_t, n);
    bool *seen = arena_zalloc(d->a, n);
    const char **pattern = arena_new(d->a, const char *, n);
    for (uint32_t i = 0; i < n; i++) {
        pattern[i] = path_pattern(d->w->targets->at[d->left.at[i].target].name, numbers, d->a);
        hash[i] = hash_u32(span_hash(span_of(pattern[i])), (uint32_t)d->left.at[i].dim);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (seen[i]) continue;
        LinesDraft line = {pattern[i], d->left.at[i].dim, 0, t->done.n, false};
        for (uint32_t j = i; j < n; j++) {
            Done one = d->left.at[j];
            if (seen[j] || hash[j] != hash[i] || one.dim != line.dim || strcmp(pattern[j], pattern[i]) != 0) continue;
            seen[j] = true;
            vec_push(d->a, &t->done, one);
            line.n++;
            if (numbers == PATH_AS_IS) break;
        }
        if (numbers == PATH_AS_IS || take_named(d, t, &line)) vec_push(d->a, &t->lines, line);
        else t->done.n = line.first;
    }
    for (uint32_t i = 0; i < d->left.n; i++)
        if (d->drafted[d->left.at[i].target] == DRAFTED_NOT) d->left.at[stay++] = d->left.at[i];
    d->left.n = stay;
}

// Of the first four numbers of a path: as many as can be, the first ones rather than the last.
static const uint8_t open_numbers[] = {PATH_NUMBERS, 7, 11, 13, 14, 3, 5, 9, 6, 10, 12, 1, 2, 4, 8, PATH_AS_IS};

// Targets of one tactic as lines, the most general patterns first.
static void draft_lines(Drafts *d, DraftTactic *t) {
    d->left.n = 0;
    for (uint32_t i = 0; i < t->done.n; i++) {
        vec_push(d->a, &d->left, t->done.at[i]);
        d->drafted[t->done.at[i].target] = DRAFTED_NOT;
    }
    t->done.n = 0;
    for (uint32_t i = 0; i < sizeof open_numbers; i++) draft_open(d, t, open_numbers[i]);
    for (uint32_t i = 0; i < t->done.n; i++) d->drafted[t->done.at[i].target] = DRAFTED_ELSEWHERE;
}

// Two patterns that differ in one stretch within a part of the path become one with alternatives; NULL if they do not.
static const char *join_patterns(const char *x, const char *y, Arena *a) {
    size_t nx = strlen(x), ny = strlen(y), head = 0, tail = 0;
    while (x[head] && x[head] == y[head]) head++;
    while (head > 0 && x[head - 1] != '/') head--; // whole parts of the path
    while (tail < nx - head && tail < ny - head && x[nx - tail - 1] == y[ny - tail - 1]) tail++;
    while (tail > 0 && x[nx - tail] != '/') tail--;
    Span mx = {x + head, nx - head - tail}, my = {y + head, ny - head - tail};
    if (mx.n == 0 || my.n == 0 || memchr(mx.at, '/', mx.n) || memchr(my.at, '/', my.n)) return NULL;
    bool open = mx.at[0] == '{' && mx.at[mx.n - 1] == '}';
    Buffer b;
    buf_init(&b, a);
    buf_put(&b, x, head);
    buf_char(&b, '{');
    buf_put(&b, mx.at + open, mx.n - 2 * open);
    buf_char(&b, ',');
    buf_span(&b, my);
    buf_char(&b, '}');
    buf_put(&b, x + nx - tail, tail);
    return b.n < 100 ? buf_cstr(&b) : NULL;
}

// Whether a line between two names what the second one does, which it would decide if that came first.
static bool is_named_between(Drafts *d, const DraftTactic *t, uint32_t first, uint32_t second) {
    const LinesDraft *y = &t->lines.at[second];
    for (uint32_t i = 0; i < y->n; i++) d->drafted[t->done.at[y->first + i].target] = DRAFTED_NOW;
    bool found = false;
    for (uint32_t k = first + 1; k < second && !found; k++)
        for (uint32_t i = 0; i < t->lines.at[k].n && !found; i++)
            found = d->drafted[t->done.at[t->lines.at[k].first + i].target] == DRAFTED_NOW;
    for (uint32_t i = 0; i < y->n; i++) d->drafted[t->done.at[y->first + i].target] = DRAFTED_ELSEWHERE;
    return found;
}

// Lines of one dimension that differ in one part of the path.
static bool join_some_lines(Drafts *d, DraftTactic *t) {
    uint32_t n = t->lines.n;
    for (uint32_t i = 0; i < t->lines.n; i++)
        for (uint32_t j = i + 1; j < t->lines.n;) {
            LinesDraft *x = &t->lines.at[i], y = t->lines.at[j];
            const char *joined = x->dim == y.dim && !x->tensors && !y.tensors ? join_patterns(x->pattern, y.pattern, d->a) : NULL;
            if (joined && is_named_between(d, t, i, j)) joined = NULL;
            LinesDraft both = {joined, x->dim, x->n + y.n, t->done.n, false};
            if (joined) {
                for (uint32_t k = 0; k < both.n; k++) {
                    Done done = t->done.at[k < x->n ? x->first + k : y.first + k - x->n];
                    vec_push(d->a, &t->done, done);
                }
            }
            if (!joined || !is_exactly(d, t, &both)) {
                t->done.n = both.first;
                j++;
                continue;
            }
            *x = both;
            memmove(&t->lines.at[j], &t->lines.at[j + 1], (t->lines.n - j - 1) * sizeof *t->lines.at);
            t->lines.n--;
            j = i + 1;
        }
    return t->lines.n < n;
}

// What was joined in one part of the path may join in another.
static void join_lines(Drafts *d, DraftTactic *t) {
    while (join_some_lines(d, t)) continue;
}

// ---- Fewer ----------------------------------------------------------------------------------------------------------

// Whether the drafts from the k-th on lead to the state that is wanted, or that one to the state that it led to before.
static bool leads_on(const Drafts *d, uint32_t k, StateHash before) {
    uint32_t start = state_mark(d->state);
    bool ok = perform_from(d, k, k + 1);
    if (ok && !same_state(d->state->nests, before))
        ok = perform_from(d, k + 1, d->at.n) && same_state(d->state->nests, d->wanted);
    state_undo(d->state, start);
    return ok;
}

// Lines of the k-th tactic, where those before it have been performed: the last ones first, more at a time as long as they go.
static void drop_lines_of(Drafts *d, uint32_t k) {
    DraftTactic *t = &d->at.at[k];
    uint32_t start = state_mark(d->state);
    perform_from(d, k, k + 1);
    StateHash before = d->state->nests;
    state_undo(d->state, start);
    LinesDraft *lines = arena_new(d->a, LinesDraft, t->lines.n);
    for (uint32_t i = t->lines.n, many = 1; i > 0;) {
        uint32_t n = many < i ? many : i, rest = t->lines.n - i;
        LinesDraft *from = &t->lines.at[i - n];
        memcpy(lines, from, n * sizeof *lines);
        memmove(from, from + n, rest * sizeof *lines);
        t->lines.n -= n;
        if (leads_on(d, k, before)) {
            i -= n;
            many = 2 * n;
            continue;
        }
        memmove(from + n, from, rest * sizeof *lines);
        memcpy(from, lines, n * sizeof *lines);
        t->lines.n += n;
        if (n == 1) i--;
        many = n > 1 ? n / 2 : 1;
    }
}

// Lines whose absence leaves the state as it is, the last ones first: what the optimizer keeps follows the weights.
static void drop_lines(Drafts *d) {
    for (uint32_t k = d->at.n; k-- > 0;) {
        DraftTactic *t = &d->at.at[k];
        uint32_t start = state_mark(d->state);
        perform_from(d, 0, k);
        drop_lines_of(d, k);
        state_undo(d->state, start);
        if (t->lines.n) continue;
        memmove(t, t + 1, (d->at.n - k - 1) * sizeof *t);
        d->at.n--;
    }
}

// The lines of both, in this order.
static DraftTactic join_tactics(Drafts *d, const DraftTactic *first, const DraftTactic *second) {
    DraftTactic both = {.axis = first->axis};
    const DraftTactic *parts[] = {first, second};
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t i = 0; i < parts[p]->lines.n; i++) {
            LinesDraft line = parts[p]->lines.at[i];
            uint32_t from = line.first;
            line.first = both.done.n;
            for (uint32_t j = 0; j < line.n; j++) vec_push(d->a, &both.done, parts[p]->done.at[from + j]);
            vec_push(d->a, &both.lines, line);
        }
    return both;
}

// Tactics i and j become one, which stands where i was, or where j was; the lines of one before those of the other, so that
// the exceptions follow the rule. False, with all as before, if that leads elsewhere.
static bool merge_pair(Drafts *d, uint32_t i, uint32_t j) {
    uint32_t n = d->at.n;
    DraftTactic *was = arena_new(d->a, DraftTactic, n);
    if (n) memcpy(was, d->at.at, n * sizeof *was);
    for (int way = 0; way < 4; way++) {
        bool late = way & 1, swapped = way >> 1;
        uint32_t gone = late ? i : j;
        d->at.at[late ? j : i] = join_tactics(d, &was[swapped ? j : i], &was[swapped ? i : j]);
        memmove(&d->at.at[gone], &d->at.at[gone + 1], (n - gone - 1) * sizeof *was);
        d->at.n = n - 1;
        if (leads_there(d)) return true;
        memcpy(d->at.at, was, n * sizeof *was);
        d->at.n = n;
    }
    return false;
}

// Tactics on the same axis merge where that leads to the same state.
static void merge_tactics(Drafts *d) {
    for (uint32_t i = 0; i < d->at.n; i++)
        for (uint32_t j = i + 1; j < d->at.n;)
            if (d->at.at[i].axis != d->at.at[j].axis || !merge_pair(d, i, j))
                j++;
            else
                j = i + 1;
}

// A line for all that stands under a root that some line of this kind names.
static void add_root_lines(Drafts *d, const DraftTactic *from, bool atomic, bool tensors, DraftTactic *to) {
    const Targets *targets = d->w->targets;
    for (uint32_t i = 0; i < from->done.n; i++) {
        const char *name = path_pattern(targets->at[from->done.at[i].target].name, PATH_AS_IS, d->a);
        size_t n = strcspn(name, "/");
        if ((from->done.at[i].dim == SEED_ATOMIC) != atomic || !name[n]) continue;
        Buffer b;
        buf_init(&b, d->a);
        buf_format(&b, "%.*s/**", (int)n, name);
        LinesDraft line = {buf_cstr(&b), atomic ? SEED_ATOMIC : SEED_FIRST, 0, to->done.n, tensors};
        bool known = false;
        for (uint32_t k = 0; k < to->lines.n; k++) known |= strcmp(to->lines.at[k].pattern, line.pattern) == 0;
        if (known) continue;
        for (uint32_t k = 0; k < targets->n_without_locations; k++) {
            if (!pattern_match(span_of(line.pattern), targets->at[k].name)) continue;
            if (tensors && type_get(d->w->state->g->m, targets->at[k].type)->rank < 2) continue;
            vec_push(d->a, &to->done, ((Done){k, line.dim}));
            line.n++;
        }
        vec_push(d->a, &to->lines, line);
    }
}

// Many lines of one tactic that store state in chunks: `opt/** : first_divisible`, if that leads to the same state.
static void widen_lines(Drafts *d) {
    enum { MANY = 3 };
    for (uint32_t k = 0; k < d->at.n; k++) {
        DraftTactic was = d->at.at[k];
        for (int tensors = 0; tensors < 2; tensors++) {
            DraftTactic wide = {.axis = was.axis};
            add_root_lines(d, &was, true, tensors, &wide);
            add_root_lines(d, &was, false, tensors, &wide);
            if (was.lines.n <= MANY || wide.lines.n >= was.lines.n) break;
            d->at.at[k] = wide;
            if (leads_there(d)) break;
            d->at.at[k] = was;
        }
    }
}

// ---- Tactics --------------------------------------------------------------------------------------------------------

static const Filter of_rank_2 = {.kind = FILTER_RANK, .test = TEST_GE, .number = 2};

static Tactic to_tactic(const Drafts *d, const DraftTactic *t, uint32_t number, Arena *a) {
    Buffer name;
    buf_init(&name, a);
    buf_format(&name, "%.*s_%u", (int)d->w->name.n, d->w->name.at, number);
    Word *axis = arena_zalloc(a, sizeof *axis);
    axis->text = d->w->state->mesh->axes[t->axis].name;
    TacticLine *lines = arena_zalloc(a, t->lines.n * sizeof *lines);
    for (uint32_t i = 0; i < t->lines.n; i++) {
        const LinesDraft *line = &t->lines.at[i];
        size_t n = strlen(line->pattern) + 1;
        lines[i].pattern.text = (Span){memcpy(arena_alloc(a, n), line->pattern, n), n - 1};
        lines[i].value = line->dim == SEED_ATOMIC  ? LINE_REPLICATED
                         : line->dim == SEED_FIRST ? LINE_FIRST_DIVISIBLE
                         : line->dim == SEED_UNKNOWN ? LINE_UNKNOWN
                                                   : LINE_DIM;
        lines[i].dim = line->dim;
        if (line->tensors) lines[i].n_filters = 1, lines[i].filters = &of_rank_2;
    }
    return (Tactic){.name = {.text = {buf_cstr(&name), name.n}},
                    .n_axes = 1,
                    .axes = axis,
                    .n_lines = t->lines.n,
                    .lines = lines};
}

// What each choice of the plan does to the whole program.
static void draft_tactics(Drafts *d, const Plan *plan) {
    const Writer *w = d->w;
    uint32_t mark = state_mark(w->state);
    for (uint32_t i = 0; i < plan->n; i++) {
        const Choice *choice = &w->choices->at.at[plan->at[i]];
        DraftTactic t = {.axis = choice->axis};
        DoneList done = {0};
        w->state->tactic = (uint16_t)i;
        if (choice_take(w->state, w->sites, w->choices, choice, &done, d->a) != TAKEN) continue;
        t.done.at = done.at, t.done.n = done.n, t.done.cap = done.cap;
        vec_push(d->a, &d->at, t);
    }
    state_undo(w->state, mark);
    for (uint32_t k = 0; k < d->at.n; k++) draft_lines(d, &d->at.at[k]);
}

// From now on lines are tried on this program, and lead to the state that all drafts as they are now lead to.
static void try_on(Drafts *d, State *state, const Site *sites) {
    d->state = state;
    d->sites = sites;
    d->wanted = state_of_drafts(d);
}

static void make_brief(Drafts *d) {
    drop_lines(d);
    widen_lines(d);
    merge_tactics(d);
    drop_lines(d);
}

const Tactic *plan_to_tactics(const Writer *w, const Plan *plan, uint32_t *n) {
    Arena scratch;
    arena_init(&scratch, w->a->ctx);
    Drafts d = {.w = w, .a = &scratch, .decides = arena_new(&scratch, uint32_t, w->targets->n),
                .drafted = arena_zalloc(&scratch, w->targets->n)};
    draft_tactics(&d, plan);
    try_on(&d, w->state, w->sites);
    StateHash wanted = d.wanted;
    if (w->brief && w->folded) {
        try_on(&d, w->folded, w->folded_sites);
        make_brief(&d);
        d.state = w->state, d.sites = w->sites, d.wanted = wanted;
        if (!leads_there(&d)) { // what few layers leave out makes a difference
            d.at.n = 0;
            draft_tactics(&d, plan);
            make_brief(&d);
        }
    } else if (w->brief) {
        make_brief(&d);
    }
    for (uint32_t k = 0; k < d.at.n; k++) join_lines(&d, &d.at.at[k]);
    Tactic *tactics = arena_new(w->a, Tactic, d.at.n);
    for (uint32_t k = 0; k < d.at.n; k++) tactics[k] = to_tactic(&d, &d.at.at[k], k + 1, w->a);
    *n = d.at.n;
    arena_free(&scratch);
    return tactics;
}
