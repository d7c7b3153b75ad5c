// Simulation and devices as the public header sees them.
#include "api/handles.h"
#include "sim/cost/op_cost.h"
#include "sim/report/sim_report.h"

typedef struct SimulateCall {
    Context *ctx;
    partir_partition *h;
    const char *device;
    partir_simulation_format format;
    partir_text *made;
} SimulateCall;

const Device *device_open(Context *ctx, const char *name, Arena *a) {
    const Device *built_in = device_find(span_of(name));
    if (built_in) return built_in;
    bool found;
    Source file;
    if (!source_open_if_there(&file, a, name, &found)) return NULL;
    if (!found) {
        diag_error(ctx, NULL, NO_OFFSET, "`partir devices` lists those that are built in",
                   "there is no device '%s', neither built in nor as a file", name);
        return NULL;
    }
    Device *d = arena_zalloc(a, sizeof *d);
    return device_read(ctx, a, &file, d) ? d : NULL;
}

bool simulation_record(partir_partition *h, SimResult *now) {
    Partition *p = &h->p;
    const Lowered *l = partition_lowered(p);
    if (!l) return false;
    simulate(l, h->device, &p->scratch, now);
    vec_push(&p->arena, &h->rows, sim_row(p, now, h->device, h->model_flops, &p->arena));
    return true;
}

static bool choose_device(SimulateCall *call) {
    partir_partition *h = call->h;
    Partition *p = &h->p;
    const char *name = call->device;
    if (!name && h->device) return true;
    if (!name) {
        Span written = p->schedule->device.text;
        if (written.n == 0)
            return diag_error(p->ctx, NULL, NO_OFFSET, "write `device tpu_v5e` in the schedule or give --device",
                              "no device was named");
        char *copy = arena_alloc(&p->arena, written.n + 1);
        memcpy(copy, written.at, written.n);
        copy[written.n] = 0;
        name = copy;
    }
    if (h->device && strcmp(name, h->device_name) == 0) return true;
    const Device *d = device_open(p->ctx, name, &p->arena);
    if (!d) return false;
    size_t n = strlen(name) + 1;
    h->device_name = memcpy(arena_alloc(&p->arena, n), name, n);
    h->device = d;
    h->rows.n = 0;
    h->model_flops = module_flops(p->m);
    return true;
}

static bool simulate_body(void *arg) {
    SimulateCall *call = arg;
    partir_partition *h = call->h;
    Partition *p = &h->p;
    arena_init(&p->scratch, p->ctx);
    if (!choose_device(call)) return false;
    SimResult now;
    if (h->rows.n == 0) {
        if (!simulation_record(h, &now)) return false;
    } else {
        if (!partition_lowered(p)) return false;
        simulate(p->lowered, h->device, &p->scratch, &now);
    }
    sort_residents(&now.memory);
    source_index(&p->m->source, &p->m->arena);
    Simulation s = {
        .device = h->device, .model_flops = h->model_flops, .n = h->rows.n, .rows = h->rows.at, .now = &now};
    Buffer out;
    partir_text *t = text_new(p->ctx, &out);
    if (call->format == PARTIR_SIMULATION_TABLE)
        sim_table(p, &s, &out), text_make_printable(out.at, out.n, true);
    else if (call->format == PARTIR_SIMULATION_JSON)
        sim_json(p, &s, &out);
    else
        sim_trace(p, &s, &out);
    text_finish(t, &out);
    arena_free(&p->scratch);
    call->made = t;
    return true;
}

partir_text *partir_partition_simulate(partir_partition *h, const char *device, partir_simulation_format format) {
    SimulateCall call = {.h = h, .device = device, .format = format};
    const Lowered *had = h->p.lowered;
    const Device *device_before = h->device;
    bool ok = api_call(h->p.ctx, simulate_body, &call);
    if (ok) return call.made;
    if (!had) h->p.lowered = NULL; // made in this call, and gone with it
    h->device = device_before;
    if (!device_before) h->rows.n = 0;
    return NULL;
}

// ---- Devices ------------------------------------------------------------------------------------------------------------------

static bool devices_body(void *arg) {
    SimulateCall *call = arg;
    Buffer out;
    partir_text *t = text_new(call->ctx, &out);
    if (call->device) {
        const Device *d = device_open(call->ctx, call->device, &t->arena);
        if (!d) return false;
        device_print(d, &out);
    } else {
        buf_format(&out, "%-10s  %9s  %8s  %11s  %s\n", "device", "memory", "GB/s", "TFLOP/s f16", "links");
        for (uint32_t i = 0; i < device_count(); i++) {
            const Device *d = device_at(i);
            buf_format(&out, "%-10s  %5.0f GiB  %8.0f  %11.5g ", d->name, (double)d->memory / 1073741824.,
                       d->bandwidth / 1e9, d->matrix[PEAK_F16] / 1e12);
            for (uint32_t k = 0; k < device_links(d); k++) {
                const Link *l = &d->links[k];
                buf_format(&out, "%s %s", k ? "," : "", l->name);
                if (l->torus) buf_format(&out, " %lldD torus", (long long)l->torus);
                if (l->devices) buf_format(&out, " of %lld", (long long)l->devices);
                buf_format(&out, " %g GB/s", l->bandwidth / 1e9);
            }
            buf_char(&out, '\n');
        }
    }
    text_finish(t, &out);
    call->made = t;
    return true;
}

partir_text *partir_devices(partir_context *ctx, const char *name) {
    SimulateCall call = {.ctx = ctx, .device = name};
    bool ok = api_call(ctx, devices_body, &call);
    return ok ? call.made : NULL;
}
