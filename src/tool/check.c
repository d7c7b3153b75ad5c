// partir check: reads and checks modules, and lists what goes in and comes out.
//
//     step.mlir: 412 ops, 3 arguments, 1 result
//       argument 0  params/w1  256x1024xf32
//       …
#include "tool/command.h"
#include "tool/json.h"
#include <inttypes.h>
#include <string.h>

enum { JSON };
static const Option options[] = {[JSON] = {"--json", NULL, "as JSON"}};

typedef partir_status (*GetValue)(const partir_module *m, uint32_t i, partir_value_info *out);

static uint64_t count_ops(const partir_module *m) {
    uint64_t total = 0;
    partir_op_count count = {.size = sizeof count};
    for (uint32_t i = 0; partir_module_op_kinds(m) > i && partir_module_op_count(m, i, &count) == PARTIR_OK; i++)
        total += count.count;
    return total;
}

static void print_values(const partir_module *m, GetValue get, uint32_t n, const char *what) {
    int width = 0;
    partir_value_info v = {.size = sizeof v};
    for (uint32_t i = 0; i < n; i++) {
        get(m, i, &v);
        int length = (int)strlen(v.name);
        if (length > width) width = length;
    }
    char last[16];
    int digits = snprintf(last, sizeof last, "%" PRIu32, n ? n - 1 : 0);
    for (uint32_t i = 0; i < n; i++) {
        get(m, i, &v);
        printf("  %s %*" PRIu32 "  ", what, digits, i);
        put_value_name(stdout, v.name, width);
        printf("  ");
        for (uint32_t d = 0; d < v.rank; d++) {
            if (v.shape[d] < 0)
                printf("?x");
            else
                printf("%" PRId64 "x", v.shape[d]);
        }
        put_value_name(stdout, v.type, 0);
        putchar('\n');
    }
}

static void print_module(const char *file, const partir_module *m) {
    uint32_t n = partir_module_argument_count(m), r = partir_module_result_count(m);
    put_value_name(stdout, file, 0);
    printf(": %" PRIu64 " ops, %" PRIu32 " argument%s, %" PRIu32 " result%s\n", count_ops(m), n, n == 1 ? "" : "s", r,
           r == 1 ? "" : "s");
    print_values(m, partir_module_argument, n, "argument");
    print_values(m, partir_module_result, r, "result");
}

static void print_values_json(const partir_module *m, GetValue get, uint32_t n, const char *what) {
    printf(",\n     \"%s\": [", what);
    for (uint32_t i = 0; i < n; i++) {
        partir_value_info v = {.size = sizeof v};
        get(m, i, &v);
        printf("%s\n       {\"name\": ", i ? "," : "");
        json_string(v.name);
        printf(", \"type\": ");
        json_string(v.type);
        printf(", \"shape\": [");
        for (uint32_t d = 0; d < v.rank; d++) printf("%s%" PRId64, d ? ", " : "", v.shape[d]);
        printf("]}");
    }
    printf("]");
}

static void print_module_json(const char *file, const partir_module *m, bool first) {
    printf("%s\n    {\"file\": ", first ? "" : ",");
    json_string(file);
    printf(", \"ok\": %s", m ? "true" : "false");
    if (m) {
        printf(", \"ops\": %" PRIu64, count_ops(m));
        print_values_json(m, partir_module_argument, partir_module_argument_count(m), "arguments");
        print_values_json(m, partir_module_result, partir_module_result_count(m), "results");
    }
    printf("}");
}

static int run(const Args *a) {
    int status = EXIT_OK;
    if (a->given[JSON]) printf("{\"version\": 1,\n  \"files\": [");
    for (int i = 0; i < a->n_files; i++) {
        partir_module *m;
        if (partir_module_read_file(a->ctx, a->files[i], &m) != PARTIR_OK) status = EXIT_ERROR;
        if (a->given[JSON])
            print_module_json(a->files[i], m, i == 0);
        else if (m)
            print_module(a->files[i], m);
        partir_module_destroy(m);
    }
    if (a->given[JSON]) printf("]}\n");
    return status;
}

const Command command_check = {
    "check", "FILE…", "read and check modules; list their arguments and results", options, 1, 1, ANY_NUMBER, run};
