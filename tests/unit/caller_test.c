// What a caller may do by the promises of include/partir.h: destroy NULL, leave out all options, cancel, use two contexts in two
// threads.
#include "partir.h"
#include "test.h"
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>

#define TYPE "tensor<4x8xf32>"

typedef struct {
    int errors, calls;
    char message[200];
} Reports;

static void keep_report(void *user, const partir_diagnostic *d) {
    Reports *reports = user;
    if (d->severity == PARTIR_ERROR) reports->errors++;
    snprintf(reports->message, sizeof reports->message, "%s", d->message);
}

static partir_context *create(Reports *reports) {
    partir_options options = {.size = sizeof options, .user = reports, .diagnostic = keep_report};
    partir_context *ctx;
    partir_context_create(&options, &ctx);
    return ctx;
}

static partir_module *read_text(partir_context *ctx, const char *text) {
    partir_module *module;
    partir_module_read_text(ctx, "m.mlir", text, strlen(text), &module);
    return module;
}

static void version_is_the_headers(void) {
    char text[40];
    snprintf(text, sizeof text, "%d.%d.%d", PARTIR_VERSION_MAJOR, PARTIR_VERSION_MINOR, PARTIR_VERSION_PATCH);
    CHECK_STR(partir_version(), text);
    CHECK_STR(PARTIR_VERSION_STRING, text);
}

static void nothing_may_be_destroyed(void) {
    partir_context_destroy(NULL);
    partir_module_destroy(NULL);
    partir_text_destroy(NULL);
}

static void works_without_options(void) {
    partir_context *ctx;
    partir_context_create(NULL, &ctx);
    CHECK(read_text(ctx, "nonsense") == NULL);
    partir_module *module = read_text(ctx, "func.func @main() { return }");
    CHECK(module != NULL);
    partir_module_destroy(module);
    partir_context_destroy(ctx);
}

static int stop_long_work(void *user, const char *what, uint64_t done, uint64_t total) {
    ((Reports *)user)->calls++;
    CHECK(what && what[0]);
    CHECK(done <= total);
    return total < 1000000;
}

static void caller_cancels(void) {
    enum { LINES = 200000 };
    static const char head[] = "func.func @main(%arg0: tensor<f32>) {\n",
                      line[] = "  stablehlo.abs %arg0 : tensor<f32>\n";
    size_t size = 0;
    char *text = malloc(sizeof head + LINES * sizeof line + 20);
    size += (size_t)sprintf(text, "%s", head);
    for (int i = 0; i < LINES; i++, size += sizeof line - 1) memcpy(text + size, line, sizeof line);
    size += (size_t)sprintf(text + size, "  return\n}\n");

    Reports reports = {0};
    partir_options options = {.size = sizeof options, .user = &reports, .diagnostic = keep_report, .progress = stop_long_work};
    partir_context *ctx;
    partir_context_create(&options, &ctx);
    partir_module *none;
    CHECK_INT(partir_module_read_text(ctx, "m.mlir", text, size, &none), PARTIR_CANCELLED);
    CHECK(none == NULL);
    CHECK(reports.calls > 0);
    CHECK_INT(reports.errors, 1);
    CHECK(strstr(reports.message, "cancelled"));
    // The context is still good for other work.
    partir_module *module = read_text(ctx, "func.func @main() { return }");
    CHECK(module != NULL);
    partir_module_destroy(module);
    partir_context_destroy(ctx);
    free(text);
}

static int read_often(void *argument) {
    long *bytes = argument;
    Reports reports = {0};
    partir_context *ctx = create(&reports);
    for (int i = 0; i < 200; i++) {
        partir_module *module =
            read_text(ctx, "func.func @main(%arg0: " TYPE ") -> " TYPE " {\n"
                           "  %0 = stablehlo.add %arg0, %arg0 : " TYPE "\n  return %0 : " TYPE "\n}");
        partir_text *text = NULL;
        if (module) partir_module_print(module, PARTIR_PRINT_GENERIC, &text);
        if (text) *bytes += (long)partir_text_size(text);
        partir_text_destroy(text);
        partir_module_destroy(module);
        partir_module_destroy(read_text(ctx, "func.func @main( { return }"));
    }
    partir_context_destroy(ctx);
    return reports.errors;
}

static void two_threads_two_contexts(void) {
    long bytes[2] = {0, 0};
    int errors[2];
    thrd_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(thrd_create(&threads[i], read_often, &bytes[i]) == thrd_success);
    for (int i = 0; i < 2; i++) CHECK(thrd_join(threads[i], &errors[i]) == thrd_success);
    CHECK(bytes[0] > 0);
    CHECK_INT(bytes[0], bytes[1]);
    CHECK(errors[0] >= 200);
    CHECK_INT(errors[0], errors[1]);
}

int main(void) {
    RUN(version_is_the_headers);
    RUN(nothing_may_be_destroyed);
    RUN(works_without_options);
    RUN(caller_cancels);
    RUN(two_threads_two_contexts);
    return test_end();
}
