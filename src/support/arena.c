// Arena: blocks from the context's allocator, filled from the front. A large request has a block of its own, so that a
// growing array moves by the allocator's realloc and leaves no copies of itself behind. Blocks of arenas that are gone
// stay with the context for the next ones, up to MAX_SPARE bytes: a program is lowered and simulated again and again, and
// memory fresh from the system costs more than the work that is done in it.
#include "support/context.h"
#include <stdbool.h>
#include <string.h>

struct ArenaBlock {
    ArenaBlock *newer, *older;
    size_t size; // of the whole block
};

// From LARGE on a request has its own block. Under AddressSanitizer that is each one, so that it sees every overrun.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
enum { LARGE = 1, MAX_SPARE = 0 };
#else
enum { LARGE = 32 * 1024, MAX_SPARE = 32 * 1024 * 1024 };
#endif

enum {
    ALIGNMENT = 16,
    HEADER = (sizeof(ArenaBlock) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
    FIRST_BLOCK = 16 * 1024,
    MAX_BLOCK = 1024 * 1024
};

void arena_init(Arena *a, Context *ctx) {
    *a = (Arena){.ctx = ctx, .older = ctx->arenas};
    if (ctx->arenas) ctx->arenas->newer = a;
    ctx->arenas = a;
}

static void unlink_arena(Arena *a) {
    if (a->newer)
        a->newer->older = a->older;
    else
        a->ctx->arenas = a->older;
    if (a->older) a->older->newer = a->newer;
}

static void release_blocks(Context *ctx, ArenaBlock *b) {
    for (ArenaBlock *older; b; b = older) {
        older = b->older;
        if (b->size <= MAX_SPARE - ctx->spare_bytes) {
            b->older = ctx->spare;
            ctx->spare = b;
            ctx->spare_bytes += b->size;
        } else {
            ctx_realloc(ctx, b, b->size, 0);
        }
    }
}

void arena_free(Arena *a) {
    unlink_arena(a);
    ArenaBlock *b = a->blocks;
    *a = (Arena){.ctx = a->ctx}; // now, since an arena may lie in its own memory
    release_blocks(a->ctx, b);
}

void arena_free_spare(Context *ctx) {
    ArenaBlock *b = ctx->spare;
    ctx->spare = NULL;
    ctx->spare_bytes = 0;
    for (ArenaBlock *older; b; b = older) {
        older = b->older;
        ctx_realloc(ctx, b, b->size, 0);
    }
}

// A spare block that is large enough, and not much larger; NULL if there is none.
static ArenaBlock *take_spare(Context *ctx, size_t size) {
    for (ArenaBlock **at = &ctx->spare; *at; at = &(*at)->older) {
        ArenaBlock *b = *at;
        if (b->size < size || b->size / 2 > size) continue;
        *at = b->older;
        ctx->spare_bytes -= b->size;
        return b;
    }
    return NULL;
}

void arena_move(Arena *to, Arena *from) {
    *to = *from;
    if (to->newer)
        to->newer->older = to;
    else
        to->ctx->arenas = to;
    if (to->older) to->older->newer = to;
}

static size_t round_to_alignment(size_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static void link_block(Arena *a, ArenaBlock *b) {
    if (b->newer)
        b->newer->older = b;
    else
        a->blocks = b;
    if (b->older) b->older->newer = b;
}

static ArenaBlock *new_block(Arena *a, size_t payload) {
    ArenaBlock *b = take_spare(a->ctx, HEADER + payload);
    size_t size = b ? b->size : HEADER + payload;
    if (!b) b = ctx_realloc(a->ctx, NULL, 0, size);
    if (!b && a->ctx->spare) { // none of them fits, but together they may make room
        arena_free_spare(a->ctx);
        b = ctx_realloc(a->ctx, NULL, 0, size);
    }
    if (!b) guard_out_of_memory(a->ctx);
    *b = (ArenaBlock){.older = a->blocks, .size = size};
    link_block(a, b);
    return b;
}

void arena_reset(Arena *a) {
    ArenaBlock *b = a->blocks;
    size_t size = 0;
    for (ArenaBlock *i = b; i; i = i->older) size += i->size - HEADER;
    if (!a->home || b->older) {
        a->blocks = NULL;
        a->home = a->home_end = a->cur = a->end = NULL;
        release_blocks(a->ctx, b);
        if (size == 0 || LARGE == 1) return;
        a->home = (char *)new_block(a, size) + HEADER;
        a->home_end = a->home + size;
    }
    a->cur = a->home;
    a->end = a->home_end;
}

static bool is_home(const Arena *a, const char *p) { return a->home && p >= a->home && p < a->home_end; }

void *arena_alloc(Arena *a, size_t size) {
    if (size > SIZE_MAX / 2) guard_out_of_memory(a->ctx);
    bool fits = is_home(a, a->cur) && round_to_alignment(size) <= (size_t)(a->end - a->cur);
    if (size >= LARGE && !fits) return (char *)new_block(a, size) + HEADER;
    size = round_to_alignment(size);
    if ((size_t)(a->end - a->cur) < size || !a->cur) {
        size_t payload = FIRST_BLOCK;
        if (a->blocks) payload = a->blocks->size < MAX_BLOCK / 2 ? a->blocks->size * 2 : MAX_BLOCK;
        if (payload < size) payload = LARGE;
        ArenaBlock *b = new_block(a, payload);
        a->cur = (char *)b + HEADER;
        a->end = a->cur + payload;
    }
    void *p = a->cur;
    a->cur += size;
    return p;
}

void arena_drop(Arena *a, void *p) {
    if (is_home(a, p)) return;
    ArenaBlock *b = (ArenaBlock *)((char *)p - HEADER);
    if (b->newer)
        b->newer->older = b->older;
    else
        a->blocks = b->older;
    if (b->older) b->older->newer = b->newer;
    ctx_realloc(a->ctx, b, b->size, 0);
}

void *arena_zalloc(Arena *a, size_t size) { return memset(arena_alloc(a, size), 0, size); }

void *arena_copy(Arena *a, const void *from, size_t size) {
    void *to = arena_alloc(a, size);
    return size ? memcpy(to, from, size) : to;
}

void *arena_array(Arena *a, size_t n, size_t elem) {
    if (elem && n > SIZE_MAX / elem) guard_out_of_memory(a->ctx);
    return arena_alloc(a, n * elem);
}

static void *grow_large(Arena *a, void *old, size_t new_size) {
    ArenaBlock *b = (ArenaBlock *)((char *)old - HEADER);
    ArenaBlock *moved = ctx_realloc(a->ctx, b, b->size, HEADER + new_size);
    if (!moved) guard_out_of_memory(a->ctx);
    moved->size = HEADER + new_size;
    link_block(a, moved);
    return (char *)moved + HEADER;
}

void *arena_grow(Arena *a, void *old, size_t old_size, size_t new_size) {
    if (new_size > SIZE_MAX / 2) guard_out_of_memory(a->ctx);
    if (old && new_size <= old_size) return old;
    bool home = old && is_home(a, old);
    if (old && old_size >= LARGE && !home) return grow_large(a, old, new_size);
    if (old && (new_size < LARGE || home) && (char *)old + round_to_alignment(old_size) == a->cur) {
        size_t more = round_to_alignment(new_size) - round_to_alignment(old_size);
        if (more <= (size_t)(a->end - a->cur)) {
            a->cur += more;
            return old;
        }
    }
    void *p = arena_alloc(a, new_size);
    if (old) memcpy(p, old, old_size);
    return p;
}

void vec_reserve_(Arena *a, void **at, uint32_t *cap, uint64_t want, size_t elem) {
    if (want <= *cap) return;
    if (want > UINT32_MAX) guard_out_of_memory(a->ctx);
    uint64_t larger = (uint64_t)*cap + *cap / 2 + 8;
    if (larger < want) larger = want;
    if (larger > UINT32_MAX) larger = UINT32_MAX;
    if (larger > SIZE_MAX / elem) guard_out_of_memory(a->ctx);
    *at = arena_grow(a, *at, (size_t)*cap * elem, (size_t)larger * elem);
    *cap = (uint32_t)larger;
}
