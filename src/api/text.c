// Texts that the caller owns.
#include "api/handles.h"
#include "support/platform.h"

partir_text *text_new(Context *ctx, Buffer *out) {
    Arena arena;
    arena_init(&arena, ctx);
    partir_text *t = arena_zalloc(&arena, sizeof *t);
    arena_move(&t->arena, &arena);
    buf_init(out, &t->arena);
    return t;
}

void text_finish(partir_text *t, Buffer *out) {
    t->data = buf_cstr(out);
    t->size = out->n;
}

const char *partir_text_data(const partir_text *t) { return t->data; }
size_t partir_text_size(const partir_text *t) { return t->size; }

typedef struct TextWriteCall {
    const partir_text *t;
    const char *path;
} TextWriteCall;

static bool text_write_body(void *arg) {
    TextWriteCall *call = arg;
    FileStatus s = platform_write(call->path, call->t->data, call->t->size);
    if (s == FILE_OK) return true;
    return diag_error(call->t->arena.ctx, NULL, NO_OFFSET, NULL, "cannot write '%s': %s", call->path,
                      platform_status_text(s));
}

partir_status partir_text_write(const partir_text *t, const char *path) {
    if (!t) return PARTIR_MISUSE;
    if (!path) return api_misuse(t->arena.ctx, "no path was given");
    return api_call(t->arena.ctx, text_write_body, &(TextWriteCall){t, path});
}

void partir_text_destroy(partir_text *t) {
    if (!t) return;
    arena_free(&t->arena);
}
