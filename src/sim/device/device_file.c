// The file form of a device: reading with caret errors, and printing.
//
//     file = { line };   line = keyword { word } [ "#" comment ]
#include "sim/device/device.h"
#include "spmd/summary/summary.h"
#include "support/bytes.h"
#include "support/decimal.h"

const char *const peak_names[PEAK_COUNT] = {
#define P(id, text) text,
    PEAK_CLASSES(P)
#undef P
};

typedef struct DeviceReader {
    Context *ctx;
    Arena *a;
    const Source *src;
    size_t at;
    Device *out;
    uint32_t n_links;
} DeviceReader;

static bool fail(const DeviceReader *r, size_t at, const char *hint, const char *message) {
    return diag_error(r->ctx, r->src, at, hint, "%s", message);
}

// The next word of this line; empty at its end.
static Span next_word(DeviceReader *r) {
    const char *t = r->src->text;
    while (r->at < r->src->n && (t[r->at] == ' ' || t[r->at] == '\t' || t[r->at] == '\r')) r->at++;
    size_t start = r->at;
    if (start < r->src->n && t[start] == '#') return (Span){t + start, 0};
    while (r->at < r->src->n && t[r->at] != ' ' && t[r->at] != '\t' && t[r->at] != '\r' && t[r->at] != '\n' &&
           t[r->at] != '#')
        r->at++;
    return (Span){t + start, r->at - start};
}

static const char *copy(DeviceReader *r, Span s) {
    char *bytes = arena_alloc(r->a, s.n + 1);
    memcpy(bytes, s.at, s.n);
    bytes[s.n] = 0;
    return bytes;
}

static bool read_name(DeviceReader *r, const char **out) {
    Span w = next_word(r);
    if (w.n == 0) return fail(r, r->at, NULL, "expected a name");
    *out = copy(r, w);
    return true;
}

static bool read_number(DeviceReader *r, double *out) {
    Span w = next_word(r);
    if (!decimal_to_double(w, out) || !(*out >= 0))
        return fail(r, (size_t)(w.at - r->src->text), "write it as 819e9 or 0.9", "expected a number, zero or more");
    // Quotients and products of figures in this range, and of all that a program can hold, are numbers.
    if (*out == 0 || (*out >= 1e-12 && *out <= 1e24)) return true;
    return fail(r, (size_t)(w.at - r->src->text), "figures are 0, or between 1e-12 and 1e24",
                "no device has such a figure");
}

static bool read_count(DeviceReader *r, int64_t least, int64_t *out) {
    double v;
    size_t at = r->at;
    if (!read_number(r, &v)) return false;
    if (v < (double)least || v > 1e15 || v != (double)(int64_t)v)
        return fail(r, at + 1, NULL, least ? "expected a whole number, one or more" : "expected a whole number");
    *out = (int64_t)v;
    return true;
}

// 16GiB, 80GB or a number of bytes
static bool read_device_bytes(DeviceReader *r, int64_t *out) {
    Span w = next_word(r);
    if (read_byte_size(w, out)) return true;
    return fail(r, (size_t)(w.at - r->src->text), "write it as 16GiB, 80GB or a number of bytes",
                "expected a size of memory");
}

static bool read_peak(DeviceReader *r) {
    Span w = next_word(r);
    for (int i = 0; i < PEAK_COUNT; i++)
        if (span_is(w, peak_names[i])) return read_number(r, &r->out->matrix[i]);
    return fail(r, (size_t)(w.at - r->src->text), "f64, f32, f16 (which is bf16 too), f8 or i8",
                "expected an element type");
}

static const char *const backend_names[] = {[BACKEND_GPU] = "gpu", [BACKEND_CPU] = "cpu", [BACKEND_TPU] = "tpu"};

