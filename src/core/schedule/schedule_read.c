// The reader of schedules: recursive descent, with the grammar rule above each function. The first error ends it.
//
//     schedule  = { mesh | device | annotations | gathers | rules | tie | rule | tactic | auto | deny | expect }
#include "core/schedule/schedule_read.h"
#include "support/nearest.h"

// ---- mesh, device, tie ----------------------------------------------------------------------------------------------

// mesh = "mesh" name "=" integer { "," name "=" integer }
static bool read_mesh_line(ScheduleReader *r, size_t start) {
    if (r->axes.n > 0) return fail_at(r, start, NULL, "a second mesh line");
    int64_t devices = 1;
    do {
        MeshAxis axis;
        if (!read_schedule_name(r, &axis.name, "the name of an axis")) return false;
        for (uint32_t i = 0; i < r->axes.n; i++)
            if (span_eq(r->axes.at[i].name.text, axis.name.text))
                return fail_at(r, axis.name.offset, NULL, "axis %.*s is in the mesh twice", PRINTABLE(axis.name.text));
        if (!expect_symbol(r, "=", "a mesh is written batch=4, model=2")) return false;
        skip_blank(r);
        size_t at = r->at;
        if (!read_schedule_integer(r, &axis.size, "the size of the axis")) return false;
        if (axis.size < 1) return fail_at(r, at, NULL, "an axis has at least one device");
        if (axis.size > MESH_MAX_DEVICES / devices)
            return fail_at(r, at, NULL, "the mesh has more than %d devices", MESH_MAX_DEVICES);
        devices *= axis.size;
        vec_push(r->arena, &r->axes, axis);
    } while (take_char(r, ','));
    skip_blank(r);
    size_t next = r->at;
    while (is_word_start(word_peek(r)) || is_digit(word_peek(r))) r->at++;
    if (r->at > next && take_char(r, '='))
        return fail_at(r, next, "a mesh is written batch=4, model=2", "expected ',' before another axis");
    r->at = next;
    return true;
}

// device = "device" ( name | string )
static bool read_device(ScheduleReader *r, size_t start) {
    if (r->device.text.n > 0) return fail_at(r, start, NULL, "a second device line");
    skip_blank(r);
    return word_peek(r) == '"' ? read_schedule_string(r, &r->device)
                               : read_schedule_name(r, &r->device, "the name of a device");
}

// gathers = "gathers" ( "per_use" | "shared" | "weights_per_use" | "whole_tables" | "least" )
static bool read_gathers(ScheduleReader *r, size_t start) {
    (void)start;
    for (uint32_t k = 0; k < sizeof gather_policies / sizeof *gather_policies; k++)
        if (take_keyword(r, gather_policies[k])) {
            r->gathers = (GatherPolicy)k;
            r->gathers_given = true;
            return true;
        }
    return fail_at(r, r->at,
                   "per_use: a gather for each use; shared: one for all uses, which keeps the whole value between them; "
                   "weights_per_use: per_use for arguments, shared for computed values; whole_tables: per_use, also for lookups; "
                   "least: per_use, but no gather where a product in chunks of the weight sends less",
                   "expected 'per_use', 'shared', 'weights_per_use', 'whole_tables' or 'least', found %s", found_text(r));
}

// annotations = "annotations" ( "apply" | "ignore" | "error" )
static bool read_annotations(ScheduleReader *r, size_t start) {
    (void)start;
    for (uint32_t k = 0; k < sizeof annotation_modes / sizeof *annotation_modes; k++)
        if (take_keyword(r, annotation_modes[k])) {
            r->annotations = (AnnotationMode)k;
            return true;
        }
    return fail_at(r, r->at, "apply: they are tactics before the schedule's; ignore: they are dropped",
                   "expected 'apply', 'ignore' or 'error', found %s", found_text(r));
}

// rules = "rules" "trust"
static bool read_rules(ScheduleReader *r, size_t start) {
    (void)start;
    r->trust_rules = true;
    return expect_symbol(r, "trust", "`rules trust` takes the sdy.sharding_rule of custom calls for their rules");
}

// A path as it is, without wildcards: { any byte but space and braces }
static bool read_path(ScheduleReader *r, Word *out) {
    if (!read_schedule_pattern(r, out, "a path")) return false;
    for (size_t i = 0; i < out->text.n; i++)
        if (strchr("*{}", out->text.at[i]))
            return fail_at(r, out->offset + i,
                           "a tie names the roots of two subtrees; all below them with equal tails is tied",
                           "a tie takes no pattern");
    return true;
}

// tie = "tie" path "->" path
static bool read_tie(ScheduleReader *r, size_t start) {
    (void)start;
    Tie tie;
    if (!read_path(r, &tie.from) || !expect_symbol(r, "->", "a tie is written: tie params -> out/0") ||
        !read_path(r, &tie.to))
        return false;
    vec_push(r->arena, &r->ties, tie);
    return true;
}

// ---- deny, expect ----------------------------------------------------------------------------------------------------

static int64_t flop_unit(Span name) {
    static const char *const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"};
    int64_t flops = 1;
    for (int i = 0; i < 5; i++, flops *= 1000)
        if (span_is(name, units[i])) return flops;
    return 0;
}

static bool read_flops(ScheduleReader *r, int64_t *out) {
    return read_schedule_quantity(r, flop_unit, "a number of FLOPs such as 1GFLOP",
                                  "one of FLOP, kFLOP, MFLOP, GFLOP, TFLOP", out);
}

static const char *did_you_mean(const ScheduleReader *r, const char *near) {
    Buffer hint;
    buf_init(&hint, r->arena);
    buf_format(&hint, "did you mean %s?", near);
    return buf_cstr(&hint);
}

