// The table of a simulation: time and memory after each tactic, then who lives at the peak.
#include "sim/report/sim_report.h"
#include "sim/report/sim_cause.h"
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
    row.r.when = NULL;
    row.r.memory.residents = NULL;
    row.r.memory.over_time = NULL;
    // The mean peak over the element types that the program uses.
    double peak = r->seconds_at_peak > 0 ? r->flops / r->seconds_at_peak : d->vector;
    row.mfu = r->seconds > 0 ? model_flops / (r->seconds * peak * (d->shared ? 1 : (double)p->mesh.n_devices)) : 0;
    return row;
}

static void seconds_text(double s, char out[32]) {
    if (s == 0)
        snprintf(out, 32, "0");
    else if (s < 1e-3)
        snprintf(out, 32, "%.1f us", s * 1e6);
    else if (s < 1)
        snprintf(out, 32, "%.2f ms", s * 1e3);
    else
        snprintf(out, 32, "%.3f s", s);
}

static void change_text(double now, double before, char out[32]) {
    if (before <= 0)
        snprintf(out, 32, "-");
    else
        snprintf(out, 32, "%+.1f %%", 100 * (now / before - 1));
}

void resident_print(const Partition *p, ValueId v, Buffer *out) {
    const Lowered *l = p->lowered;
    const Value *val = &l->m->values.at[v];
    if (val->is_arg) {
        if (l->m->regions.at[val->owner].parent == module_main(l->m))
            buf_format(out, "argument %s", p->m->argument_names[val->index]);
        else
            buf_format(out, "carried value %u", val->index);
        return;
    }
    buf_str(out, op_info[op_kind(l->m, val->owner)].name);
    OpId origin = l->origin[val->owner];
    if (origin == NO_ID) return;
    buf_str(out, " at ");
    place_print(p->m, origin, out);
}

static void print_row(const Partition *p, const SimRow *row, const SimRow *before, Buffer *out) {
    char text[32];
    const SimResult *r = &row->r;
    Span name = row->name.n ? row->name : SPAN("(start)");
    buf_format(out, "%-8.*s  ", (int)name.n, name.at);
    seconds_text(r->seconds, text);
    buf_format(out, "%10s  ", text);
    change_text(r->seconds, before ? before->r.seconds : 0, text);
    buf_format(out, "%8s  ", text);
    seconds_text(r->compute, text);
    buf_format(out, "%10s  ", text);
    for (uint32_t a = 0; a < p->mesh.n_axes; a++) {
        seconds_text(r->by_axis[a], text);
        buf_format(out, "%10s  ", text);
    }
    buf_format(out, "%5.1f %%  ", 100 * row->mfu);
    bytes_text(r->memory.peak, 2, text);
    buf_format(out, "%11s  ", text);
    change_text(r->memory.peak, before ? before->r.memory.peak : 0, text);
    buf_format(out, "%8s\n", text);
}

#define MAX_RESIDENTS 12

static void print_peak(Partition *p, const SimResult *r, const Device *d, Buffer *out) {
    char text[32], memory[32];
    bytes_text(r->memory.peak, 2, text);
    bytes_text((double)d->memory, 2, memory);
    buf_format(out, "\npeak %s of %s (%s", text, memory, r->memory.peak <= (double)d->memory ? "fits" : "does not fit");
    if (r->memory.n_rematerialized) {
        bytes_text(r->memory.rematerialized_bytes, 2, text);
        buf_format(out, ", with %u values of %s rematerialized: %.3g FLOP more",
                   r->memory.n_rematerialized, text, r->memory.rematerialized_flops);
    }
    buf_char(out, ')');
    if (r->memory.peak_op != NO_ID) {
        buf_format(out, " at %s", op_info[op_kind(p->lowered->m, r->memory.peak_op)].name);
        if (p->lowered->origin[r->memory.peak_op] != NO_ID)
            buf_char(out, ' '), place_print(p->m, p->lowered->origin[r->memory.peak_op], out);
    }
    if (r->memory.vmem > 0) bytes_text(r->memory.vmem, 2, text), buf_format(out, ", and up to %s of VMEM", text);
    buf_str(out, "; alive then:\n");
    double rest = 0;
    for (uint32_t i = 0; i < r->memory.n_residents; i++) {
        const Resident *b = &r->memory.residents[i];
        if (i >= MAX_RESIDENTS) {
            rest += b->bytes;
            continue;
        }
        bytes_text(b->bytes, 2, text);
        buf_format(out, "  %11s  ", text);
        resident_print(p, b->value, out);
        if (p->lowered->dist[b->value]) {
            buf_char(out, ' ');
            dist_print(p->lowered->dist[b->value], p->lowered->mesh, value_tensor(p->lowered->m, b->value)->rank, out);
        }
        AxisId axis;
        uint32_t dim;
        if (value_could_split(p, b->value, &axis, &dim))
            buf_format(out, "  (%.*s could split dimension %u)", (int)p->mesh.axes[axis].name.n,
                       p->mesh.axes[axis].name.at, dim);
        buf_char(out, '\n');
    }
    if (rest > 0)
        bytes_text(rest, 2, text), buf_format(out, "  %11s  %u more\n", text, r->memory.n_residents - MAX_RESIDENTS);
}

void sim_table(Partition *p, const Simulation *s, Buffer *out) {
    buf_format(out, "device %s, mesh ", s->device->name);
    mesh_print(&p->mesh, out);
    buf_format(out, " (%lld devices); one step, %s\n\n", (long long)p->mesh.n_devices,
               s->device->overlap ? "communication beside compute" : "no overlap of compute and communication");
    buf_format(out, "%-8s  %10s  %8s  %10s  ", "tactic", "step", "change", "compute");
    for (uint32_t a = 0; a < p->mesh.n_axes; a++)
        buf_format(out, "%10.*s  ", (int)p->mesh.axes[a].name.n, p->mesh.axes[a].name.at);
    buf_format(out, "%7s  %11s  %8s\n", "MFU", "peak memory", "change");
    for (uint32_t i = 0; i < s->n; i++) print_row(p, &s->rows[i], i ? &s->rows[i - 1] : NULL, out);
    print_peak(p, s->now, s->device, out);
    if (s->now->unknown_trips)
        buf_format(out, "\n%u loops have no known trip count; they are counted as if they ran once\n",
                   s->now->unknown_trips);
}
