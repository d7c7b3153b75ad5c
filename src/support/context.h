// Context: what the caller hands in once (allocator, diagnostics, progress) and every function receives. No global state exists beside it.
#ifndef PARTIR_SUPPORT_CONTEXT_H
#define PARTIR_SUPPORT_CONTEXT_H

#include "partir.h"
#include "support/guard.h"
#include <stdbool.h>

struct partir_context {
    partir_options options; // a copy of the caller's, defaults filled in
    Guard *guard;           // innermost open guard
    Arena *arenas;          // live ones, newest first
    ArenaBlock *spare;      // blocks for arenas to come
    size_t spare_bytes;
    uint32_t n_errors;      // errors reported since the current public call began
    partir_status status;   // of that call so far
    bool cancelled;
    bool quiet; // errors and warnings are counted, not told: what is tried may fail
};

void *ctx_realloc(Context *ctx, void *old, size_t old_size, size_t new_size); // NULL on failure; new_size 0 frees

// Tell the caller how far a long task is; false once the caller asked to stop (a "cancelled" error has been reported).
bool ctx_progress(Context *ctx, const char *what, uint64_t done, uint64_t total);

#endif
