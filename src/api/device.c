// Devices as the public header sees them: by name, by file, one by one, as a table.
#include "api/handles.h"
#include "support/nearest.h"

// A built-in device, or the file of that name. NULL with a diagnostic.
static const Device *device_open(Context *ctx, const char *name, Arena *a) {
    const Device *built_in = device_find(span_of(name));
    if (built_in) return built_in;
    bool found;
    Source file;
    if (!source_open_if_there(&file, a, name, &found)) return NULL;
    if (!found) {
        Buffer hint;
        buf_init(&hint, a);
        const char **names = arena_new(a, const char *, device_count());
        for (uint32_t i = 0; i < device_count(); i++) names[i] = device_at(i)->name;
        const char *near = nearest_name(span_of(name), names, device_count());
        if (near) buf_format(&hint, "did you mean %s? ", near);
        buf_str(&hint, "`partir devices` lists those that are built in; in Python, partir.devices()");
        diag_error(ctx, NULL, NO_OFFSET, buf_cstr(&hint),
                   "there is no device '%s', neither built in nor as a file", name);
        fail_as(ctx, PARTIR_NOT_FOUND, false);
        return NULL;
    }
    Device *d = arena_zalloc(a, sizeof *d);
    return device_read(ctx, a, &file, d) ? d : NULL;
}

const Device *device_of(const partir_partition *h, const char *name, Arena *a) {
    const Partition *p = &h->p;
    Span written = p->schedule->device.text;
    if (!name) name = h->device;
    if (!name && written.n) name = api_string(a, written);
    if (name) return device_open(p->ctx, name, a);
    diag_error(p->ctx, NULL, NO_OFFSET, "write `device tpu_v5e` in the schedule, or give --device tpu_v5e, in Python device=\"tpu_v5e\"",
               "no device was named");
    fail_as(p->ctx, PARTIR_NOT_FOUND, false);
    return NULL;
}

uint32_t partir_device_count(void) { return device_count(); }

partir_status partir_device(partir_context *ctx, uint32_t index, partir_device_info *out) {
    if (!ctx) return PARTIR_MISUSE;
    if (index >= device_count()) return api_not_found(ctx, "device", index, device_count());
    const Device *d = device_at(index);
    partir_device_info info = {
        .name = d->name, .memory = (double)d->memory, .bandwidth = d->bandwidth, .peak = d->matrix[PEAK_F16]};
    return api_give(ctx, out, &info, sizeof info);
}

typedef struct DevicesCall {
    Context *ctx;
    const char *name;
    partir_text *made;
} DevicesCall;

static void print_links(const Device *d, Buffer *out) {
    for (uint32_t k = 0; k < device_links(d); k++) {
        const Link *l = &d->links[k];
        buf_format(out, "%s %s", k ? "," : "", l->name);
        if (l->torus) buf_format(out, " %lldD torus", (long long)l->torus);
        if (l->devices) buf_format(out, " of %lld", (long long)l->devices);
        buf_format(out, " %g GB/s", l->bandwidth / 1e9);
    }
}

static bool devices_body(void *arg) {
    DevicesCall *call = arg;
    Buffer out;
    call->made = text_new(call->ctx, &out);
    if (call->name) {
        const Device *d = device_open(call->ctx, call->name, &call->made->arena);
        if (!d) return false;
        device_print(d, &out);
    } else {
        buf_format(&out, "%-10s  %9s  %8s  %11s  %s\n", "device", "memory", "GB/s", "TFLOP/s f16", "links");
        for (uint32_t i = 0; i < device_count(); i++) {
            const Device *d = device_at(i);
            buf_format(&out, "%-10s  %5.0f GiB  %8.0f  %11.5g ", d->name, (double)d->memory / 1073741824.,
                       d->bandwidth / 1e9, d->matrix[PEAK_F16] / 1e12);
            print_links(d, &out);
            buf_char(&out, '\n');
        }
    }
    text_finish(call->made, &out);
    return true;
}

partir_status partir_devices(partir_context *ctx, const char *name, partir_text **out) {
    if (!ctx || !out) return api_misuse(ctx, "the pointer for the text is NULL");
    DevicesCall call = {.ctx = ctx, .name = name};
    partir_status status = api_call(ctx, devices_body, &call);
    *out = status == PARTIR_OK ? call.made : NULL;
    return status;
}
