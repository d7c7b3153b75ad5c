// A simulation as a trace in the format of Chrome's about:tracing, which Perfetto opens too.
//
//     kernels   |while, 24 trips                                        |
//               |layers/up/dot_general by BP, MP  |layers/mul by BP     |
//     model                                       |all_reduce by MP for layers/up/dot_general|
//     memory    _____/--------------\_____________
//
// Times are whole nanoseconds. Each is rounded by itself, so that an op inside a loop lies inside the loop in the trace too.
#include "ir/analysis/trip.h"
#include "session/report.h"
#include "sim/report/sim_report.h"
#include "support/json.h"
#include <math.h>

typedef struct Tracing {
    Partition *p;
    const SimResult *r;
    Attributed **collective; // by op; NULL for all that is none
    Busy busy;
    Buffer *out;
} Tracing;

enum { KERNELS = 1 }; // the first track; behind it come the axes

static double nanoseconds(double seconds) { return floor(seconds * 1e9 + 0.5); }

static uint32_t track_of(const Tracing *t, const Slice *e) {
    for (uint32_t a = 0; a < t->p->mesh.n_axes; a++)
        if (e->axes >> a & 1) return KERNELS + 1 + a;
    return KERNELS;
}

// Up to its arguments' first member.
static void begin_event(Tracing *t, uint32_t track, double start, double end, Span name) {
    double from = nanoseconds(start);
    buf_format(t->out, ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %.3f, \"dur\": %.3f, \"name\": ", track,
               from / 1e3, (nanoseconds(end) - from) / 1e3);
    buf_json_string(t->out, name);
    buf_str(t->out, ", \"args\": {");
}

static void trace_track(Tracing *t, uint32_t track, Span name) {
    buf_format(t->out, "{\"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"name\": \"thread_name\", \"args\": {\"name\": ", track);
    buf_json_string(t->out, name);
    buf_str(t->out, "}}");
}

// ---- Names ----------------------------------------------------------------------------------------------------------

// The path of the op that it is for, without `loc/`; without one, the op.
static void scope_print(const Tracing *t, OpId op, Buffer *name) {
    static const char prefix[] = "loc/";
    OpId origin = t->p->lowered->origin[op];
    const char *path = origin == NO_ID ? NULL : location_path(t->p->m, origin, &t->p->scratch);
    const char *plain = op_info[op_kind(t->p->lowered->m, op)].name, *dot = strchr(plain, '.');
    if (path && strncmp(path, prefix, sizeof prefix - 1) == 0) path += sizeof prefix - 1;
    buf_str(name, path && *path ? path : dot ? dot + 1 : plain);
}

// The tactics that tile an op, each once.
static void tactics_print(const Tracing *t, OpId op, Buffer *name) {
    const State *s = &t->p->state;
    OpId origin = t->p->lowered->origin[op];
    NodeId n = origin == NO_ID ? NO_ID : t->p->graph.op_node[origin];
    if (n == NO_ID) return;
    const Cause *cause = s->cause + (size_t)n * s->depth;
    bool any = false;
    for (uint32_t k = 0; k < s->nest_n[n]; k++) {
        bool named = false;
        for (uint32_t i = 0; i < k; i++) named |= cause[i].tactic == cause[k].tactic;
        if (named) continue;
        buf_str(name, any ? ", " : " by ");
        buf_span(name, s->tactic_names.at[cause[k].tactic]);
        any = true;
    }
}

static Span slice_name(const Tracing *t, const Slice *e, const Attributed *c) {
    Buffer name;
    buf_init(&name, &t->p->scratch);
    if (!c) {
        scope_print(t, e->op, &name);
        tactics_print(t, e->op, &name);
        return (Span){name.at, name.n};
    }
    buf_str(&name, collective_names[c->kind]);
    if (c->tactic >= 0) buf_str(&name, " by "), buf_span(&name, t->p->state.tactic_names.at[c->tactic]);
    buf_str(&name, *c->path ? " for " : " of ");
    if (*c->path)
        scope_print(t, e->op, &name);
    else
        buf_str(&name, c->serves);
    return (Span){name.at, name.n};
}

