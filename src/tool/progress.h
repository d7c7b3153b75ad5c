// Progress: how far a long task is, on one line of the terminal that is written over. Ctrl-C ends a search, which then gives the best
// that it has found so far; a second one ends the command.
//
//     progress_begin(a->progress, true);            auto Auto: best so far 13.5 ms, 8.50 GiB (21 %)
//     ok = partir_partition_apply_next(p) == PARTIR_OK;
//     progress_end(a->progress);                         the line is gone
#ifndef PARTIR_TOOL_PROGRESS_H
#define PARTIR_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Progress {
    bool terminal; // standard error is one: elsewhere nothing is shown
    bool on, shown, stops;
    double began, last; // seconds
} Progress;

// `stops`: Ctrl-C makes progress_show return 0. Otherwise, and at the second time, it ends the command.
void progress_begin(Progress *p, bool stops);
void progress_end(Progress *p);
void progress_clear(Progress *p); // before a message
// For partir_options.progress.
int progress_show(Progress *p, const char *what, uint64_t done, uint64_t total);

#endif