static bool read_backend(DeviceReader *r) {
    Span w = next_word(r);
    for (BackendKind k = BACKEND_GPU; k <= BACKEND_TPU; k++)
        if (span_is(w, backend_names[k])) return r->out->backend = k, true;
    return fail(r, (size_t)(w.at - r->src->text), NULL, "expected 'cpu', 'gpu' or 'tpu'");
}

#define LINK_EXAMPLE "link ici torus 2 ring 16 devices 256 bandwidth 50e9 latency 1e-6"

static bool is_word(DeviceReader *r, Span w, const char *word) {
    if (span_is(w, word)) return true;
    return diag_error(r->ctx, r->src, (size_t)(w.at - r->src->text), LINK_EXAMPLE, "expected '%s'", word);
}

static bool expect(DeviceReader *r, const char *word) { return is_word(r, next_word(r), word); }

// link NAME (torus DIMS [ring N] | switch | memory) devices N bandwidth B latency L
static bool read_link(DeviceReader *r) {
    if (r->n_links == DEVICE_MAX_LINKS)
        return diag_error(r->ctx, r->src, r->at, NULL, "a device has at most %d links", DEVICE_MAX_LINKS);
    Link *link = &r->out->links[r->n_links];
    if (!read_name(r, &link->name)) return false;
    Span kind = next_word(r);
    if (span_is(kind, "torus")) {
        size_t at = r->at + 1;
        if (!read_count(r, 1, &link->torus)) return false;
        if (link->torus > MAX_TORUS)
            return diag_error(r->ctx, r->src, at, NULL, "a torus has at most %d dimensions", MAX_TORUS);
        link->ring = 1;
    } else if (span_is(kind, "memory")) {
        link->memory = true;
    } else if (!span_is(kind, "switch")) {
        return fail(r, (size_t)(kind.at - r->src->text), LINK_EXAMPLE, "expected 'torus', 'switch' or 'memory'");
    }
    Span word = next_word(r);
    if (link->torus && span_is(word, "ring")) {
        if (!read_count(r, 1, &link->ring)) return false;
        word = next_word(r);
    }
    if (!is_word(r, word, "devices") || !read_count(r, 0, &link->devices) || !expect(r, "bandwidth")) return false;
    size_t at = r->at + 1;
    if (!read_number(r, &link->bandwidth)) return false;
    if (link->bandwidth <= 0) return fail(r, at, NULL, "a link has some bandwidth");
    r->n_links++;
    return expect(r, "latency") && read_number(r, &link->latency);
}

static bool read_transposed_lhs(DeviceReader *r) {
    size_t at = r->at + 1;
    if (!read_number(r, &r->out->transposed_lhs)) return false;
    return (r->out->transposed_lhs > 0 && r->out->transposed_lhs <= 1) ||
           fail(r, at, "leave the line out if they are as fast",
                "dots with a transposed lhs reach a share above 0 and at most 1 of what others do");
}

typedef struct OverlapWord {
    const char *name;
    uint8_t kinds;
} OverlapWord;

#define KIND(kind) (1 << COLLECTIVE_##kind)

static const OverlapWord overlap_kinds[COLLECTIVE_COUNT] = {{"all_gather", KIND(ALL_GATHER)},
                                                            {"all_reduce", KIND(ALL_REDUCE)},
                                                            {"reduce_scatter", KIND(REDUCE_SCATTER)},
                                                            {"all_to_all", KIND(ALL_TO_ALL)},
                                                            {"collective_permute", KIND(PERMUTE)}};
// As in --xla_enable_async_all_gather, --xla_enable_async_all_reduce and --xla_tpu_enable_latency_hiding_scheduler with all of these.
static const OverlapWord overlap_flags[3] = {{"async_all_gather", KIND(ALL_GATHER)},
                                             {"async_all_reduce", KIND(ALL_REDUCE) | KIND(REDUCE_SCATTER)},
                                             {"latency_hiding", OVERLAP_ALL}};

