// Platform: the only file that knows the operating system.
#ifndef PARTIR_SUPPORT_PLATFORM_H
#define PARTIR_SUPPORT_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum FileStatus {
    FILE_OK,
    FILE_MISSING,
    FILE_NO_ACCESS,
    FILE_IS_DIRECTORY,
    FILE_TOO_LARGE,
    FILE_DISK_FULL,
    FILE_IO_ERROR,
    FILE_NO_MEMORY,
    FILE_NAME_TOO_LONG
} FileStatus;

// A file that is open for reading. Nothing is mapped: whoever shortens a mapped file kills the process that reads it.
typedef struct PlatformFile {
    int fd;
    bool is_regular; // its bytes have places; a pipe or a device can only be read on
    uint64_t size;   // of a regular file when it was opened; it may say 0 and hold more, as in /proc
} PlatformFile;

FileStatus platform_open(PlatformFile *f, const char *path); // "-" is standard input
void platform_close(PlatformFile *f);
// The next n bytes, or those at a place of a regular file; fewer only at the end of the file.
FileStatus platform_read(PlatformFile *f, void *to, size_t n, size_t *got);
FileStatus platform_read_at(const PlatformFile *f, uint64_t at, void *to, size_t n, size_t *got);

// Writes the file whole or not at all: a temporary beside it that no one can have prepared, then a rename. Devices and
// pipes are written directly; of a symbolic link, what it points to is written, also if that is not there yet.
FileStatus platform_write(const char *path, const char *text, size_t n);
// Whether writing one would overwrite the other: the same path, or names of one regular file.
bool platform_same_file(const char *a, const char *b);
FileStatus platform_make_folder(const char *path); // one that is there already is fine
const char *platform_status_text(FileStatus s);

double platform_seconds(void); // monotonic wall clock
bool platform_is_terminal(int fd);

#endif
