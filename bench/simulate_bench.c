// How long simulating a partitioned program takes:
//
//     make build/bench/simulate_bench && build/bench/simulate_bench FILE.mlir FILE.schedule [DEVICE…]
//
// First the lines of the lowered program as `partir partition --emit hlo` writes it, then a line for each device, tpu_v5e
// and host if none is named: the median and the best of many simulations, in milliseconds of processor time, as in a search
// that simulates again and again.
#include "api/handles.h"
#include "sim/pipeline.h"
#include "cpu_seconds.h"
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 301, WARM = 3 }; // from the third time on nothing is asked of the allocator

static void show(void *user, const partir_diagnostic *d) {
    (void)user;
    fprintf(stderr, "%s:%u:%u: %s\n", d->file ? d->file : "", d->line, d->column, d->message);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool simulate_often(Partition *p, const char *device, double *seconds) {
    const Device *d = device_find(span_of(device));
    if (!d) return fprintf(stderr, "there is no device %s\n", device), false;
    Arena simulation;
    arena_init(&simulation, p->ctx);
    for (int i = -WARM; i < RUNS; i++) {
        SimResult result;
        arena_reset(&simulation);
        double start = cpu_seconds();
        simulate(p->lowered, d, &simulation, &result);
        if (i >= 0) seconds[i] = cpu_seconds() - start;
    }
    arena_free(&simulation);
    qsort(seconds, RUNS, sizeof *seconds, compare);
    return true;
}

static bool measure(partir_partition *h, const char *const *devices, int n) {
    Partition *p = &h->p;
    arena_init(&p->scratch, p->ctx);
    bool ok = partition_lowered(p) != NULL;
    for (int i = 0; i < n && ok; i++) {
        double seconds[RUNS];
        ok = simulate_often(p, devices[i], seconds);
        if (ok) printf("%s\t%.3f\t%.3f\n", devices[i], seconds[RUNS / 2] * 1e3, seconds[0] * 1e3);
    }
    arena_free(&p->scratch);
    return ok;
}

static bool print_lines(partir_partition *h) {
    partir_text *text;
    if (partir_partition_emit(h, PARTIR_STAGE_HLO, PARTIR_PRINT_PRETTY, &text) != PARTIR_OK) return false;
    uint32_t lines = 0;
    for (const char *at = partir_text_data(text); *at; at++) lines += *at == '\n';
    printf("lines\t%u\n", lines);
    partir_text_destroy(text);
    return true;
}

int main(int argc, char **argv) {
    static const char *const both[] = {"tpu_v5e", "host"};
    if (argc < 3) {
        fprintf(stderr, "usage: simulate_bench FILE.mlir FILE.schedule [DEVICE…]\n");
        return 2;
    }
    volatile bool ok = false;
    partir_context *ctx;
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = show}, &ctx);
    partir_module *m;
    partir_schedule *s;
    partir_partition *h = NULL;
    partir_module_read_file(ctx, argv[1], &m);
    partir_schedule_read_file(ctx, argv[2], &s);
    if (m && s) partir_partition_create(m, s, NULL, &h);
    Guard g;
    while (h && partir_partition_applied(h) < partir_schedule_tactic_count(s) && 
           partir_partition_apply_next(h) == PARTIR_OK)
        continue;
    if (h && print_lines(h) && GUARD(ctx, &g)) {
        ok = argc > 3 ? measure(h, (const char *const *)argv + 3, argc - 3) : measure(h, both, 2);
        guard_close(ctx, &g);
    }
    partir_partition_destroy(h);
    partir_schedule_destroy(s);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
    return ok ? 0 : 1;
}