// Words to the end of the line; without any, `otherwise`.
static bool read_kinds(DeviceReader *r, const OverlapWord *words, uint32_t n, uint8_t otherwise) {
    Span w = next_word(r);
    if (w.n == 0) {
        r->out->overlap |= otherwise;
        return otherwise || fail(r, r->at, "flags async_all_reduce", "expected a flag");
    }
    for (; w.n; w = next_word(r)) {
        uint32_t i = 0;
        while (i < n && !span_is(w, words[i].name)) i++;
        if (i == n)
            return fail(r, (size_t)(w.at - r->src->text),
                        otherwise ? "all_gather, all_reduce, reduce_scatter, all_to_all or collective_permute"
                                  : "async_all_gather, async_all_reduce or latency_hiding",
                        otherwise ? "expected a kind of collective" : "unknown flag");
        r->out->overlap |= words[i].kinds;
    }
    return true;
}

static void print_overlap(const Device *d, Buffer *out) {
    if (d->overlap) buf_str(out, "overlap");
    for (uint32_t i = 0; i < COLLECTIVE_COUNT && d->overlap != OVERLAP_ALL; i++)
        if (d->overlap & overlap_kinds[i].kinds) buf_format(out, " %s", overlap_kinds[i].name);
    if (d->overlap) buf_char(out, '\n');
}

// Words of files that were written before a line got its present name.
static Span current_word(const DeviceReader *r, Span word) {
    static const char *const renamed[][2] = {
        {"on_chip", "vmem"}, {"fresh", "page_fault"}, {"turned", "transposed_lhs"}, {"compiler", "backend"}};
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        if (!span_is(word, renamed[i][0])) continue;
        diag_warning(r->ctx, r->src, (size_t)(word.at - r->src->text), NULL, "'%s' is called '%s' now", renamed[i][0],
                     renamed[i][1]);
        return span_of(renamed[i][1]);
    }
    return word;
}

static bool read_line(DeviceReader *r, Span given) {
    Device *d = r->out;
    Span word = current_word(r, given);
    if (span_is(word, "device")) return read_name(r, &d->name);
    if (span_is(word, "memory")) return read_device_bytes(r, &d->memory);
    if (span_is(word, "vmem")) return read_device_bytes(r, &d->vmem);
    if (span_is(word, "cores")) return read_count(r, 1, &d->cores);
    if (span_is(word, "units")) return read_count(r, 1, &d->units);
    if (span_is(word, "bandwidth")) return read_number(r, &d->bandwidth);
    if (span_is(word, "cache")) return read_device_bytes(r, &d->cache) && read_number(r, &d->cache_bandwidth);
    if (span_is(word, "page_fault"))
        return read_device_bytes(r, &d->page_fault) && read_number(r, &d->page_fault_bandwidth);
    if (span_is(word, "matrix")) return read_peak(r);
    if (span_is(word, "vector")) return read_number(r, &d->vector);
    if (span_is(word, "strided")) return read_number(r, &d->strided);
    if (span_is(word, "tile"))
        return read_count(r, 1, &d->tile[0]) && read_count(r, 1, &d->tile[1]) && read_count(r, 1, &d->tile[2]);
    if (span_is(word, "efficiency")) return read_number(r, &d->efficiency);
    if (span_is(word, "transposed_lhs")) return read_transposed_lhs(r);
    if (span_is(word, "overhead")) return read_number(r, &d->overhead);
    if (span_is(word, "step")) return read_number(r, &d->step) && read_number(r, &d->step_buffer);
    if (span_is(word, "overlap")) return read_kinds(r, overlap_kinds, COLLECTIVE_COUNT, OVERLAP_ALL);
    if (span_is(word, "flags")) return read_kinds(r, overlap_flags, 3, 0);
    if (span_is(word, "shared")) return d->shared = true;
    if (span_is(word, "backend")) return read_backend(r);
    if (span_is(word, "link")) return read_link(r);
    return fail(
        r, (size_t)(given.at - r->src->text),
        "lines are device, memory, vmem, cores, bandwidth, cache, page_fault, matrix, vector, strided, tile, units, efficiency, transposed_lhs, overhead, step, overlap, flags, shared, backend and link",
        "unknown line");
}