// ---- Events ---------------------------------------------------------------------------------------------------------

static void trace_slice(Tracing *t, const Slice *e) {
    const Module *m = t->p->lowered->m;
    const Attributed *c = t->collective[e->op];
    begin_event(t, track_of(t, e), e->start, e->start + e->seconds, slice_name(t, e, c));
    buf_format(t->out, "\"op\": \"%s\", \"runs\": %.0f", op_info[op_kind(m, e->op)].name, e->runs);
    if (c) {
        buf_format(t->out, ", \"bytes\": %.0f, \"exposed\": %.3f, ", e->bytes, exposed_seconds(&t->busy, e) * 1e6);
        report_json_served(t->p, c, t->out);
    } else {
        buf_format(t->out, ", \"bound_by\": \"%s\"", e->bound_by_memory ? "memory" : "compute");
        OpId origin = t->p->lowered->origin[e->op];
        if (origin != NO_ID) {
            Buffer place;
            buf_init(&place, &t->p->scratch);
            frame_print(t->p->m, origin, &place);
            buf_str(t->out, ", \"place\": ");
            buf_json_string(t->out, (Span){place.at, place.n});
        }
    }
    buf_str(t->out, "}}");
}

// On each track on which something runs inside.
static void trace_loop(Tracing *t, const LoopSpan *loop) {
    const Module *m = t->p->lowered->m;
    bool inside[KERNELS + 1 + MESH_MAX_AXES] = {0};
    for (uint32_t i = loop->first_slice; i < loop->end_slice; i++) inside[track_of(t, &t->r->slices[i])] = true;
    int64_t trips = op_kind(m, loop->op) == OP_while ? trip_count(m, loop->op) : -1;
    Buffer name;
    buf_init(&name, &t->p->scratch);
    scope_print(t, loop->op, &name);
    if (trips >= 0) buf_format(&name, ", %lld trips", (long long)trips);
    for (uint32_t track = KERNELS; track < KERNELS + 1 + t->p->mesh.n_axes; track++) {
        if (!inside[track]) continue;
        begin_event(t, track, loop->start, loop->end, (Span){name.at, name.n});
        buf_format(t->out, "\"op\": \"%s\"", op_info[op_kind(m, loop->op)].name);
        if (trips >= 0) buf_format(t->out, ", \"trips\": %lld", (long long)trips);
        buf_str(t->out, "}}");
    }
}

// The most that is alive at each moment at which that changes.
static void trace_memory(Tracing *t) {
    const SimResult *r = t->r;
    double shown = -1;
    for (uint32_t i = 0; i < r->memory.n_steps;) {
        double now = nanoseconds(r->when[i]), most = 0;
        for (; i < r->memory.n_steps && nanoseconds(r->when[i]) <= now; i++)
            if (r->memory.over_time[i] > most) most = r->memory.over_time[i];
        if (most == shown) continue;
        buf_format(t->out, ",\n{\"ph\": \"C\", \"pid\": 1, \"ts\": %.3f, \"name\": \"memory\", \"args\": {\"bytes\": %.0f}}",
                   now / 1e3, most);
        shown = most;
    }
}

// Loops come first: of two events that begin at once, the outer one must be the earlier.
void sim_trace(Partition *p, const Simulation *s, Buffer *out) {
    const Lowered *l = p->lowered;
    Tracing t = {.p = p, .r = s->now, .busy = busy_times(s->now, &p->scratch), .out = out};
    Attribution all = attribute(l, &p->state, &p->scratch);
    t.collective = attributed_by_op(&all, l, &p->scratch);
    buf_str(out, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n");
    trace_track(&t, KERNELS, SPAN("kernels"));
    for (uint32_t a = 0; a < p->mesh.n_axes; a++)
        buf_str(out, ",\n"), trace_track(&t, KERNELS + 1 + a, p->mesh.axes[a].name);
    for (uint32_t i = 0; i < t.r->n_loops; i++) trace_loop(&t, &t.r->loops[i]);
    for (uint32_t i = 0; i < t.r->n_slices; i++) trace_slice(&t, &t.r->slices[i]);
    trace_memory(&t);
    buf_str(out, "\n]}\n");
}
