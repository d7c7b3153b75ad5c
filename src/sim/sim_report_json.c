// A simulation as JSON ("version": 1), and as a trace in the format of Chrome's about:tracing, which Perfetto opens too.
#include "sim/sim_report.h"

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
    const SimResult *r = &row->r;
    buf_str(out, "    {\"tactic\": ");
    if (row->name.n) buf_json_string(out, row->name);
    else buf_str(out, "null");
    buf_format(out, ", \"seconds\": %.9g, \"compute\": %.9g, \"communication\": %.9g, \"by_axis\": ", r->seconds, r->compute, r->communication);
    json_axis_seconds(p, r->by_axis, out);
    buf_format(out, ",\n     \"flops\": %.0f, \"other_flops\": %.0f, \"bytes\": %.0f, \"mfu\": %.6g, \"peak_memory\": %.0f, \"argument_bytes\": %.0f, \"fits\": %s, \"unknown_trip_counts\": %u}", r->flops, r->other_flops, r->bytes, row->mfu, r->memory.peak, r->memory.arguments, r->memory.peak <= (double)d->memory ? "true" : "false", r->unknown_trips);
}

void sim_json(Partition *p, const Simulation *s, Buffer *out) {
    buf_str(out, "{\n  \"version\": 1,\n  \"device\": ");
    buf_json_string(out, span_of(s->device->name));
    buf_format(out, ",\n  \"device_memory\": %lld,\n  \"mesh\": {", (long long)s->device->memory);
    for (uint32_t i = 0; i < p->mesh.n_axes; i++) {
        if (i) buf_str(out, ", ");
        buf_json_string(out, p->mesh.axes[i].name);
        buf_format(out, ": %lld", (long long)p->mesh.axes[i].size);
    }
    buf_format(out, "},\n  \"model_flops\": %.0f,\n  \"overlap\": \"none\",\n  \"tactics\": [\n", s->model_flops);
    for (uint32_t i = 0; i < s->n; i++) {
        if (i) buf_str(out, ",\n");
        json_row(p, &s->rows[i], s->device, out);
    }
    buf_str(out, "\n  ],\n  \"alive_at_peak\": [\n");
    const MemoryUse *memory = &s->now->memory;
    for (uint32_t i = 0; i < memory->n_residents; i++) {
        buf_format(out, "%s    {\"bytes\": %.0f, \"what\": ", i ? ",\n" : "", memory->residents[i].bytes);
        json_resident(p, memory->residents[i].value, &p->scratch, out);
        buf_char(out, '}');
    }
    buf_str(out, "\n  ]\n}\n");
}

// Track 1 has the kernels, track 2 + a the collectives of axis a (several axes: the first).
void sim_trace(Partition *p, const Simulation *s, Buffer *out) {
    const Module *m = p->lowered->m;
    buf_str(out, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n{\"ph\": \"M\", \"pid\": 1, \"tid\": 1, \"name\": \"thread_name\", \"args\": {\"name\": \"kernels\"}}");
    for (uint32_t a = 0; a < p->mesh.n_axes; a++) {
        buf_format(out, ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"name\": \"thread_name\", \"args\": {\"name\": ", 2 + a);
        buf_json_string(out, p->mesh.axes[a].name);
        buf_str(out, "}}");
    }
    for (uint32_t i = 0; i < s->now->n_slices; i++) {
        const Slice *e = &s->now->slices[i];
        uint32_t track = 1;
        for (uint32_t a = 0; a < p->mesh.n_axes && track == 1; a++)
            if (e->axes >> a & 1) track = 2 + a;
        buf_format(out, ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %.4f, \"dur\": %.4f, \"name\": \"%s\", \"args\": {\"runs\": %.0f", track, e->start * 1e6, e->seconds * 1e6, op_info[op_kind(m, e->op)].name, e->runs);
        if (!e->axes) buf_format(out, ", \"bound_by\": \"%s\"", e->bound_by_memory ? "memory" : "compute");
        if (op_get(m, e->op)->n_results) {
            buf_str(out, ", \"what\": ");
            json_resident(p, op_result(m, e->op, 0), &p->scratch, out);
        }
        buf_str(out, "}}");
    }
    buf_str(out, "\n]}\n");
}
