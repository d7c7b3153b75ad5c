// The table of a simulation: time and memory after each tactic, then the values alive at the peak.
#include "sim/report/sim_report.h"
#include "session/report.h"
#include "support/bytes.h"
#include <math.h>
#include <stdio.h>

SimRow sim_row(const Partition *p, const SimResult *r, const Device *d, double model_flops, Arena *a) {
    SimRow row = {.r = *r};
    if (p->applied.n) row.name = p->applied.at[p->applied.n - 1].name;
    double *by_axis = arena_new(a, double, p->mesh.n_axes);
    memcpy(by_axis, r->by_axis, p->mesh.n_axes * sizeof *by_axis);
    row.r.by_axis = by_axis;
    row.r.slices = NULL;
    row.r.loops = NULL;
    row.r.when = NULL;
    row.r.memory.residents = NULL;
    row.r.memory.over_time = NULL;
    // The mean peak over the element types that the program uses.
    double peak = r->seconds_at_peak > 0 ? r->flops / r->seconds_at_peak : d->vector;
    row.mfu = r->seconds > 0 ? model_flops / (r->seconds * peak * (d->shared ? 1 : (double)p->mesh.n_devices)) : 0;
    row.hfu = r->seconds > 0 ? r->seconds_at_peak * (d->shared ? (double)p->mesh.n_devices : 1) / r->seconds : 0;
    return row;
}

static void print_time_cell(double s, Buffer *out) {
    char text[32] = "0";
    if (s >= 1)
        snprintf(text, sizeof text, "%.3f s", s);
    else if (s >= 1e-3)
        snprintf(text, sizeof text, "%.2f ms", s * 1e3);
    else if (s != 0)
        snprintf(text, sizeof text, "%.1f us", s * 1e6);
    buf_format(out, "%10s  ", text);
}

static void print_change_cell(double now, double before, const char *then, Buffer *out) {
    char text[32] = "-";
    if (before > 0) snprintf(text, sizeof text, "%+.1f %%", 100 * (now / before - 1));
    buf_format(out, "%8s%s", text, then);
}

static void print_row(const Partition *p, const SimRow *row, const SimRow *before, Buffer *out) {
    char text[32];
    const SimResult *r = &row->r;
    Span name = row->name.n ? row->name : SPAN("(start)");
    buf_format(out, "%-8.*s  ", (int)name.n, name.at);
    print_time_cell(r->seconds, out);
    print_change_cell(r->seconds, before ? before->r.seconds : 0, "  ", out);
    print_time_cell(r->compute, out);
    for (uint32_t a = 0; a < p->mesh.n_axes; a++) print_time_cell(r->by_axis[a], out);
    buf_format(out, "%5.1f %%  %5.1f %%  ", 100 * row->mfu, 100 * row->hfu);
    bytes_text(r->memory.peak, 2, text);
    buf_format(out, "%11s  ", text);
    print_change_cell(r->memory.peak, before ? before->r.memory.peak : 0, "\n", out);
}

static void print_peak(Partition *p, const SimResult *r, const Device *d, Buffer *out) {
    char text[32], memory[32];
    bytes_text(r->memory.peak, 2, text);
    bytes_text((double)d->memory, 2, memory);
    FitVerdict fits = memory_fits(&r->memory, d);
    static const char *const verdicts[] = {"does not fit", "unsure", "fits"};
    buf_format(out, "\npeak %s of %s (%s", text, memory, verdicts[fits]);
    if (fits == FITS_UNSURE) {
        bytes_text(r->memory.most, 2, text);
        buf_format(out, ": up to %s if the compiler leaves temporaries in the order in which they are written", text);
    }
    if (r->memory.rematerialized.n) {
        bytes_text(r->memory.rematerialized.bytes, 2, text);
        buf_format(out, ", with %u value%s of %s rematerialized: %.3g FLOP more",
                   r->memory.rematerialized.n, plural(r->memory.rematerialized.n), text, r->memory.rematerialized.flops);
    }
    buf_char(out, ')');
    if (r->memory.peak_op != NO_ID) {
        buf_format(out, " at %s", op_info[op_kind(p->lowered->m, r->memory.peak_op)].name);
        if (p->lowered->origin[r->memory.peak_op] != NO_ID)
            buf_char(out, ' '), place_print(p->m, p->lowered->origin[r->memory.peak_op], out);
    }
    if (r->memory.vmem > 0) bytes_text(r->memory.vmem, 2, text), buf_format(out, ", and up to %s of VMEM", text);
    buf_str(out, "; alive then:\n");
    culprits_table(p, &r->memory, &p->scratch, out);
}

// What sends most, as in the report without a device, with the time that it takes and what of that no kernel runs beside.
static void print_timed_collectives(Partition *p, const SimResult *r, Buffer *out) {
    Attribution all = attribute(p->lowered, &p->state, &p->scratch);
    time_collectives(&all, p->lowered, r, &p->scratch);
    AttributedGroups groups = attribution_groups(&all, &p->scratch);
    if (groups.n == 0) return;
    AttributedGroup rest = {0};
    buf_format(out, "\n%11s  %6s  %10s  %10s  collectives and what they serve, most bytes first\n", "sent/device", "runs",
               "time", "exposed");
    for (uint32_t i = 0; i <= groups.n && i <= MAX_GROUPS_SHOWN; i++) {
        const AttributedGroup *g = i < groups.n ? &groups.at[i] : NULL;
        for (uint32_t k = i; i == MAX_GROUPS_SHOWN && k < groups.n; k++) {
            rest.bytes += groups.at[k].bytes, rest.runs += groups.at[k].runs;
            rest.seconds += groups.at[k].seconds, rest.exposed += groups.at[k].exposed, g = &rest;
        }
        if (!g) break;
        char text[32];
        bytes_text(g->bytes, 1, text), buf_format(out, "%11s  %6.0f  ", text, g->runs);
        print_time_cell(g->seconds, out);
        print_time_cell(g->exposed, out);
        if (g == &rest)
            buf_format(out, "in %u more groups: --json has them all\n", groups.n - MAX_GROUPS_SHOWN);
        else
            report_group(p, g, out);
    }
}

void sim_table(Partition *p, const Simulation *s, Buffer *out) {
    buf_format(out, "device %s, mesh ", s->device->name);
    mesh_print(&p->mesh, out);
    buf_format(out, " (%lld device%s); one step, %s\n\n", (long long)p->mesh.n_devices, plural(p->mesh.n_devices),
               s->device->overlap == OVERLAP_ALL ? "communication beside compute"
               : s->device->overlap            ? "some kinds of collectives beside compute"
                                               : "no overlap of compute and communication");
    buf_format(out, "%-8s  %10s  %8s  %10s  ", "tactic", "step", "change", "compute");
    for (uint32_t a = 0; a < p->mesh.n_axes; a++)
        buf_format(out, "%10.*s  ", (int)p->mesh.axes[a].name.n, p->mesh.axes[a].name.at);
    buf_format(out, "%7s  %7s  %11s  %8s\n", "MFU", "HFU", "peak memory", "change");
    for (uint32_t i = 0; i < s->n; i++) print_row(p, &s->rows[i], i ? &s->rows[i - 1] : NULL, out);
    buf_str(out, "\ncompute, and each axis: how long that is busy in a step; change: from the row before; MFU: share of the device's peak\n");
    print_timed_collectives(p, s->now, out);
    print_peak(p, s->now, s->device, out);
    if (s->now->unknown_trips)
        trips_note(s->now->unknown_trips, out);
}