// collective = "all_gather" | "all_reduce" | "reduce_scatter" | "all_to_all" | "collective_permute" | "collective"
static bool read_collective(ScheduleReader *r, Word *out) {
    // ORDER CollectiveKind, and any of them
    static const char *const kinds[] = {"all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute",
                                        "collective"};
    if (!read_schedule_name(r, out, "a collective, conflict or replicated")) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (span_is(out->text, kinds[i])) return true;
    const char *near = nearest_name(out->text, kinds, sizeof kinds / sizeof *kinds);
    return fail_at(r, out->offset,
                   near ? did_you_mean(r, near)
                        : "all_gather, all_reduce, reduce_scatter, all_to_all, collective_permute or collective",
                   "there is no collective %.*s", PRINTABLE(out->text));
}

// where = [ "on" axis { "," axis } ] [ "in" pattern ] [ "above" bytes ]
static bool read_where(ScheduleReader *r, Demand *d) {
    if (take_keyword(r, "on")) {
        Words axes = {0};
        do {
            Word axis;
            if (!read_tactic_axis(r, &axis)) return false;
            vec_push(r->arena, &axes, axis);
        } while (take_char(r, ','));
        d->n_axes = axes.n;
        d->axes = axes.at;
    }
    if (take_keyword(r, "in") && !read_schedule_pattern(r, &d->in, "a pattern")) return false;
    return !take_keyword(r, "above") || read_schedule_bytes(r, &d->above);
}

// deny = "deny" ( collective where | "conflict" | "replicated" [ "above" flops ] )
static bool read_deny(ScheduleReader *r, size_t start) {
    Demand d = {.kind = DENY_COLLECTIVE, .offset = (uint32_t)start};
    if (take_keyword(r, "conflict")) {
        d.kind = DENY_CONFLICT;
    } else if (take_keyword(r, "replicated")) {
        d.kind = DENY_REPLICATED;
        if (take_keyword(r, "above") && !read_flops(r, &d.above)) return false;
    } else if (!read_collective(r, &d.collective) || !read_where(r, &d)) {
        return false;
    }
    vec_push(r->arena, &r->demands, d);
    return true;
}

// expect = "expect" collective integer where
static bool read_expect(ScheduleReader *r, size_t start) {
    Demand d = {.kind = EXPECT_COLLECTIVE, .offset = (uint32_t)start};
    if (!read_collective(r, &d.collective) || !read_schedule_integer(r, &d.count, "how many")) return false;
    if (!read_where(r, &d)) return false;
    vec_push(r->arena, &r->demands, d);
    return true;
}

// ---- schedule -------------------------------------------------------------------------------------------------------

static const struct Statement {
    const char *keyword;
    bool (*read)(ScheduleReader *r, size_t start);
} statements[] = {{"mesh", read_mesh_line},  {"device", read_device},
                  {"gathers", read_gathers}, {"tie", read_tie},
                  {"tactic", read_tactic},   {"auto", read_auto},
                  {"rule", read_rule},       {"deny", read_deny},
                  {"expect", read_expect},   {"annotations", read_annotations},
                  {"rules", read_rules}};

static bool read_statement(ScheduleReader *r) {
    const char *keywords[sizeof statements / sizeof *statements];
    uint32_t n = sizeof statements / sizeof *statements;
    size_t start = r->at;
    for (uint32_t i = 0; i < n; i++) {
        if (take_keyword(r, statements[i].keyword)) return statements[i].read(r, start);
        keywords[i] = statements[i].keyword;
    }
    while (is_word_start(word_peek(r))) r->at++;
    const char *near = nearest_name(word_since(r, start).text, keywords, n);
    r->at = start;
    return fail_at(
        r, start,
        near
            ? did_you_mean(r, near)
            : "a schedule is made of mesh, device, annotations, gathers, rules, tie, rule, tactic, auto, deny and expect",
        "expected a statement, found %s", found_text(r));
}

bool selector_read(Context *ctx, Arena *a, const Source *source, TacticLine *out) {
    ScheduleReader r = {.ctx = ctx, .arena = a, .source = source};
    if (source->n > UINT32_MAX) return diag_error(ctx, source, 0, NULL, "a pattern of more than 4 GiB");
    *out = (TacticLine){0};
    if (!read_selector(&r, out)) return false;
    skip_blank(&r);
    return word_at_end(&r) || fail_at(&r, r.at, "a path with a space or a colon is written in quotes",
                                      "expected 'if' or the end of the pattern, found %s", found_text(&r));
}

bool schedule_read(Context *ctx, Arena *a, const Source *source, Schedule *out) {
    ScheduleReader r = {.ctx = ctx, .arena = a, .source = source};
    if (source->n > UINT32_MAX) return diag_error(ctx, source, 0, NULL, "a schedule of more than 4 GiB");
    for (skip_blank(&r); !word_at_end(&r); skip_blank(&r))
        if (!read_statement(&r)) return false;
    *out = (Schedule){.source = source,
                      .n_axes = r.axes.n,
                      .axes = r.axes.at,
                      .device = r.device,
                      .annotations = r.annotations,
                      .trust_rules = r.trust_rules,
                      .gathers = r.gathers,
                      .gathers_given = r.gathers_given,
                      .n_ties = r.ties.n,
                      .ties = r.ties.at,
                      .n_rules = r.rules.n,
                      .rules = r.rules.at,
                      .n_tactics = r.tactics.n,
                      .tactics = r.tactics.at,
                      .n_demands = r.demands.n,
                      .demands = r.demands.at};
    return true;
}
