// partir ops: how often each op occurs.
#include "tool/command.h"
#include "tool/json.h"
#include <inttypes.h>

enum { INLINE, JSON };
static const Option options[] = {
    [INLINE] = {"--inline", NULL, "count after inlining all calls"},
    [JSON] = {"--json", NULL, "as JSON"},
};

static partir_op_count op_count(const partir_module *m, uint32_t i) {
    partir_op_count count = {.size = sizeof count};
    partir_module_op_count(m, i, &count);
    return count;
}

static void print_table(const partir_module *m, uint32_t n, uint64_t total) {
    for (uint32_t i = 0; i < n; i++) printf("%9" PRIu64 "  %s\n", op_count(m, i).count, op_count(m, i).name);
    printf("%9" PRIu64 "  total\n", total);
}

static void print_json(const char *file, const partir_module *m, uint32_t n, uint64_t total) {
    printf("{\"version\": 1, \"file\": ");
    json_string(file);
    printf(", \"total\": %" PRIu64 ",\n  \"ops\": {", total);
    for (uint32_t i = 0; i < n; i++) {
        printf("%s\n    ", i ? "," : "");
        json_string(op_count(m, i).name);
        printf(": %" PRIu64, op_count(m, i).count);
    }
    printf("}}\n");
}

static int run(const Args *a) {
    partir_module *m;
    if (partir_module_read_file(a->ctx, a->files[0], &m) != PARTIR_OK ||
        (a->given[INLINE] && partir_module_inline(m) != PARTIR_OK)) {
        partir_module_destroy(m);
        return EXIT_ERROR;
    }
    uint32_t n = partir_module_op_kinds(m);
    uint64_t total = 0;
    for (uint32_t i = 0; i < n; i++) total += op_count(m, i).count;
    if (a->given[JSON])
        print_json(a->files[0], m, n, total);
    else
        print_table(m, n, total);
    partir_module_destroy(m);
    return EXIT_OK;
}

const Command command_ops = {"ops", "FILE", "count the ops of a module", options, 2, 1, 1, run};
