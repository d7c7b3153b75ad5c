// Tactics: finds the line that decides each named value, performs the action that it asks for, and reports those that are
// not possible.
#include "core/tactic/tactic.h"
#include "ir/names.h"
#include "support/integer.h"
#include "support/nearest.h"

typedef struct Apply {
    State *s;
    const Targets *targets;
    const Tactic *t;
    const Source *source;
    Context *ctx;
    Arena *a;
    const AxisId *axes; // of the tactic, major first
    uint32_t n_axes;
    AxisId axis; // the one at hand
    TacticCounts *counts;
    uint32_t *matches, *decides; // by line: values it matches, values it decides
} Apply;

// The dimension a line names, counted from the end if it is negative.
static int64_t line_dim(const TacticLine *line, const Type *type) {
    return line->dim < 0 ? line->dim + type->rank : line->dim;
}

static void print_shape(const Type *t, Buffer *b) {
    for (uint32_t d = 0; d < t->rank; d++) {
        buf_int(b, t->dims[d]);
        buf_char(b, 'x');
    }
    buf_str(b, elem_text((Elem)t->elem));
}

// An error at a line of the tactic, in the tactic's name.
static bool refuse(const Apply *x, const TacticLine *line, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool refuse(const Apply *x, const TacticLine *line, const char *hint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = text_vformat(x->a, format, arguments);
    va_end(arguments);
    return fail_as(x->ctx, PARTIR_ILLEGAL,
                   diag_error(x->ctx, x->source, line->pattern.offset, hint, "tactic %.*s: %s", (int)x->t->name.text.n,
                              x->t->name.text.at, text));
}

// Axes of the mesh that would divide the dimension as it is now: "axes that would divide it: model (2), data (4); ".
static void hint_axes(const Apply *x, int64_t size, Buffer *hint) {
    const Mesh *mesh = x->s->mesh;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < mesh->n_axes; i++) {
        if (size % mesh->axes[i].size != 0) continue;
        buf_format(hint, "%s%.*s (%lld)", shown++ ? ", " : "axes that would divide it: ", (int)mesh->axes[i].name.n,
                   mesh->axes[i].name.at, (long long)mesh->axes[i].size);
    }
    buf_str(hint, shown ? "; " : "no axis of the mesh divides it; ");
}

// The first entry of the value's nest that shares a digit with the tactic's axis.
static AxisId overlapping_axis(const Apply *x, const Target *target) {
    uint32_t len;
    const NestEntry *nest = state_nest(x->s, target->node, &len);
    for (uint32_t k = 0; k < len; k++)
        if (x->s->mesh->axes[x->axis].overlaps >> nest[k].axis & 1) return nest[k].axis;
    return x->axis;
}

// The line to write where a part of the axis divides what the axis does not: "write `tactic MP on model:(1)2 { … : 1 }`".
static void hint_part(const Apply *x, const TacticLine *line, int64_t size, Buffer *hint) {
    const Axis *axis = &x->s->mesh->axes[x->axis];
    int64_t part = gcd(axis->size, size);
    if (part <= 1 || part == axis->size) return;
    buf_format(hint, "a part of the axis does: `tactic %.*s on %.*s:(%lld)%lld { %.*s : %lld }`; ",
               (int)x->t->name.text.n, x->t->name.text.at, (int)axis->whole->name.n, axis->whole->name.at,
               (long long)axis->before, (long long)part, (int)line->pattern.text.n, line->pattern.text.at,
               (long long)line->dim);
}

// What is left of an axis that the value has a part of.
static void hint_rest(const Apply *x, const TacticLine *line, const Axis *has, Buffer *hint) {
    int64_t rest = has->whole->size / axis_end(has);
    if (!axis_is_part(has) || rest == 1) return;
    buf_format(hint, "; what is left of this one: `tactic %.*s on %.*s:(%lld)%lld { %.*s : %lld }`",
               (int)x->t->name.text.n, x->t->name.text.at, (int)has->whole->name.n, has->whole->name.at,
               (long long)axis_end(has), (long long)rest, (int)line->pattern.text.n, line->pattern.text.at,
               (long long)line->dim);
}

