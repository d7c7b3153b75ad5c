// The way into every public call that can fail.
#include "api/handles.h"

bool api_call(Context *ctx, bool (*body)(void *), void *arg) {
    Arena *newest = ctx->arenas;
    Guard g;
    ctx->n_errors = 0;
    ctx->cancelled = false;
    if (!GUARD(ctx, &g)) return false;
    bool ok = body(arg);
    guard_close(ctx, &g);
    if (!ok)
        while (ctx->arenas != newest) arena_free(ctx->arenas);
    return ok;
}
