// Differences of two reports: matches rows by name and compares their runs and bytes.
#include "explain/report_diff.h"
#include "spmd/summary/attribution.h"
#include "support/bytes.h"
#include "support/hash.h"
#include "support/sort.h"

typedef struct Diffing {
    Context *ctx;
    Arena *a;
    IdMap map;
    VEC(DiffRow) rows;
    ReportDiff *out;
} Diffing;

// "dot_general at model.py:12" without the place: lines move.
static const char *without_place(Span text, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    buf_span(&b, text);
    const char *whole = buf_cstr(&b), *at = strstr(whole, " at ");
    if (!at) return without_numbers(whole, NULL, a);
    Buffer kept;
    buf_init(&kept, a);
    buf_put(&kept, whole, (size_t)(at - whole));
    return without_numbers(buf_cstr(&kept), NULL, a);
}

static const char *row_name(const Json *j, uint32_t c, Arena *a) {
    Buffer b;
    buf_init(&b, a);
    buf_span(&b, json_text(j, json_member(j, c, "kind")));
    buf_str(&b, " on ");
    uint32_t axes = json_member(j, c, "axes");
    for (uint32_t i = axes == NO_JSON ? NO_JSON : j->at[axes].first, k = 0; i != NO_JSON; i = j->at[i].next, k++) {
        if (k) buf_char(&b, ',');
        buf_span(&b, json_text(j, i));
    }
    const char *serves = without_place(json_text(j, json_member(j, c, "serves")), a);
    buf_format(&b, " of %s", *serves ? serves : "a helper value");
    Span tactic = json_text(j, json_member(j, c, "tactic")), path = json_text(j, json_member(j, c, "path"));
    if (tactic.n) buf_format(&b, ", by %.*s", (int)tactic.n, tactic.at);
    if (path.n) buf_format(&b, ", for %s", without_place(path, a));
    return buf_cstr(&b);
}

static DiffRow *find_row(Diffing *x, const char *name) {
    uint32_t hash = span_hash(span_of(name));
    for (uint32_t p = hash, id; (id = idmap_probe(&x->map, hash, &p)) != IDMAP_END;)
        if (strcmp(x->rows.at[id].name, name) == 0) return &x->rows.at[id];
    idmap_add(&x->map, hash, x->rows.n);
    vec_push(x->a, &x->rows, ((DiffRow){.name = name, .first = NO_JSON}));
    return &x->rows.at[x->rows.n - 1];
}

// Time and memory after the last tactic.
static void read_step(Diffing *x, const Json *j, int side) {
    uint32_t simulation = json_member(j, 0, "simulation");
    uint32_t tactics = json_member(j, simulation == NO_JSON ? 0 : simulation, "tactics"), last = NO_JSON;
    for (uint32_t i = tactics == NO_JSON ? NO_JSON : j->at[tactics].first; i != NO_JSON; i = j->at[i].next) last = i;
    x->out->seconds[side] = json_number(j, json_member(j, last, "seconds"));
    x->out->peak[side] = json_number(j, json_member(j, last, "peak_memory"));
}

static bool read_side(Diffing *x, const Source *source, int side) {
    Json j;
    if (!json_read(x->ctx, x->a, source, &j)) return false;
    uint32_t all = json_member(&j, 0, "collectives"), number = 0;
    if (all == NO_JSON || j.at[all].kind != JSON_ARRAY)
        return diag_error(x->ctx, source, 0, "write one with `partir partition … --json FILE` or `partir simulate … --json FILE`",
                          "this is no report: it has no \"collectives\"");
    for (uint32_t c = j.at[all].first; c != NO_JSON; c = j.at[c].next, number++) {
        DiffRow *row = find_row(x, row_name(&j, c, x->a));
        double bytes = json_number(&j, json_member(&j, c, "bytes"));
        row->runs[side] += json_number(&j, json_member(&j, c, "runs"));
        row->bytes[side] += bytes;
        x->out->bytes[side] += bytes;
        if (side == 1 && row->first == NO_JSON) row->first = number;
    }
    read_step(x, &j, side);
    return true;
}

