// Source: an input text from a file, a stream or memory.
#include "support/source.h"
#include "support/diag.h"
#include "support/platform.h"

// Reads to the end: in one piece if the file says how large it is, and does not grow meanwhile.
static FileStatus read_all(Source *s, Arena *a, PlatformFile *f) {
    if (f->size > SIZE_MAX / 4) return FILE_TOO_LARGE;
    size_t cap = (size_t)f->size + 1, n = 0;
    char *text = arena_alloc(a, cap);
    for (;;) {
        size_t got;
        FileStatus status = platform_read(f, text + n, cap - n, &got);
        n += got;
        if (status != FILE_OK || n < cap) {
            s->text = text;
            s->n = n;
            return status;
        }
        text = arena_grow(a, text, cap, cap + cap / 2 + 16 * 1024);
        cap += cap / 2 + 16 * 1024;
    }
}

static FileStatus open_source(Source *s, Arena *a, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    size_t length = strlen(path) + 1;
    const char *name = standard ? "<stdin>" : memcpy(arena_alloc(a, length), path, length);
    *s = (Source){.name = name, .text = ""};
    PlatformFile f;
    FileStatus status = platform_open(&f, path);
    if (status != FILE_OK) return status;
    Guard g;
    if (!GUARD(a->ctx, &g)) {
        platform_close(&f);
        guard_leave(a->ctx);
    }
    status = read_all(s, a, &f);
    guard_close(a->ctx, &g);
    platform_close(&f);
    return status;
}

bool source_open_if_there(Source *s, Arena *a, const char *path, bool *found) {
    FileStatus status = open_source(s, a, path);
    *found = status == FILE_OK;
    if (status == FILE_OK || status == FILE_MISSING) return true;
    return diag_error(a->ctx, NULL, NO_OFFSET, NULL, "cannot read '%s': %s", path, platform_status_text(status));
}

bool source_open(Source *s, Arena *a, const char *path) {
    bool found;
    if (!source_open_if_there(s, a, path, &found)) return false;
    if (found) return true;
    return fail_as(a->ctx, PARTIR_NOT_FOUND,
                   diag_error(a->ctx, NULL, NO_OFFSET, NULL, "cannot read '%s': %s", path,
                              platform_status_text(FILE_MISSING)));
}

void source_from_memory(Source *s, const char *name, const char *text, size_t n) {
    *s = (Source){.name = name, .text = n ? text : "", .n = n};
}

void source_index(Source *s, Arena *a) {
    if (s->lines) return;
    VEC(size_t) lines = {0};
    vec_push(a, &lines, 0);
    for (const char *at = s->text, *end = at + s->n; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        vec_push(a, &lines, (size_t)(at + 1 - s->text));
    s->lines = lines.at;
    s->n_lines = lines.n;
}

// The last of the lines that were indexed that begins at or before the offset.
static uint32_t find_line(const Source *s, size_t offset) {
    uint32_t low = 0, high = s->n_lines;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(s->lines[middle] <= offset ? &low : &high) = middle;
    }
    return low;
}

SourcePlace source_place(const Source *s, size_t offset) {
    if (offset > s->n) offset = s->n;
    uint32_t before = s->lines ? find_line(s, offset) : 0, number = before + 1;
    const char *line = s->text + (s->lines ? s->lines[before] : 0), *at = s->text + offset, *end = s->text + s->n;
    for (const char *nl; (nl = memchr(line, '\n', (size_t)(at - line))); number++) line = nl + 1;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    if (stop > line && stop[-1] == '\r') stop--;
    uint32_t column = (uint32_t)(at - line) + 1;
    return (SourcePlace){number, column, {line, (size_t)(stop - line)}};
}
