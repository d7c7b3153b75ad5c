// The public context: the caller's callbacks, and how a diagnostic is shown.
#include "api/handles.h"
#include <stdarg.h>
#include <stdio.h>

const char *partir_version(void) { return PARTIR_VERSION_STRING; }

partir_status partir_context_create(const partir_options *options, partir_context **out) {
    Context made = {0};
    if (!out) return PARTIR_MISUSE;
    *out = NULL;
    if (!api_take(&made.options, options, sizeof made.options)) return PARTIR_MISUSE;
    Context *ctx = ctx_realloc(&made, NULL, 0, sizeof *ctx);
    if (!ctx) return PARTIR_OUT_OF_MEMORY;
    *ctx = made;
    *out = ctx;
    return PARTIR_OK;
}

void partir_context_destroy(partir_context *ctx) {
    if (!ctx) return;
    arena_free_spare(ctx);
    Context last = *ctx;
    ctx_realloc(&last, ctx, sizeof *ctx, 0);
}

// Bounded output that counts what it wanted to write.
typedef struct Out {
    char *at;
    size_t size, wanted;
} Out;

static void put_out(Out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put_out(Out *o, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    bool room = o->wanted < o->size;
    int n = vsnprintf(room ? o->at + o->wanted : NULL, room ? o->size - o->wanted : 0, fmt, ap);
    va_end(ap);
    if (n > 0) o->wanted += (size_t)n;
}

size_t partir_diagnostic_format(const partir_diagnostic *d, int color, char *out, size_t size) {
    static const char *const severities[] = {"error", "warning", "note"};
    static const char *const colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
    const char *bold = color ? "\033[1m" : "", *paint = color ? colors[d->severity] : "",
               *plain = color ? "\033[0m" : "";
    Out o = {out, size, 0};
    if (size) out[0] = 0;
    if (d->file && d->line)
        put_out(&o, "%s%s:%u:%u: %s", bold, d->file, d->line, d->column, plain);
    else
        put_out(&o, "%s%s: %s", bold, d->file ? d->file : "partir", plain);
    put_out(&o, "%s%s:%s %s%s%s\n", paint, severities[d->severity], plain, bold, d->message, plain);
    if (d->source_line) {
        put_out(&o, "    %s\n    ", d->source_line);
        for (uint32_t i = 0; i < d->caret && d->source_line[i]; i++) {
            char c = d->source_line[i];
            if (((unsigned char)c & 0xc0) != 0x80) put_out(&o, "%c", c == '\t' ? '\t' : ' ');
        }
        put_out(&o, "%s^%s\n", paint, plain);
    }
    if (d->hint) put_out(&o, "    %shint:%s ", color ? "\033[1;36m" : "", plain);
    for (const char *line = d->hint, *end; line; line = *end ? end + 1 : NULL) { // all lines are indented
        end = line + strcspn(line, "\n");
        put_out(&o, "%s%.*s\n", line == d->hint ? "" : "    ", (int)(end - line), line);
    }
    return o.wanted;
}