static double more_of(const DiffRow *r) { return r->bytes[0] > r->bytes[1] ? r->bytes[0] : r->bytes[1]; }

static bool diff_row_before(const DiffRow *a, const DiffRow *b) {
    if (a->kind != b->kind) return a->kind < b->kind;
    if (more_of(a) != more_of(b)) return more_of(a) > more_of(b);
    return strcmp(a->name, b->name) < 0;
}

DEFINE_SORT(sort_diff_rows, DiffRow, diff_row_before)

bool report_diff(Context *ctx, const Source *a, const Source *b, Arena *arena, ReportDiff *out) {
    *out = (ReportDiff){0};
    Diffing x = {.ctx = ctx, .a = arena, .out = out};
    idmap_init(&x.map, arena);
    if (!read_side(&x, a, 0) || !read_side(&x, b, 1)) return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < x.rows.n; i++) {
        DiffRow r = x.rows.at[i];
        if (r.runs[0] == r.runs[1] && r.bytes[0] == r.bytes[1]) continue;
        r.kind = r.runs[0] == 0 ? DIFF_CAME : r.runs[1] == 0 ? DIFF_WENT : DIFF_CHANGED;
        x.rows.at[n++] = r;
    }
    sort_diff_rows(x.rows.at, n, arena);
    out->n = n;
    out->rows = x.rows.at;
    return true;
}

static void print_runs(double n, Buffer *out) { buf_format(out, "%.0f run%s", n, plural((int64_t)n)); }

static void print_diff_row(const DiffRow *r, Buffer *out) {
    static const char *const kinds[] = {"came", "went", "changed"}; // ORDER DiffKind
    int side = r->kind == DIFF_WENT ? 0 : 1;
    buf_format(out, "%-8s %s: ", kinds[r->kind], r->name);
    print_runs(r->runs[side], out);
    if (r->kind == DIFF_CHANGED && r->runs[0] != r->runs[1]) buf_format(out, " instead of %.0f", r->runs[0]);
    buf_str(out, ", ");
    buf_bytes(out, r->bytes[side], 1);
    if (r->kind == DIFF_CHANGED && r->bytes[0] != r->bytes[1]) buf_str(out, " instead of "), buf_bytes(out, r->bytes[0], 1);
    buf_char(out, '\n');
}

static void print_percent(const double v[2], Buffer *out) {
    if (v[0] > 0) buf_format(out, " (%+.1f %%)", 100 * (v[1] / v[0] - 1));
}

static void print_bytes_changed(const char *label, const double *bytes, Buffer *out) {
    buf_str(out, label);
    buf_bytes(out, bytes[1], 1);
    buf_str(out, " instead of ");
    buf_bytes(out, bytes[0], 1);
    print_percent(bytes, out);
    buf_char(out, '\n');
}

void report_diff_print(const ReportDiff *d, Buffer *out) {
    for (uint32_t i = 0; i < d->n; i++) print_diff_row(&d->rows[i], out);
    if (d->n == 0) buf_str(out, "no collective came, went or changed\n");
    if (d->bytes[0] != d->bytes[1]) print_bytes_changed("sends    ", d->bytes, out);
    if (d->seconds[0] > 0 && d->seconds[1] > 0 && d->seconds[0] != d->seconds[1]) {
        buf_format(out, "takes    %.3f ms instead of %.3f ms", d->seconds[1] * 1e3, d->seconds[0] * 1e3);
        print_percent(d->seconds, out);
        buf_char(out, '\n');
    }
    if (d->peak[0] > 0 && d->peak[1] > 0 && d->peak[0] != d->peak[1]) print_bytes_changed("peak     ", d->peak, out);
}
