// partir rules: the factors of each op, one line an op.
#include "tool/command.h"

enum { INLINE, JSON };
static const Option options[] = {
    [INLINE] = {"--inline", NULL, "after inlining all calls"},
    [JSON] = {"--json", NULL, "as JSON"},
};

static int run(const Args *a) {
    partir_module *m;
    partir_text *text = NULL;
    if (partir_module_read_file(a->ctx, a->files[0], &m) == PARTIR_OK &&
        (!a->given[INLINE] || partir_module_inline(m) == PARTIR_OK))
        partir_module_rules(m, a->given[JSON], &text);
    if (text) fwrite(partir_text_data(text), 1, partir_text_size(text), stdout);
    int status = text ? EXIT_OK : EXIT_ERROR;
    partir_text_destroy(text);
    partir_module_destroy(m);
    return status;
}

const Command command_rules = {"rules", "FILE", "print which dimensions of each op move together", options, 2, 1,
                               1,       run};
