// Guard: the one way out when memory ends. A public function opens a guard; any allocation below it that fails jumps back here.
//
//     Guard g;
//     if (GUARD(ctx, &g)) { …work…; guard_close(ctx, &g); return result; }
//     …clean up arenas…; return NULL;                     // a diagnostic "out of memory" has been reported
#ifndef PARTIR_SUPPORT_GUARD_H
#define PARTIR_SUPPORT_GUARD_H

#include "support/arena.h"
#include <setjmp.h>

typedef struct Guard {
    jmp_buf jump;
    struct Guard *outer;
} Guard;

void guard_open_(Context *ctx, Guard *g);
void guard_close(Context *ctx, Guard *g);
// True on the way in, false when an allocation below failed (the guard is then closed).
#define GUARD(ctx, g) (guard_open_((ctx), (g)), setjmp((g)->jump) == 0)

_Noreturn void guard_out_of_memory(Context *ctx);

#endif
