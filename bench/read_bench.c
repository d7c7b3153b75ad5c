// How fast text becomes a checked module: each file is mapped and read a number of times, and the best processor time counts.
//
//     make build/bench/read_bench && build/bench/read_bench FILE.mlir…
#include "stablehlo/check.h"
#include "stablehlo/read/reader.h"
#include "cpu_seconds.h"
#include <stdio.h>

enum { RUNS = 10 };

static void show(void *user, const partir_diagnostic *d) {
    (void)user;
    fprintf(stderr, "%s:%u:%u: %s\n", d->file ? d->file : "", d->line, d->column, d->message);
}

// Processor seconds of reading and checking, without mapping and freeing; negative if the file cannot be read.
static double read_once(const char *path, size_t *bytes, uint32_t *ops) {
    Context *ctx;
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = show}, &ctx);
    volatile double seconds = -1;
    Guard g;
    if (GUARD(ctx, &g)) {
        Module *m = module_new(ctx);
        if (source_open(&m->source, &m->arena, path)) {
            double start = cpu_seconds();
            if (read_module(m) && check_module(m)) seconds = cpu_seconds() - start;
            *bytes = m->source.n;
            *ops = m->ops.n;
        }
        module_free(m);
        guard_close(ctx, &g);
    }
    partir_context_destroy(ctx);
    return seconds;
}

int main(int argc, char **argv) {
    double total_seconds = 0;
    size_t total_bytes = 0;
    printf("%10s %10s %10s %10s\n", "MB", "ops", "ms", "MB/s");
    for (int i = 1; i < argc; i++) {
        size_t bytes = 0;
        uint32_t ops = 0;
        double best = -1;
        for (int run = 0; run < RUNS; run++) {
            double seconds = read_once(argv[i], &bytes, &ops);
            if (seconds < 0) return 1;
            if (best < 0 || seconds < best) best = seconds;
        }
        total_seconds += best;
        total_bytes += bytes;
        printf("%10.3f %10u %10.3f %10.1f  %s\n", (double)bytes * 1e-6, ops, best * 1e3, (double)bytes * 1e-6 / best,
               argv[i]);
    }
    printf("%10.3f %10s %10.3f %10.1f\n", (double)total_bytes * 1e-6, "", total_seconds * 1e3,
           (double)total_bytes * 1e-6 / total_seconds);
    return 0;
}
