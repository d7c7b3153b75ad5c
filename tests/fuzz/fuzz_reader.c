// Fuzzing the reader, the checker, the printer and the inliner through the public API: any bytes give a clear error or a module.
// A module that was read must print; what it prints must read back and print to the same bytes, in both forms.
//
// With clang this links with libFuzzer. Elsewhere replay.c gives it a main that runs files through it.
#include "reports.h"

static void check_round_trip(partir_context *ctx, const Reports *reports, const partir_module *module, unsigned flags) {
    partir_text *once, *twice;
    partir_module *again;
    if (partir_module_print(module, flags, &once) != PARTIR_OK)
        fail("a module that was read does not print", reports, NULL);
    if (partir_module_read_text(ctx, "printed", partir_text_data(once), partir_text_size(once), &again) != PARTIR_OK)
        fail("what was printed does not read", reports, once);
    if (partir_module_print(again, flags, &twice) != PARTIR_OK) fail("the second module does not print", reports, once);
    if (partir_text_size(once) != partir_text_size(twice) ||
        memcmp(partir_text_data(once), partir_text_data(twice), partir_text_size(once)) != 0)
        fail("the second print differs from the first", reports, once);
    partir_text_destroy(twice);
    partir_module_destroy(again);
    partir_text_destroy(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Reports reports = {0};
    partir_context *ctx = reporting_context(&reports);
    if (!ctx) return 0;
    partir_module *module;
    partir_module_read_text(ctx, "input", (const char *)data, size, &module);
    if (!module && !reports.errors) fail("no module and no error", &reports, NULL);
    if (module && reports.errors) fail("a module in spite of an error", &reports, NULL);
    if (module) {
        check_round_trip(ctx, &reports, module, PARTIR_PRINT_PRETTY);
        check_round_trip(ctx, &reports, module, PARTIR_PRINT_GENERIC | PARTIR_PRINT_LOCATIONS);
        if (partir_module_inline(module) == PARTIR_OK)
            check_round_trip(ctx, &reports, module, PARTIR_PRINT_PRETTY);
        else if (!reports.errors)
            fail("inlining failed without an error", &reports, NULL);
    }
    partir_module_destroy(module);
    partir_context_destroy(ctx);
    return 0;
}
