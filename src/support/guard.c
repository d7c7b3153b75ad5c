// Guard: see guard.h. Leaving frees the arenas of the work that is given up.
#include "support/diag.h"
#include <stdlib.h>

void guard_open_(Context *ctx, Guard *g) {
    g->outer = ctx->guard;
    g->newest = ctx->arenas;
    ctx->guard = g;
}

void guard_close(Context *ctx, Guard *g) { ctx->guard = g->outer; }

void guard_leave(Context *ctx) {
    Guard *g = ctx->guard;
    if (!g) abort(); // an allocation outside of every public call: a bug in the library
    while (ctx->arenas != g->newest) arena_free(ctx->arenas);
    arena_free_spare(ctx); // memory may be short
    ctx->guard = g->outer;
    GUARD_JUMP(g->jump);
}

void guard_out_of_memory(Context *ctx) {
    ctx->quiet = false;
    fail_as(ctx, PARTIR_OUT_OF_MEMORY, diag_error(ctx, NULL, NO_OFFSET, NULL, "out of memory"));
    guard_leave(ctx);
}
