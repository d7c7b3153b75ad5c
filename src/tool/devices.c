// partir devices: what the simulator knows, or one of them in the file form to start from.
#include "tool/command.h"

static int run(const Args *a) {
    partir_text *t;
    if (partir_devices(a->ctx, a->n_files ? a->files[0] : NULL, &t) != PARTIR_OK) return EXIT_ERROR;
    fputs(partir_text_data(t), stdout);
    partir_text_destroy(t);
    return EXIT_OK;
}

const Command command_devices = {
    "devices", "[NAME]", "list the devices that can be simulated, or print one as a file", NULL, 0, 0, 1, run};
