// Files that change while they are read: what is gone is an error, never a signal.
#include "support/diag.h"
#include "support/file.h"
#include "test.h"

static Context *ctx;
static char last_error[400];

static void keep_error(void *user, const partir_diagnostic *d) {
    (void)user;
    snprintf(last_error, sizeof last_error, "%s", d->message);
}

static const char path[] = "build/file_test.tmp";

static void put(size_t n) {
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    for (size_t i = 0; f && i < n; i++) fputc('x', f);
    if (f) fclose(f);
}

static void a_file_may_be_shortened(void) {
    Arena arena;
    arena_init(&arena, ctx);
    FileBytes f = {0};
    char bytes[100000];
    put(sizeof bytes);
    CHECK(file_open(&f, &arena, path, 0) && f.n == sizeof bytes);
    CHECK(file_read(&f, 50000, bytes, 50000) && bytes[49999] == 'x');
    put(10);
    CHECK(!file_read(&f, 50000, bytes, 50000));
    CHECK(strstr(last_error, "shortened") != NULL);
    file_close(&f);
    arena_free(&arena);
}

// A text is read when it is opened: what happens to the file later is no concern of its reader.
static void a_text_is_read_whole(void) {
    Arena arena;
    arena_init(&arena, ctx);
    Source s;
    put(100000);
    CHECK(source_open(&s, &arena, path));
    put(0);
    CHECK_INT(s.n, 100000);
    for (size_t i = 0; i < s.n; i += 4096) CHECK(s.text[i] == 'x');
    CHECK(source_open(&s, &arena, path) && s.n == 0);
    CHECK(!source_open(&s, &arena, "build") && strstr(last_error, "directory"));
    arena_free(&arena);
}

int main(void) {
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = keep_error}, &ctx);
    RUN(a_file_may_be_shortened);
    RUN(a_text_is_read_whole);
    remove(path);
    partir_context_destroy(ctx);
    return test_end();
}
