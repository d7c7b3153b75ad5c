// The arena, the guard around it and the diagnostics: what holds when memory is plentiful and when it ends.
#include "support/diag.h"
#include "support/hash.h"
#include "counting_heap.h"
#include "test.h"
#include <stdlib.h>

static Context *make_context(CountingHeap *h, size_t budget) {
    Context *ctx = counting_context(h);
    h->budget = h->calls + budget;
    return ctx;
}

// Fills vectors, buffers and maps of two arenas and checks their contents.
static void work(Context *ctx) {
    Arena a, b;
    arena_init(&a, ctx);
    arena_init(&b, ctx);
    VEC(uint32_t) v = {0};
    Buffer text;
    buf_init(&text, &b);
    IdMap map;
    idmap_init(&map, &a);
    for (uint32_t i = 0; i < 100000; i++) {
        vec_push(&a, &v, i * 3);
        buf_int(&text, i % 10);
        if (i % 100 == 0) idmap_add(&map, i * 7, i);
    }
    bool same = true;
    for (uint32_t i = 0; i < 100000; i++) {
        same &= v.at[i] == i * 3 && text.at[i] == (char)('0' + i % 10);
        uint32_t hash = i * 7, p = hash;
        same &= idmap_probe(&map, hash, &p) == (i % 100 == 0 ? i : IDMAP_END);
    }
    CHECK(same);
    CHECK_INT(text.n, 100000);
    arena_free(&b);
    CHECK((uintptr_t)arena_alloc(&a, 1) % 16 == 0);
    CHECK((uintptr_t)arena_alloc(&a, 100000) % 16 == 0);
    arena_free(&a);
}

static bool guarded_work(Context *ctx) {
    Guard g;
    if (!GUARD(ctx, &g)) return false;
    work(ctx);
    guard_close(ctx, &g);
    return true;
}

static void memory_that_ends_anywhere_is_reported_and_freed(void) {
    size_t budget = 0;
    for (bool done = false; !done; budget++) {
        CountingHeap h;
        Context *ctx = make_context(&h, budget);
        size_t before = h.alive;
        done = guarded_work(ctx);
        if (done) arena_free_spare(ctx); // a failure has done it
        CHECK_INT(h.alive, before);
        CHECK_STR(h.message, done ? "" : "out of memory");
        CHECK(ctx->guard == NULL && ctx->arenas == NULL);
        partir_context_destroy(ctx);
        CHECK_INT(h.alive, 0);
    }
    CHECK(budget > 10);
}

static void sizes_that_overflow_are_out_of_memory(void) {
    CountingHeap h;
    Context *ctx = make_context(&h, SIZE_MAX / 2);
    size_t n[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8 + 2};
    for (int i = 0; i < 3; i++) {
        Guard g;
        if (GUARD(ctx, &g)) {
            Arena a;
            arena_init(&a, ctx);
            arena_array(&a, n[i], 8);
            guard_close(ctx, &g);
            CHECK(false && "allocated the impossible");
        }
        CHECK(ctx->arenas == NULL);
    }
    partir_context_destroy(ctx);
}

// Small, large and growing requests.
static void fill(Arena *a) {
    VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 50000; i++) {
        vec_push(a, &v, i);
        if (i % 1000 == 0) memset(arena_alloc(a, i), 0xff, i);
    }
    bool same = true;
    for (uint32_t i = 0; i < 50000; i++) same &= v.at[i] == i;
    CHECK(same);
}

static void what_is_done_again_lies_in_one_block(void) {
    CountingHeap h;
    Context *ctx = make_context(&h, SIZE_MAX / 2);
    Arena a;
    arena_init(&a, ctx);
    fill(&a);
    arena_reset(&a);
    fill(&a);
    arena_reset(&a);
    size_t calls = h.calls;
    for (int i = 0; i < 3; i++) {
        fill(&a);
        arena_reset(&a);
    }
#if !defined(__SANITIZE_ADDRESS__) // under which each request has its own block
    CHECK_INT(h.calls, calls);
#endif
    CHECK(calls > 0);
    fill(&a);
    memset(arena_alloc(&a, 1000000), 0, 1000000); // more than before
    fill(&a);
    arena_free(&a);
    partir_context_destroy(ctx);
    CHECK_INT(h.alive, 0);
}

static void indexed_places_are_the_same(void) {
    static const char *const texts[] = {"", "\n", "a", "a\nbc\r\n\nd\n", "\n\n\nend"};
    Context *ctx;
    partir_context_create(NULL, &ctx);
    Arena a;
    arena_init(&a, ctx);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        Source plain, indexed;
        source_from_memory(&plain, "f.mlir", texts[k], strlen(texts[k]));
        indexed = plain;
        source_index(&indexed, &a);
        for (size_t at = 0; at < plain.n + 2; at++) {
            SourcePlace x = source_place(&plain, at), y = source_place(&indexed, at);
            CHECK(x.line == y.line && x.column == y.column && x.text.at == y.text.at && x.text.n == y.text.n);
        }
    }
    arena_free(&a);
    partir_context_destroy(ctx);
}

static void a_long_line_is_shortened_around_the_caret(void) {
    char text[1024], out[1024];
    memset(text, 'x', sizeof text);
    text[100] = '\n';
    text[600] = '!';
    Source s;
    source_from_memory(&s, "f.mlir", text, sizeof text);
    SourcePlace p = source_place(&s, 600);
    CHECK_INT(p.line, 2);
    CHECK_INT(p.column, 500);
    CHECK_INT(p.text.n, 923);
    partir_diagnostic d = {.severity = PARTIR_WARNING,
                           .file = "f",
                           .line = 2,
                           .column = 3,
                           .message = "odd",
                           .source_line = "\tab",
                           .caret = 2,
                           .hint = "even"};
    CHECK_INT(partir_diagnostic_format(&d, 0, out, sizeof out), strlen(out));
    CHECK_STR(out, "f:2:3: warning: odd\n    \tab\n    \t ^\n    hint: even\n");
    CHECK_INT(partir_diagnostic_format(&d, 0, out, 10), 51);
    CHECK_STR(out, "f:2:3: wa");
}

int main(void) {
    RUN(memory_that_ends_anywhere_is_reported_and_freed);
    RUN(sizes_that_overflow_are_out_of_memory);
    RUN(what_is_done_again_lies_in_one_block);
    RUN(indexed_places_are_the_same);
    RUN(a_long_line_is_shortened_around_the_caret);
    return test_end();
}