// Why a dimension that the user named cannot be tiled.
static bool refuse_dim(const Apply *x, const TacticLine *line, const Target *target, ActionStatus status) {
    const Mesh *mesh = x->s->mesh;
    const Type *type = type_get(x->s->g->m, target->type);
    Buffer shape, hint;
    buf_init(&shape, x->a);
    buf_init(&hint, x->a);
    print_shape(type, &shape);
    Span axis = mesh->axes[x->axis].name;
    switch (status) {
    case ACTION_AXIS_USED: {
        int dim = state_tiled_dim(x->s, target->node, target->tensor, x->axis);
        axis = mesh->axes[overlapping_axis(x, target)].name; // what it has of the axis
        uint16_t by = state_cause(x->s, target->node, x->axis)->tactic;
        Span name = by < x->s->tactic_names.n ? x->s->tactic_names.at[by] : SPAN("an earlier one");
        buf_format(&hint, "it was tiled by tactic %.*s; leave this value out, or use another axis", (int)name.n,
                   name.at);
        hint_rest(x, line, &mesh->axes[overlapping_axis(x, target)], &hint);
        return refuse(x, line, buf_cstr(&hint), "%s (%s) already has axis \"%.*s\" on dimension %d", target->name,
                      buf_cstr(&shape), (int)axis.n, axis.at, dim);
    }
    case ACTION_PARTS: {
        AxisId other = NO_AXIS;
        for (uint32_t a = mesh->n_axes; a < mesh->n_ids; a++)
            if (x->s->uses[a] && !axis_parts_fit(&mesh->axes[a], &mesh->axes[x->axis])) other = (AxisId)a;
        buf_format(&hint, "an axis has one set of parts in a program: write two axes in the mesh, or a part that fits %.*s",
                   (int)mesh->axes[other].name.n, mesh->axes[other].name.at);
        return refuse(x, line, buf_cstr(&hint), "%s (%s) cannot be tiled by %.*s: %.*s is in use", target->name,
                      buf_cstr(&shape), (int)axis.n, axis.at, (int)mesh->axes[other].name.n, mesh->axes[other].name.at);
    }
    case ACTION_ORDER: {
        const Axis *part = &mesh->axes[x->axis];
        buf_format(&hint, "write the tactic on %.*s first, or one tactic on %.*s", (int)axis.n, axis.at,
                   (int)part->whole->name.n, part->whole->name.at);
        return refuse(x, line, buf_cstr(&hint),
                      "dimension %lld of %s (%s) is split by a more minor part of axis \"%.*s\" than %.*s",
                      (long long)line_dim(line, type), target->name, buf_cstr(&shape), (int)part->whole->name.n,
                      part->whole->name.at, (int)axis.n, axis.at);
    }
    case ACTION_ATOMIC:
        return refuse(x, line, "an earlier line or tactic made it `replicated` on this axis",
                      "%s (%s) is atomic on axis \"%.*s\"", target->name, buf_cstr(&shape), (int)axis.n, axis.at);
    default: {
        int64_t dim = line_dim(line, type);
        uint8_t f = state_factor_at(x->s, target->node, target->tensor, (uint32_t)dim);
        int64_t size = f == NO_FACTOR ? type->dims[dim] : state_local_size(x->s, target->node, f);
        hint_part(x, line, size, &hint);
        int64_t by = mesh->axes[x->axis].size, more = type->dims[dim] / (size ? size : 1) * ((size / by + 1) * by);
        hint_axes(x, size, &hint);
        buf_format(&hint, "a size of %lld would divide", (long long)more);
        return refuse(
            x, line, buf_cstr(&hint),
            "dimension %lld of %s (%s) has %lld element%s%s, which do not divide by axis \"%.*s\" of size %lld",
            (long long)dim, target->name, buf_cstr(&shape), (long long)size, size == 1 ? "" : "s",
            size < type->dims[dim] ? " left" : "", (int)axis.n, axis.at, (long long)mesh->axes[x->axis].size);
    }
    }
}

static bool tile_dim(Apply *x, const TacticLine *line, const Target *target) {
    const Type *type = type_get(x->s->g->m, target->type);
    int64_t dim = line_dim(line, type);
    if (dim < 0 || dim >= type->rank) {
        Buffer shape;
        buf_init(&shape, x->a);
        print_shape(type, &shape);
        return refuse(x, line,
                      type->rank ? "dimensions count from 0, or from the end by -1"
                                 : "a scalar cannot be tiled; leave it out",
                      "%s (%s) has no dimension %lld", target->name, buf_cstr(&shape), (long long)line->dim);
    }
    bool tiled = false;
    for (uint32_t k = 0; k < x->n_axes; k++) {
        x->axis = x->axes[k];
        // By an earlier line through a tie, or by propagation.
        if (state_tiled_dim(x->s, target->node, target->tensor, x->axis) == (int)dim) continue;
        ActionStatus status = action_tile(x->s, target->node, target->tensor, (uint32_t)dim, x->axis);
        if (status != ACTION_OK) return refuse_dim(x, line, target, status);
        tiled = true;
    }
    if (tiled)
        x->counts->tiled++;
    else
        x->counts->already++;
    return true;
}

// Tiles a dimension by all axes of the tactic, or by none.
static bool tile_by_all(const Apply *x, const Target *target, uint32_t dim) {
    uint32_t mark = state_mark(x->s);
    for (uint32_t k = 0; k < x->n_axes; k++) {
        if (action_tile(x->s, target->node, target->tensor, dim, x->axes[k]) == ACTION_OK) continue;
        state_undo(x->s, mark);
        return false;
    }
    return true;
}

