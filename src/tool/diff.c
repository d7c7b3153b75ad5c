// partir diff: what came, went and changed between two reports.
#include "tool/program.h"

static int run_diff(const Args *a) {
    partir_text *text;
    int differs = 0;
    if (partir_report_diff(a->ctx, a->files[0], NULL, a->files[1], NULL, &differs, &text) != PARTIR_OK) return EXIT_USAGE;
    if (!program_write(text, NULL)) return EXIT_USAGE;
    return differs ? EXIT_ERROR : EXIT_OK;
}

const Command command_diff = {
    "diff", "A.json B.json", "collectives that came, went and changed between two reports; exit status 1 if any did", NULL, 0, 2, 2,
    run_diff};
