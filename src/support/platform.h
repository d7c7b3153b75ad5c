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
    FILE_NOT_MAPPABLE // a pipe, a device, or a system without mapping: read it as a stream
} FileStatus;

// Read-only view of a whole file. An empty file gives text "" and n 0.
FileStatus platform_map(const char *path, const char **text, size_t *n);
void platform_unmap(const char *text, size_t n);

// Writes the file whole or not at all: a temporary beside it, then a rename. Devices and pipes are written directly.
FileStatus platform_write(const char *path, const char *text, size_t n);
FileStatus platform_make_folder(const char *path); // one that is there already is fine
const char *platform_status_text(FileStatus s);

double platform_cpu_seconds(void); // processor time of this process
double platform_seconds(void);     // monotonic wall clock
bool platform_is_terminal(int fd);

#endif
