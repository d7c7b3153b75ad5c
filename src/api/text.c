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

int partir_text_write(const partir_text *t, const char *path) {
    Context *ctx = t->arena.ctx;
    ctx->n_errors = 0;
    FileStatus s = platform_write(path, t->data, t->size);
    if (s == FILE_OK) return 1;
    return diag_error(ctx, NULL, NO_OFFSET, NULL, "cannot write '%s': %s", path, platform_status_text(s));
}

void partir_text_destroy(partir_text *t) {
    if (!t) return;
    arena_free(&t->arena);
}