static bool has_an_axis(const Apply *x, const Target *target) {
    for (uint32_t k = 0; k < x->n_axes; k++)
        if (state_factor(x->s, target->node, x->axes[k]) != NO_FACTOR) return true;
    return false;
}

static void tile_first_divisible(Apply *x, const Target *target, uint64_t indexed) {
    const Type *type = type_get(x->s->g->m, target->type);
    if (has_an_axis(x, target)) {
        x->counts->already++;
        return;
    }
    int64_t size = 1;
    for (uint32_t k = 0; k < x->n_axes; k++) size *= x->s->mesh->axes[x->axes[k]].size;
    for (uint32_t d = 0; d < type->rank; d++) {
        if (d < 64 && (indexed >> d & 1)) continue;
        if (type->dims[d] == 1 && size == 1) continue;
        if (tile_by_all(x, target, d)) {
            x->counts->tiled++;
            return;
        }
    }
    x->counts->nothing_divides++;
}

static bool act(Apply *x, uint32_t i, const TacticLine *line) {
    const Target *target = &x->targets->at[i];
    if (type_get(x->s->g->m, target->type)->kind != TYPE_TENSOR) return true;
    switch (line->value) {
    case LINE_DIM: return tile_dim(x, line, target);
    case LINE_FIRST_DIVISIBLE: tile_first_divisible(x, target, x->targets->indexed[i]); return true;
    case LINE_REPLICATED:
        for (uint32_t k = 0; k < x->n_axes; k++) {
            Span axis = x->s->mesh->axes[x->axes[k]].name;
            if (state_tiled_dim(x->s, target->node, target->tensor, x->axes[k]) >= 0)
                return refuse(x, line, "make it `replicated` in an earlier tactic",
                              "%s is tiled on axis \"%.*s\" already; it cannot become replicated", target->name,
                              (int)axis.n, axis.at);
            action_atomic(x->s, target->value, x->axes[k]);
        }
        x->counts->atomic++;
        return true;
    default: return true;
    }
}

// A comma outside braces is a byte of the path, which surprises those who mean alternatives.
static bool has_bare_comma(Span pattern) {
    uint32_t depth = 0;
    for (size_t i = 0; i < pattern.n; i++) {
        if (pattern.at[i] == '{') depth++;
        if (pattern.at[i] == '}') depth--;
        if (pattern.at[i] == ',' && depth == 0) return true;
    }
    return false;
}

// Whether a pattern is a part of the pytree: params, where there is params/w.
static bool names_subtree(const Apply *x, Span pattern) {
    for (uint32_t i = 0; i < x->targets->n; i++) {
        const char *name = x->targets->at[i].name;
        if (strncmp(name, pattern.at, pattern.n) == 0 && name[pattern.n] == '/') return true;
    }
    return false;
}

// What was probably meant by a pattern that matches nothing.
static const char *hint_names(const Apply *x, const char *const *names, Span pattern) {
    Buffer hint;
    buf_init(&hint, x->a);
    Span path = span_of(names_path(x->a, pattern)); // w['up'] is w/up
    const char *near = nearest_name(path, names, x->targets->n);
    if (names_subtree(x, path))
        buf_format(&hint, "all that is below it: %.*s/**; ", (int)path.n, path.at);
    else if (near)
        buf_format(&hint, "the nearest name is %s; ", near);
    if (has_bare_comma(pattern)) buf_str(&hint, "alternatives stand in braces: {a,b}; ");
    buf_str(&hint, LISTS_NAMES);
    return buf_cstr(&hint);
}

static bool report_unmatched(const Apply *x) {
    bool ok = true;
    const char **names = arena_new(x->a, const char *, x->targets->n);
    for (uint32_t i = 0; i < x->targets->n; i++) names[i] = x->targets->at[i].name;
    for (uint32_t k = 0; k < x->t->n_lines; k++) {
        const TacticLine *line = &x->t->lines[k];
        if (!x->matches[k]) {
            Span pattern = line->pattern.text;
            ok = fail_as(x->ctx, PARTIR_NOT_FOUND,
                         refuse(x, line, hint_names(x, names, pattern),
                                "the pattern %.*s matches no argument, result or tag", (int)pattern.n, pattern.at));
        } else if (!x->decides[k]) {
            diag_warning(x->ctx, x->source, line->pattern.offset, "the last matching line wins",
                         "tactic %.*s: later lines decide all that %.*s matches", (int)x->t->name.text.n,
                         x->t->name.text.at, (int)line->pattern.text.n, line->pattern.text.at);
        }
    }
    return ok;
}

