// A simulation as JSON ("version": 2).
#include "sim/report/sim_report.h"
#include "session/report.h"
#include "spmd/summary/summary.h"
#include "support/json.h"
#include <stdlib.h>

static void json_resident(const Partition *p, ValueId v, Arena *scratch, Buffer *out) {
    Buffer text;
    buf_init(&text, scratch);
    resident_print(p, v, &text);
    buf_json_string(out, (Span){text.at, text.n});
}

static void json_axis_seconds(const Partition *p, const double *by_axis, Buffer *out) {
    buf_char(out, '{');
    for (uint32_t a = 0; a < p->mesh.n_axes; a++) {
        if (a) buf_str(out, ", ");
        buf_json_string(out, p->mesh.axes[a].name);
        buf_format(out, ": %.9g", by_axis[a]);
    }
    buf_char(out, '}');
}

static void json_row(const Partition *p, const SimRow *row, const Device *d, Buffer *out) {
    static const char *const verdicts[] = {"no", "unsure", "yes"};
    const SimResult *r = &row->r;
    buf_str(out, "    {\"tactic\": ");
    if (row->name.n)
        buf_json_string(out, row->name);
    else
        buf_str(out, "null");
    buf_format(out, ", \"seconds\": %.9g, \"compute\": %.9g, \"communication\": %.9g, \"exposed\": %.9g, \"by_axis\": ",
               r->seconds, r->compute, r->communication, r->exposed);
    json_axis_seconds(p, r->by_axis, out);
    buf_format(
        out,
        ",\n     \"flops\": %.0f, \"other_flops\": %.0f, \"bytes\": %.0f, \"mfu\": %.6g, \"hfu\": %.6g, \"peak_memory\": %.0f, \"argument_bytes\": %.0f, \"fits\": %s, \"peak_memory_most\": %.0f, \"verdict\": \"%s\", \"unknown_trip_counts\": %u}",
        r->flops, r->other_flops, r->bytes, row->mfu, row->hfu, r->memory.peak, r->memory.arguments,
        r->memory.peak <= (double)d->memory ? "true" : "false", r->memory.most, verdicts[memory_fits(&r->memory, d)],
        r->unknown_trips);
}

static void json_device(const Device *d, Buffer *out) {
    buf_str(out, "  \"device\": ");
    buf_json_string(out, span_of(d->name));
    buf_format(out,
               ",\n  \"device_memory\": %lld,\n  \"device_bandwidth\": %.9g,\n  \"device_peaks\": {\"vector\": %.9g",
               (long long)d->memory, d->bandwidth, d->vector);
    for (int i = 0; i < PEAK_COUNT; i++)
        if (d->matrix[i] > 0) buf_format(out, ", \"%s\": %.9g", peak_names[i], d->matrix[i]);
    buf_str(out, "},\n");
}

static Span origin_place(const Partition *p, OpId op, Arena *a) {
    OpId origin = p->lowered->origin[op];
    if (origin == NO_ID) return (Span){"", 0};
    Buffer text;
    buf_init(&text, a);
    place_print(p->m, origin, &text);
    return (Span){text.at, text.n};
}

// ---- Kernels -------------------------------------------------------------------------------------------------------

typedef struct KernelGroup { // kernels of one kind from one place of the source
    const char *op;
    Span place;
    double seconds, flops, bytes, runs, memory_seconds; // the last: of those that wait for memory
} KernelGroup;

static int by_origin(const void *a, const void *b) {
    const KernelGroup *x = a, *y = b;
    int order = strcmp(x->op, y->op);
    if (order == 0 && x->place.n && y->place.n)
        order = memcmp(x->place.at, y->place.at, x->place.n < y->place.n ? x->place.n : y->place.n);
    return order ? order : (x->place.n > y->place.n) - (x->place.n < y->place.n);
}

static int by_seconds(const void *a, const void *b) {
    const KernelGroup *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
    return by_origin(a, b);
}

static void group_add(KernelGroup *g, const KernelGroup *more) {
    g->seconds += more->seconds, g->flops += more->flops, g->bytes += more->bytes, g->runs += more->runs;
    g->memory_seconds += more->memory_seconds;
}

#define MAX_GROUPS 300

// The groups that take longest; what is left is one more, without a place.
static void json_kernels(Partition *p, const SimResult *r, Buffer *out) {
    KernelGroup *groups = arena_new(&p->scratch, KernelGroup, r->n_slices + 1);
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; i < r->n_slices; i++) {
        const Slice *e = &r->slices[i];
        if (e->axes) continue;
        groups[n++] = (KernelGroup){op_info[op_kind(p->lowered->m, e->op)].name,
                                    origin_place(p, e->op, &p->scratch),
                                    e->seconds,
                                    e->flops,
                                    e->bytes,
                                    e->runs,
                                    e->bound_by_memory ? e->seconds : 0};
    }
    qsort(groups, n, sizeof *groups, by_origin);
    for (uint32_t i = 0; i < n; i++)
        if (kept && by_origin(&groups[kept - 1], &groups[i]) == 0)
            group_add(&groups[kept - 1], &groups[i]);
        else
            groups[kept++] = groups[i];
    qsort(groups, kept, sizeof *groups, by_seconds);
    if (kept > MAX_GROUPS) {
        KernelGroup rest = {.op = "the rest"};
        for (uint32_t i = MAX_GROUPS; i < kept; i++) group_add(&rest, &groups[i]);
        groups[MAX_GROUPS] = rest;
        kept = MAX_GROUPS + 1;
    }
    buf_str(out, "  \"kernels\": [");
    for (uint32_t i = 0; i < kept; i++) {
        const KernelGroup *g = &groups[i];
        buf_format(out, "%s\n    {\"op\": \"%s\", \"place\": ", i ? "," : "", g->op);
        buf_json_string(out, g->place);
        buf_format(out, ", \"runs\": %.0f, \"seconds\": %.9g, \"flops\": %.0f, \"bytes\": %.0f, \"bound_by\": \"%s\"}",
                   g->runs, g->seconds, g->flops, g->bytes, 2 * g->memory_seconds > g->seconds ? "memory" : "compute");
    }
    buf_str(out, "\n  ]");
}

