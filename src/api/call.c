// The way into every public call that can fail, and how structs cross the border: by as many bytes as both sides know.
#include "api/handles.h"

partir_status api_call(Context *ctx, bool (*body)(void *), void *arg) {
    Arena *newest = ctx->arenas;
    Guard g;
    ctx->n_errors = 0;
    ctx->status = PARTIR_OK;
    ctx->cancelled = false;
    ctx->quiet = false;
    if (!GUARD(ctx, &g)) return ctx->status;
    bool ok = body(arg);
    guard_close(ctx, &g);
    if (ok) return PARTIR_OK;
    while (ctx->arenas != newest) arena_free(ctx->arenas);
    if (ctx->status == PARTIR_OK) diag_error(ctx, NULL, NO_OFFSET, NULL, "the call failed and did not say why");
    return ctx->status;
}

static void begin_call(Context *ctx) {
    ctx->n_errors = 0;
    ctx->status = PARTIR_OK;
}

partir_status api_misuse(Context *ctx, const char *message) {
    if (!ctx) return PARTIR_MISUSE;
    begin_call(ctx);
    diag_error(ctx, NULL, NO_OFFSET, NULL, "%s", message);
    return ctx->status = PARTIR_MISUSE;
}

partir_status api_not_found(Context *ctx, const char *what, uint32_t index, uint32_t count) {
    begin_call(ctx);
    diag_error(ctx, NULL, NO_OFFSET, NULL, "there is no %s %u: there are %u", what, index, count);
    return ctx->status = PARTIR_NOT_FOUND;
}

partir_status api_give(Context *ctx, void *to, const void *from, size_t size) {
    size_t room = 0;
    if (to) memcpy(&room, to, sizeof room);
    if (room < sizeof room) return api_misuse(ctx, "the size of a struct is not set: `x.size = sizeof x`");
    memcpy((char *)to + sizeof room, (const char *)from + sizeof room, (room < size ? room : size) - sizeof room);
    return PARTIR_OK;
}

bool api_take(void *to, const void *from, size_t size) {
    size_t given;
    if (!from) return true;
    memcpy(&given, from, sizeof given);
    if (given < sizeof given) return false;
    memcpy(to, from, given < size ? given : size);
    return true;
}

const char *api_string(Arena *a, Span s) {
    char *copy = arena_alloc(a, s.n + 1);
    memcpy(copy, s.at, s.n);
    copy[s.n] = 0;
    return copy;
}

const char *partir_status_name(partir_status status) {
    static const char *const names[] = {"ok",        "invalid", "illegal",   "not found", "out of memory",
                                        "cancelled", "misuse",  "too large"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown";
}