// What can be written for a part that the axis does not have: "model:(1)2, model:(1)4, …".
static void hint_parts(const Mesh *mesh, Span text, Buffer *hint) {
    size_t n = 0;
    while (n < text.n && text.at[n] != ':') n++;
    AxisId axis = mesh_find(mesh, (Span){text.at, n});
    if (n == text.n || axis == NO_AXIS) return;
    int64_t size = mesh->axes[axis].size;
    uint32_t shown = 0;
    for (int64_t part = 2; part < size; part++) {
        if (size % part != 0) continue;
        buf_format(hint, "%s%.*s:(1)%lld, %.*s:(%lld)%lld", shown++ ? ", " : "it can be cut into ", (int)n, text.at,
                   (long long)part, (int)n, text.at, (long long)part, (long long)(size / part));
    }
    if (shown) buf_str(hint, "; ");
}

bool tactic_axes(Mesh *mesh, const Tactic *t, const Source *source, Context *ctx, Arena *a, AxisId *out) {
    for (uint32_t k = 0; k < t->n_axes; k++) {
        out[k] = mesh_axis(mesh, t->axes[k].text);
        if (out[k] != NO_AXIS) continue;
        Buffer hint;
        buf_init(&hint, a);
        hint_parts(mesh, t->axes[k].text, &hint);
        const char *names[MESH_MAX_AXES], *near;
        for (uint32_t i = 0; i < mesh->n_axes; i++) {
            Buffer name;
            buf_init(&name, a);
            buf_span(&name, mesh->axes[i].name);
            names[i] = buf_cstr(&name);
        }
        if ((near = nearest_name(t->axes[k].text, names, mesh->n_axes))) buf_format(&hint, "did you mean %s? ", near);
        buf_str(&hint, "the mesh is ");
        mesh_print(mesh, &hint);
        diag_error(ctx, source, t->axes[k].offset, buf_cstr(&hint), "tactic %.*s: the mesh has no axis \"%.*s\"",
                   (int)t->name.text.n, t->name.text.at, (int)t->axes[k].text.n, t->axes[k].text.at);
        return fail_as(ctx, PARTIR_NOT_FOUND, false);
    }
    return true;
}

bool line_names_location(const TacticLine *line) {
    Span p = line->pattern.text;
    return p.n >= 4 && memcmp(p.at, "loc/", 4) == 0;
}

bool tactic_names_locations(const Tactic *t) {
    for (uint32_t i = 0; i < t->n_lines; i++)
        if (line_names_location(&t->lines[i])) return true;
    return false;
}

bool tactic_apply(State *s, const Targets *targets, const Tactic *t, const Source *source, Arena *a,
                  TacticCounts *counts) {
    Context *ctx = s->g->m->ctx;
    *counts = (TacticCounts){.first_conflict = s->conflicts.n};
    Apply x = {.s = s, .targets = targets, .t = t, .source = source, .ctx = ctx, .a = a, .counts = counts};
    AxisId *axes = arena_new(a, AxisId, t->n_axes);
    if (!tactic_axes(s->mesh, t, source, ctx, a, axes)) return false;
    x.axes = axes;
    x.n_axes = t->n_axes;
    x.matches = arena_zalloc(a, t->n_lines * sizeof *x.matches);
    x.decides = arena_zalloc(a, t->n_lines * sizeof *x.decides);
    uint32_t *decision = arena_new(a, uint32_t, targets->n);
    for (uint32_t i = 0; i < targets->n; i++) {
        decision[i] = NO_ID;
        for (uint32_t k = 0; k < t->n_lines; k++)
            if ((i < targets->n_without_locations || line_names_location(&t->lines[k])) &&
                line_accepts(&t->lines[k], targets->at[i].name, type_get(s->g->m, targets->at[i].type)))
                decision[i] = k, x.matches[k]++;
        if (decision[i] != NO_ID) x.decides[decision[i]]++;
    }
    if (!report_unmatched(&x)) return false;
    uint32_t mark = state_mark(s);
    bool ok = true;
    for (uint32_t i = 0; i < targets->n; i++)
        if (decision[i] != NO_ID) ok &= act(&x, i, &t->lines[decision[i]]);
    if (!ok) {
        state_undo(s, mark);
        return false;
    }
    uint32_t done = state_mark(s);
    if (done == mark)
        diag_warning(ctx, source, t->name.offset,
                     t->n_lines == 0             ? "it has no lines"
                     : counts->nothing_divides   ? "no dimension of what it names divides by the axis"
                     : counts->already           ? "what it names is tiled so already"
                                                 : NULL,
                     "tactic %.*s changes nothing", (int)t->name.text.n, t->name.text.at);
    for (uint32_t k = 0; k < x.n_axes; k++) propagate(s, mark, axes[k]);
    counts->propagated = state_mark(s) - done;
    counts->n_conflicts = s->conflicts.n - counts->first_conflict;
    return true;
}
