// Arena: all memory of a context, a module or a pass comes from one of these and is freed as a whole.
//
//     Arena a; arena_init(&a, ctx);
//     int64_t *dims = arena_new(&a, int64_t, rank);      // never NULL: failure jumps to the API boundary (guard.h)
//     arena_free(&a);
//
// An arena on the stack is safe too: when memory ends, the guard frees every arena that was made since it opened.
#ifndef PARTIR_SUPPORT_ARENA_H
#define PARTIR_SUPPORT_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct partir_context Context;
typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    Context *ctx;
    ArenaBlock *blocks; // newest first
    char *cur, *end;
    char *home, *home_end; // the block that arena_reset left, which takes large requests too
    struct Arena *newer, *older; // the context's live arenas
} Arena;

void arena_init(Arena *a, Context *ctx);
void arena_free(Arena *a);
// Forgets all that was allocated, for work that is done again and again: it then lies in one block that is as large as
// all that it needed before, so that from the third time on nothing is asked of the allocator.
void arena_reset(Arena *a);
void arena_free_spare(Context *ctx);     // blocks that the context keeps for arenas to come
void arena_move(Arena *to, Arena *from); // `from` is then no arena any more

void *arena_alloc(Arena *a, size_t size); // 16-byte aligned, not cleared
// Gives back what arena_alloc gave for 32 KiB or more: such a request has a block of its own.
void arena_drop(Arena *a, void *p);
void *arena_zalloc(Arena *a, size_t size);                               // cleared
void *arena_array(Arena *a, size_t n, size_t elem);                      // checked n * elem, not cleared
void *arena_grow(Arena *a, void *old, size_t old_size, size_t new_size); // large blocks move by realloc

void *arena_copy(Arena *a, const void *from, size_t size);               // never NULL, even of nothing

#define arena_new(a, T, n) ((T *)arena_array((a), (size_t)(n), sizeof(T)))

// Growable array whose storage lives in an arena: `VEC(uint32_t) ids = {0}; vec_push(&arena, &ids, 7);`
// An empty one has no storage, and not even 0 may be added to NULL: what is asked where its end is begins with vec_open.
#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        uint32_t n, cap;                                                                                               \
    }
void vec_reserve_(Arena *a, void **at, uint32_t *cap, uint64_t want, size_t elem);
#define vec_reserve(a, v, want)                                                                                        \
    ((want) > (v)->cap ? vec_reserve_((a), (void **)&(v)->at, &(v)->cap, (want), sizeof *(v)->at) : (void)0)
#define vec_push(a, v, x) (vec_reserve((a), (v), (uint64_t)(v)->n + 1), (v)->at[(v)->n++] = (x))
#define vec_open(a, v) vec_reserve((a), (v), (uint64_t)1)
// Room for k more at the end; the caller fills at[n - k .. n).
#define vec_extend(a, v, k)                                                                                            \
    (vec_reserve((a), (v), (uint64_t)(v)->n + (k) + !(v)->at), (v)->n += (uint32_t)(k),                          \
     (v)->at + (v)->n - (k))

#endif
