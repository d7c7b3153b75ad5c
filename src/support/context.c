// Context: the caller's allocator and progress callback.
#include "support/diag.h"
#include <stdlib.h>

void *ctx_realloc(Context *ctx, void *old, size_t old_size, size_t new_size) {
    if (ctx->options.reallocate) return ctx->options.reallocate(ctx->options.user, old, old_size, new_size);
    if (new_size) return realloc(old, new_size);
    free(old);
    return NULL;
}

bool ctx_progress(Context *ctx, const char *what, uint64_t done, uint64_t total) {
    if (ctx->cancelled) return false;
    if (!ctx->options.progress || ctx->options.progress(ctx->options.user, what, done, total)) return true;
    ctx->cancelled = true;
    return fail_as(ctx, PARTIR_CANCELLED, diag_error(ctx, NULL, NO_OFFSET, NULL, "cancelled"));
}
