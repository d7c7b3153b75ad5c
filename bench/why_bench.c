// How long an answer takes once a program is partitioned: milliseconds of processor time.
//
//     make build/bench/why_bench && build/bench/why_bench FILE.mlir FILE.schedule
//
// One line a question, `name<TAB>first<TAB>again`: a collective in the middle, that of `--value` for its value, of `--line` for its place, and the list
// of all. The first answer of a kind finds names that later ones know.
#include "partir.h"
#include "cpu_seconds.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void show(void *user, const partir_diagnostic *d) {
    (void)user;
    fprintf(stderr, "%s:%u:%u: %s\n", d->file ? d->file : "", d->line, d->column, d->message);
}

static double ask(partir_partition *p, partir_why_query q) {
    partir_text *text;
    double start = cpu_seconds();
    if (partir_partition_why(p, &q, &text) != PARTIR_OK) return -1;
    double seconds = cpu_seconds() - start;
    partir_text_destroy(text);
    return 1e3 * seconds;
}

// FILE.names beside FILE.mlir, if it is there.
static bool set_names(partir_module *m, const char *path) {
    static char text[1 << 20];
    char name[4096];
    snprintf(name, sizeof name, "%s", path);
    char *dot = strrchr(name, '.');
    if (!dot || strlen(dot) < 5) return true;
    snprintf(dot, sizeof name - (size_t)(dot - name), ".names");
    FILE *f = fopen(name, "rb");
    if (!f) return true;
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    return partir_module_set_argument_names(m, text, n) == PARTIR_OK;
}

int main(int argc, char **argv) {
    partir_context *ctx;
    partir_module *m;
    partir_schedule *s;
    partir_partition *p;
    partir_collective_info c = {.size = sizeof c};
    uint32_t n;
    partir_options options = {.size = sizeof options, .diagnostic = show};
    if (argc != 3 || partir_context_create(&options, &ctx) != PARTIR_OK) return 2;
    if (partir_module_read_file(ctx, argv[1], &m) != PARTIR_OK || partir_schedule_read_file(ctx, argv[2], &s) != PARTIR_OK) return 1;
    if (!set_names(m, argv[1]) || partir_partition_create(m, s, NULL, &p) != PARTIR_OK) return 1;
    for (uint32_t i = partir_schedule_tactic_count(s); i > 0; i--)
        if (partir_partition_apply_next(p) != PARTIR_OK) return 1;
    if (partir_partition_collective_count(p, &n) != PARTIR_OK || !n || partir_partition_collective(p, n / 2, &c) != PARTIR_OK) return 1;
    partir_why_query none = {.size = sizeof none, .collective = PARTIR_NONE}, q[4] = {none, none, none, none};
    const char *const names[] = {"collective", "value", "line", "all"};
    q[0].collective = n / 2;
    q[1].value = c.serves;
    q[2].line = c.place;
    for (int i = 0; i < 4; i++) printf("%s\t%.1f\t%.1f\n", names[i], ask(p, q[i]), ask(p, q[i]));
    return 0;
}
