// What fuzz targets share: errors are counted, and a broken promise ends the run with the last of them.
#ifndef PARTIR_FUZZ_REPORTS_H
#define PARTIR_FUZZ_REPORTS_H

#include "partir.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    int errors;
    char last[400];
} Reports;

static void count_report(void *user, const partir_diagnostic *d) {
    Reports *reports = user;
    if (d->severity == PARTIR_ERROR) reports->errors++;
    partir_diagnostic_format(d, 0, reports->last, sizeof reports->last);
}

static inline partir_context *reporting_context(Reports *reports) {
    partir_options options = {.size = sizeof options, .user = reports, .diagnostic = count_report};
    partir_context *ctx;
    return partir_context_create(&options, &ctx) == PARTIR_OK ? ctx : NULL;
}

static inline void fail(const char *what, const Reports *reports, const partir_text *text) {
    fprintf(stderr, "%s\n%s\n%s\n", what, reports->last, text ? partir_text_data(text) : "");
    abort();
}

#endif