static bool complete(const DeviceReader *r) {
    const Device *d = r->out;
    const struct {
        bool missing;
        const char *what;
    } all[] = {{!d->name, "device"},
               {d->memory <= 0, "memory"},
               {d->bandwidth <= 0, "bandwidth"},
               {d->cache && d->cache_bandwidth < d->bandwidth, "cache faster than its memory"},
               {d->page_fault && d->page_fault_bandwidth <= 0, "rate at which page_fault memory is made"},
               {d->vector <= 0, "vector"},
               {d->efficiency <= 0 || d->efficiency > 1, "efficiency (above 0, at most 1)"},
               {r->n_links == 0, "link"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].missing)
            return diag_error(r->ctx, r->src, r->src->n ? r->src->n - 1 : 0,
                              "`partir devices tpu_v5e` prints a whole one", "the device has no %s", all[i].what);
    return true;
}

bool device_read(Context *ctx, Arena *a, const Source *source, Device *out) {
    DeviceReader r = {.ctx = ctx, .a = a, .src = source, .out = out};
    *out = (Device){.tile = {1, 1, 1}, .efficiency = 1};
    while (r.at < source->n) {
        Span word = next_word(&r);
        if (word.n && !read_line(&r, word)) return false;
        Span rest = word.n ? next_word(&r) : (Span){"", 0};
        if (rest.n) return fail(&r, (size_t)(rest.at - source->text), NULL, "the line ends before this");
        while (r.at < source->n && source->text[r.at] != '\n') r.at++; // a comment
        r.at++;
    }
    return complete(&r);
}

void device_print(const Device *d, Buffer *out) {
    buf_format(out, "device %s\nmemory %lld\nbandwidth %g\n", d->name, (long long)d->memory, d->bandwidth);
    if (d->vmem) buf_format(out, "vmem %lld\n", (long long)d->vmem);
    if (d->cores > 1) buf_format(out, "cores %lld\n", (long long)d->cores);
    if (d->cache) buf_format(out, "cache %lld %g\n", (long long)d->cache, d->cache_bandwidth);
    if (d->page_fault) buf_format(out, "page_fault %lld %g\n", (long long)d->page_fault, d->page_fault_bandwidth);
    for (int i = 0; i < PEAK_COUNT; i++)
        if (d->matrix[i] > 0) buf_format(out, "matrix %s %g\n", peak_names[i], d->matrix[i]);
    buf_format(out, "vector %g\n", d->vector);
    if (d->strided > 0) buf_format(out, "strided %g\n", d->strided);
    buf_format(out, "tile %lld %lld %lld\n", (long long)d->tile[0], (long long)d->tile[1], (long long)d->tile[2]);
    if (d->units > 0) buf_format(out, "units %lld\n", (long long)d->units);
    buf_format(out, "efficiency %g\n", d->efficiency);
    if (d->transposed_lhs > 0) buf_format(out, "transposed_lhs %g\n", d->transposed_lhs);
    buf_format(out, "overhead %g\n", d->overhead);
    if (d->step + d->step_buffer > 0) buf_format(out, "step %g %g\n", d->step, d->step_buffer);
    print_overlap(d, out);
    buf_format(out, "%sbackend %s\n", d->shared ? "shared\n" : "", backend_names[d->backend]);
    for (uint32_t i = 0; i < device_links(d); i++) {
        const Link *l = &d->links[i];
        if (l->torus)
            buf_format(out, "link %s torus %lld ring %lld", l->name, (long long)l->torus, (long long)l->ring);
        else
            buf_format(out, "link %s %s", l->name, l->memory ? "memory" : "switch");
        buf_format(out, " devices %lld bandwidth %g latency %g\n", (long long)l->devices, l->bandwidth, l->latency);
    }
}
