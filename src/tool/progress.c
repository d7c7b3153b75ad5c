// Progress: shown from the second second on, five times a second.
#include "tool/progress.h"
#include "support/platform.h"
#include "support/text.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t interrupted; // a signal handler is given no state

static void on_interrupt(int number) {
    interrupted = 1;
    signal(number, SIG_DFL);
}

void progress_begin(Progress *p, bool stops) {
    interrupted = 0;
    p->stops = stops && signal(SIGINT, on_interrupt) != SIG_IGN;
    if (stops && !p->stops) signal(SIGINT, SIG_IGN); // as who started the command wants it
    p->on = true;
    p->began = p->last = platform_seconds();
}

void progress_clear(Progress *p) {
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

void progress_end(Progress *p) {
    if (p->stops) signal(SIGINT, SIG_DFL);
    progress_clear(p);
    p->on = false;
}

int progress_show(Progress *p, const char *what, uint64_t done, uint64_t total) {
    if (!p->on) return 1;
    double now = platform_seconds();
    if (p->terminal && now - p->began > 1 && now - p->last > 0.2) {
        char line[120];
        snprintf(line, sizeof line, "%.70s", what);
        text_make_printable(line, strlen(line), false);
        fprintf(stderr, "\r\033[K%s (%.2g %%)", line, 100.0 * (double)done / (double)(total ? total : 1));
        fflush(stderr);
        p->shown = true;
        p->last = now;
    }
    return !interrupted;
}
