// Diagnostics: a message is put together on the stack, so that "out of memory" can be said too.
#include "support/diag.h"
#include <stdio.h>

enum { MESSAGE_SIZE = 4096, HINT_SIZE = 4096, LINE_SIZE = 160, BEFORE_CARET = 80 };

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

// The part of the line around the caret, "..." where something was left out. Returns the caret's place in it.
static uint32_t shorten_line(char out[LINE_SIZE + 8], Span line, size_t caret) {
    size_t from = 0, n = 0;
    if (caret > line.n) caret = line.n;
    if (line.n > LINE_SIZE && caret > BEFORE_CARET) {
        from = caret - BEFORE_CARET;
        while (from < caret && is_continuation(line.at[from])) from++;
        memcpy(out, "...", 3);
        n = 3;
    }
    uint32_t place = (uint32_t)(n + caret - from);
    size_t left = line.n - from;
    bool cut = left > LINE_SIZE - n;
    if (cut) {
        left = LINE_SIZE - n;
        while (left && is_continuation(line.at[from + left])) left--;
    }
    for (size_t i = 0; i < left; i++) out[n++] = line.at[from + i] ? line.at[from + i] : ' ';
    if (cut) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n] = 0;
    text_make_printable(out, n, 0);
    return place;
}

// As it is, or what can be shown of it. Hints of many lines are rarely cut: those that hold what a terminal would obey.
static const char *printable_hint(const char *hint, char *room) {
    size_t n = hint ? strlen(hint) : 0;
    if (text_is_printable(hint, n, true)) return hint;
    if (n >= HINT_SIZE) n = HINT_SIZE - 1;
    memcpy(room, hint, n);
    room[n] = 0;
    text_make_printable(room, n, true);
    return room;
}

static bool report(Context *ctx, partir_severity severity, const Source *src, size_t offset, const char *hint,
                   const char *fmt, va_list ap) {
    if (severity == PARTIR_ERROR) {
        ctx->n_errors++;
        if (ctx->status == PARTIR_OK) ctx->status = PARTIR_INVALID;
    }
    if (!ctx->options.diagnostic || ctx->quiet) return false;
    char message[MESSAGE_SIZE], shown_hint[HINT_SIZE], line[LINE_SIZE + 8];
    int wanted = vsnprintf(message, sizeof message, fmt, ap);
    if (wanted >= MESSAGE_SIZE) memcpy(message + MESSAGE_SIZE - 4, "...", 4);
    text_make_printable(message, strlen(message), 0);
    partir_diagnostic d = {.size = sizeof d, .severity = severity, .message = message, .hint = printable_hint(hint, shown_hint)};
    bool named = src && src->name; // a module built in memory has no text to point to
    if (named) d.file = src->name;
    if (named && offset != NO_OFFSET) {
        SourcePlace p = source_place(src, offset);
        d.line = p.line;
        d.column = p.column;
        d.caret = shorten_line(line, p.text, p.column - 1);
        d.source_line = line;
    }
    ctx->options.diagnostic(ctx->options.user, &d);
    return false;
}

bool fail_as(Context *ctx, partir_status status, bool failed) {
    ctx->status = status;
    return failed;
}

#define REPORT(severity)                                                                                               \
    va_list ap;                                                                                                        \
    va_start(ap, fmt);                                                                                                 \
    report(ctx, severity, src, offset, hint, fmt, ap);                                                                 \
    va_end(ap);                                                                                                        \
    return false

bool diag_error(Context *ctx, const Source *src, size_t offset, const char *hint, const char *fmt, ...) {
    REPORT(PARTIR_ERROR);
}

bool diag_warning(Context *ctx, const Source *src, size_t offset, const char *hint, const char *fmt, ...) {
    REPORT(PARTIR_WARNING);
}

bool diag_note(Context *ctx, const Source *src, size_t offset, const char *hint, const char *fmt, ...) {
    REPORT(PARTIR_NOTE);
}
