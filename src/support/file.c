// Files by place. What was there when the file was opened may be gone when it is read: that is an error like any other.
#include "support/file.h"
#include "support/diag.h"

static bool cannot_read(const FileBytes *f, const char *why) {
    return diag_error(f->ctx, NULL, NO_OFFSET, NULL, "cannot read '%s': %s", f->name, why);
}

static bool read_stream(FileBytes *f, Arena *a, uint64_t most) {
    size_t cap = 16 * 1024, got;
    char *bytes = arena_alloc(a, cap);
    for (;;) {
        FileStatus s = platform_read(&f->file, bytes + f->n, cap - (size_t)f->n, &got);
        f->n += got;
        if (s != FILE_OK) return cannot_read(f, platform_status_text(s));
        if (f->n > most)
            return diag_error(f->ctx, NULL, NO_OFFSET, "raise the cap (--max-memory)",
                              "'%s' holds more than the memory cap of %llu bytes", f->name, (unsigned long long)most);
        if (f->n < cap) break;
        bytes = arena_grow(a, bytes, cap, cap * 2);
        cap *= 2;
    }
    f->memory = bytes;
    return true;
}

bool file_open(FileBytes *f, Arena *a, const char *path, uint64_t most) {
    *f = (FileBytes){.ctx = a->ctx, .name = path};
    FileStatus s = platform_open(&f->file, path);
    if (s != FILE_OK) return cannot_read(f, platform_status_text(s));
    if (!f->file.is_regular) return read_stream(f, a, most);
    f->n = f->file.size;
    return true;
}

void file_close(FileBytes *f) { platform_close(&f->file); }

bool file_read(const FileBytes *f, uint64_t at, void *to, size_t n) {
    if (n == 0) return true;
    if (f->memory) {
        memcpy(to, f->memory + at, n);
        return true;
    }
    size_t got;
    FileStatus s = platform_read_at(&f->file, at, to, n, &got);
    if (s != FILE_OK) return cannot_read(f, platform_status_text(s));
    return got == n || cannot_read(f, "it was shortened while it was read");
}
