// Guard: the one way out when memory ends. A public function opens a guard; any allocation below it that fails jumps back here.
//
//     Guard g;
//     if (GUARD(ctx, &g)) { …work…; guard_close(ctx, &g); return result; }
//     return NULL;                                        // "out of memory" was reported, arenas made since are freed
#ifndef PARTIR_SUPPORT_GUARD_H
#define PARTIR_SUPPORT_GUARD_H

#include "support/arena.h"

// WebAssembly without exceptions has no setjmp: there the end of memory is a trap.
#if defined(__wasm__) && !defined(__wasm_exception_handling__)
typedef int GuardJump;
#define GUARD_SET(jump)  ((jump) = 0)
#define GUARD_JUMP(jump) __builtin_trap()
#else
#include <setjmp.h>
typedef jmp_buf GuardJump;
#define GUARD_SET(jump)  setjmp(jump)
#define GUARD_JUMP(jump) longjmp((jump), 1)
#endif

typedef struct Guard {
    GuardJump jump;
    struct Guard *outer;
    Arena *newest; // the context's newest arena when the guard opened
} Guard;

void guard_open_(Context *ctx, Guard *g);
void guard_close(Context *ctx, Guard *g);
// True on the way in, false when an allocation below failed (the guard is then closed).
#define GUARD(ctx, g) (guard_open_((ctx), (g)), GUARD_SET((g)->jump) == 0)

_Noreturn void guard_out_of_memory(Context *ctx); // reports it and leaves
_Noreturn void guard_leave(Context *ctx);         // to the innermost guard, without a message

#endif
