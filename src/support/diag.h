// Diagnostics: every message to the user goes through here, to the callback of the context.
//
//     return diag_error(ctx, src, at, "use a permutation of 0..%d", "transpose permutation %s is no permutation", text);
#ifndef PARTIR_SUPPORT_DIAG_H
#define PARTIR_SUPPORT_DIAG_H

#include "support/context.h"
#include "support/source.h"

#define NO_OFFSET ((size_t)-1)

// A diagnostic under construction: message, then optionally a hint; source and offset may be absent.
// All return false, so that a failing check can `return diag_error(…)`.
bool diag_error(Context *ctx, const Source *src, size_t offset, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
bool diag_warning(Context *ctx, const Source *src, size_t offset, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
bool diag_note(Context *ctx, const Source *src, size_t offset, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

// What the public call under way will return, where an error means more than PARTIR_INVALID:
//
//     return fail_as(ctx, PARTIR_NOT_FOUND, diag_error(ctx, …));
bool fail_as(Context *ctx, partir_status status, bool failed);

#endif