// ---- Collectives ---------------------------------------------------------------------------------------------------

static void json_collectives(Partition *p, const SimResult *r, Buffer *out) {
    bool first = true;
    Busy busy = busy_times(r, &p->scratch);
    Attribution all = attribute(p->lowered, &p->state, &p->scratch);
    Attributed **by_op = attributed_by_op(&all, p->lowered, &p->scratch);
    buf_str(out, "  \"collectives\": [");
    for (uint32_t i = 0; i < r->n_slices; i++) {
        const Slice *e = &r->slices[i];
        const Attributed *c = by_op[e->op];
        if (!c) continue;
        buf_format(out, "%s\n    {\"kind\": \"%s\", \"axes\": ", first ? "" : ",", collective_names[c->kind]);
        report_json_axes(p->lowered->mesh, c->axes, out);
        buf_format(out,
                   ", \"start\": %.9g, \"seconds\": %.9g, \"exposed\": %.9g, \"runs\": %.0f, \"bytes\": %.0f, \"of\": ",
                   e->start, e->seconds, exposed_seconds(&busy, e), e->runs, e->bytes);
        json_resident(p, op_operand(p->lowered->m, e->op, 0), &p->scratch, out);
        buf_str(out, ", ");
        report_json_served(p, c, out);
        buf_char(out, '}');
        first = false;
    }
    buf_str(out, "\n  ]");
}

// ---- Memory --------------------------------------------------------------------------------------------------------

#define MAX_SAMPLES 500

// The most that is alive in each stretch of the step, and when that is: pairs of seconds and bytes.
static void json_memory(Partition *p, const SimResult *r, Buffer *out) {
    uint32_t n = r->memory.n_steps, samples = n < MAX_SAMPLES ? n : MAX_SAMPLES;
    buf_format(out, "  \"rematerialized\": {\"values\": %u, \"bytes\": %.0f, \"flops\": %.0f},\n",
               r->memory.rematerialized.n, r->memory.rematerialized.bytes, r->memory.rematerialized.flops);
    buf_format(out, "  \"vmem\": %.0f,\n", r->memory.vmem);
    buf_format(out, "  \"memory_between_buffers\": %.0f,\n  \"memory\": [", r->memory.gaps);
    for (uint32_t i = 0, at = 0; i < samples; i++) {
        double most = -1, when = 0;
        for (; at < (uint64_t)n * (i + 1) / samples; at++) {
            if (r->memory.over_time[at] > most) most = r->memory.over_time[at], when = r->when[at];
        }
        buf_format(out, "%s[%.9g, %.0f]", i ? ", " : "", when, most);
    }
    buf_str(out, "],\n  \"alive_at_peak\": [\n");
    for (uint32_t i = 0; i < r->memory.n_residents; i++) {
        ValueId v = r->memory.residents[i].value;
        buf_format(out, "%s    {\"bytes\": %.0f, \"what\": ", i ? ",\n" : "", r->memory.residents[i].bytes);
        json_resident(p, v, &p->scratch, out);
        could_split_json(p, v, out);
        buf_char(out, '}');
    }
    buf_str(out, "\n  ],\n");
    culprits_json(p, &r->memory, &p->scratch, out);
}

void sim_json(Partition *p, const Simulation *s, Buffer *out) {
    buf_str(out, "{\n  \"version\": 2,\n");
    json_device(s->device, out);
    buf_str(out, "  \"mesh\": {");
    for (uint32_t i = 0; i < p->mesh.n_axes; i++) {
        if (i) buf_str(out, ", ");
        buf_json_string(out, p->mesh.axes[i].name);
        buf_format(out, ": %lld", (long long)p->mesh.axes[i].size);
    }
    buf_format(out, "},\n  \"model_flops\": %.0f,\n  \"overlap\": \"%s\",\n  \"tactics\": [\n", s->model_flops,
               s->device->overlap ? "links beside kernels" : "none");
    for (uint32_t i = 0; i < s->n; i++) {
        if (i) buf_str(out, ",\n");
        json_row(p, &s->rows[i], s->device, out);
    }
    buf_str(out, "\n  ],\n");
    json_kernels(p, s->now, out);
    buf_str(out, ",\n");
    json_collectives(p, s->now, out);
    buf_str(out, ",\n");
    json_memory(p, s->now, out);
    buf_str(out, ",\n");
    report_json_values(p, out);
    buf_str(out, "\n}\n");
}
