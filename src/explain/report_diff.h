// Differences of two reports: which collectives came, went and changed, and how that changes a step. Two rows are the same collective
// if kind, axes, tactic, path and what it serves are equal. Numbers of layers and lines do not count, so that a kept report stays
// valid as the expected one.
#ifndef PARTIR_EXPLAIN_REPORT_DIFF_H
#define PARTIR_EXPLAIN_REPORT_DIFF_H

#include "support/json_read.h"

typedef enum DiffKind { DIFF_CAME, DIFF_WENT, DIFF_CHANGED } DiffKind;

// One row for all collectives that differ in the numbers of their layers alone.
typedef struct DiffRow {
    DiffKind kind;
    const char *name;  // all_gather on batch of params/layers/*/up/kernel, by Z3, for loc/layers/*/up/dot_general
    double runs[2], bytes[2]; // in a and b
    uint32_t first;    // in b: the first of them, by its place among b's collectives; NO_JSON
} DiffRow;

typedef struct ReportDiff {
    uint32_t n;
    const DiffRow *rows; // most bytes first
    double bytes[2];
    double seconds[2], peak[2]; // of the last tactic; 0 if the report has no simulation
} ReportDiff;

// Reports of `partir partition` or `partir simulate`, or Python's. False with a diagnostic.
bool report_diff(Context *ctx, const Source *a, const Source *b, Arena *arena, ReportDiff *out);
void report_diff_print(const ReportDiff *d, Buffer *out);

#endif
