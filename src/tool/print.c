// partir print: reads a module and prints it back.
#include "tool/command.h"
#include <string.h>

enum { GENERIC, INLINE, LOCATIONS, OUT };
static const Option options[] = {
    [GENERIC] = {"--generic", NULL, "every op in its quoted form"},
    [INLINE] = {"--inline", NULL, "with all calls inlined into @main and dead code removed"},
    [LOCATIONS] = {"--locations", NULL, "with debug locations"},
    [OUT] = {"-o", "OUT", "write to this file instead of standard output"},
};

static int run(const Args *a) {
    unsigned flags = PARTIR_PRINT_PRETTY;
    if (a->given[GENERIC]) flags |= PARTIR_PRINT_GENERIC;
    if (a->given[LOCATIONS]) flags |= PARTIR_PRINT_LOCATIONS;
    partir_module *m;
    partir_text *text = NULL;
    if (partir_module_read_file(a->ctx, a->files[0], &m) == PARTIR_OK &&
        (!a->given[INLINE] || partir_module_inline(m) == PARTIR_OK))
        partir_module_print(m, flags, &text);
    int status = text ? EXIT_OK : EXIT_ERROR;
    if (text && a->given[OUT] && strcmp(a->value[OUT], "-") != 0) {
        if (partir_text_write(text, a->value[OUT]) != PARTIR_OK) status = EXIT_ERROR;
    } else if (text) {
        fwrite(partir_text_data(text), 1, partir_text_size(text), stdout);
    }
    partir_text_destroy(text);
    partir_module_destroy(m);
    return status;
}

const Command command_print = {"print", "FILE", "print a module in its usual form", options, 4, 1, 1, run};
