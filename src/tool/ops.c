// partir ops: how often each op occurs.
#include "tool/command.h"
#include "tool/json.h"
#include <inttypes.h>

enum { INLINE, JSON, MAX_KINDS = 512 };
static const Option options[] = {
    [INLINE] = {"--inline", NULL, "count after inlining all calls"},
    [JSON] = {"--json", NULL, "as JSON"},
};

static void print_table(const partir_op_count *counts, uint32_t n, uint64_t total) {
    for (uint32_t i = 0; i < n; i++) printf("%9" PRIu64 "  %s\n", counts[i].count, counts[i].name);
    printf("%9" PRIu64 "  total\n", total);
}

static void print_json(const char *file, const partir_op_count *counts, uint32_t n, uint64_t total) {
    printf("{\"version\": 1, \"file\": ");
    json_string(file);
    printf(", \"total\": %" PRIu64 ",\n  \"ops\": {", total);
    for (uint32_t i = 0; i < n; i++) {
        printf("%s\n    ", i ? "," : "");
        json_string(counts[i].name);
        printf(": %" PRIu64, counts[i].count);
    }
    printf("}}\n");
}

static int run(const Args *a) {
    partir_module *m = partir_module_read_file(a->ctx, a->files[0]);
    if (!m || (a->given[INLINE] && !partir_module_inline(m))) {
        partir_module_destroy(m);
        return EXIT_ERROR;
    }
    partir_op_count counts[MAX_KINDS];
    uint32_t n = partir_module_op_counts(m, counts, MAX_KINDS);
    if (n > MAX_KINDS) n = MAX_KINDS;
    uint64_t total = 0;
    for (uint32_t i = 0; i < n; i++) total += counts[i].count;
    if (a->given[JSON])
        print_json(a->files[0], counts, n, total);
    else
        print_table(counts, n, total);
    partir_module_destroy(m);
    return EXIT_OK;
}

const Command command_ops = {"ops", "FILE", "count the ops of a module", options, 2, 1, 1, run};
