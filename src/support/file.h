// FileBytes: bytes of a file by their place, read when they are asked for, so that a file may be larger than memory.
//
//     FileBytes f = {0};
//     if (file_open(&f, arena, "x.npz", most) && file_read(&f, f.n - 22, end, 22)) …
//     file_close(&f);                                      also after memory has ended
#ifndef PARTIR_SUPPORT_FILE_H
#define PARTIR_SUPPORT_FILE_H

#include "support/context.h"
#include "support/platform.h"
#include "support/text.h"

typedef struct FileBytes {
    Context *ctx;
    const char *name;
    uint64_t n;
    const char *memory; // all of it, for what has no places (a pipe); NULL for a file
    PlatformFile file;
} FileBytes;

// All return false after a diagnostic. `most`: so many bytes of a pipe are kept; more are an error.
bool file_open(FileBytes *f, Arena *a, const char *path, uint64_t most);
void file_close(FileBytes *f);
bool file_read(const FileBytes *f, uint64_t at, void *to, size_t n); // the caller asks for no more than there is

#endif
