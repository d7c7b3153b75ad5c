// Platform: files, clocks and terminals. POSIX first; elsewhere plain C does what it can.
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700
#endif
#include "support/platform.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *platform_status_text(FileStatus s) {
    switch (s) {
    case FILE_OK: return "no error";
    case FILE_MISSING: return "no such file";
    case FILE_NO_ACCESS: return "permission denied";
    case FILE_IS_DIRECTORY: return "is a directory";
    case FILE_TOO_LARGE: return "too large";
    case FILE_DISK_FULL: return "no space left on the device";
    case FILE_IO_ERROR: return "input/output error";
    case FILE_NO_MEMORY: return "out of memory";
    case FILE_NOT_MAPPABLE: return "not a regular file";
    }
    return "unknown error";
}

static FileStatus status_of_errno(int e) {
    switch (e) {
    case ENOENT:
    case ENOTDIR: return FILE_MISSING;
    case EACCES:
    case EPERM:
    case EROFS: return FILE_NO_ACCESS;
    case EISDIR: return FILE_IS_DIRECTORY;
    case ENOSPC: return FILE_DISK_FULL;
    case ENOMEM: return FILE_NO_MEMORY;
    default: return FILE_IO_ERROR;
    }
}

#if defined(_WIN32)
#include <direct.h>
#define mkdir(path, mode) _mkdir(path)
#else
#include <sys/stat.h>
#endif

FileStatus platform_make_folder(const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST ? FILE_OK : status_of_errno(errno);
}

#if defined(_WIN32) || defined(__wasi__)

FileStatus platform_map(const char *path, const char **text, size_t *n) {
    (void)path, (void)text, (void)n;
    return FILE_NOT_MAPPABLE;
}

void platform_unmap(const char *text, size_t n) { (void)text, (void)n; }

static FileStatus write_plain(const char *path, const char *text, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f) return status_of_errno(errno);
    FileStatus s = fwrite(text, 1, n, f) == n ? FILE_OK : status_of_errno(errno);
    if (fclose(f) != 0 && s == FILE_OK) s = status_of_errno(errno);
    return s;
}

FileStatus platform_write(const char *path, const char *text, size_t n) {
    char temp[4096];
    int length = snprintf(temp, sizeof temp, "%s.partial", path);
    if (length < 0 || (size_t)length >= sizeof temp) return FILE_IO_ERROR;
    FileStatus s = write_plain(temp, text, n);
    if (s == FILE_OK) {
        remove(path); // rename does not replace everywhere
        if (rename(temp, path) == 0) return FILE_OK;
        s = status_of_errno(errno);
    }
    remove(temp);
    return s;
}

double platform_seconds(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#if defined(_WIN32)
#include <io.h>
double platform_cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
bool platform_is_terminal(int fd) { return _isatty(fd) != 0; }
#else
double platform_cpu_seconds(void) { return platform_seconds(); }
bool platform_is_terminal(int fd) {
    (void)fd;
    return false;
}
#endif

#else

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static FileStatus mappable(const struct stat *st) {
    if (S_ISDIR(st->st_mode)) return FILE_IS_DIRECTORY;
    if (!S_ISREG(st->st_mode) || st->st_size == 0) return FILE_NOT_MAPPABLE; // files of /proc say 0 too
    return (uint64_t)st->st_size > SIZE_MAX / 2 ? FILE_TOO_LARGE : FILE_OK;
}

FileStatus platform_map(const char *path, const char **text, size_t *n) {
    struct stat st;
    if (stat(path, &st) != 0) return status_of_errno(errno);
    FileStatus s = mappable(&st);
    if (s != FILE_OK) return s; // not opened: a pipe can be opened only once
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return status_of_errno(errno);
    s = fstat(fd, &st) == 0 ? mappable(&st) : status_of_errno(errno);
    if (s == FILE_OK) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED) {
            s = status_of_errno(errno);
        } else {
            *text = p;
            *n = (size_t)st.st_size;
        }
    }
    close(fd);
    return s;
}

void platform_unmap(const char *text, size_t n) { munmap((void *)(uintptr_t)text, n); }

static FileStatus write_and_close(int fd, const char *text, size_t n) {
    FileStatus s = FILE_OK;
    while (n && s == FILE_OK) {
        ssize_t k = write(fd, text, n < (1u << 30) ? n : (1u << 30));
        if (k < 0 && errno != EINTR) s = status_of_errno(errno);
        if (k > 0) {
            text += k;
            n -= (size_t)k;
        }
    }
    if (close(fd) != 0 && s == FILE_OK) s = status_of_errno(errno);
    return s;
}

FileStatus platform_write(const char *path, const char *text, size_t n) {
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return FILE_IS_DIRECTORY;
    if (exists && !S_ISREG(st.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        return fd < 0 ? status_of_errno(errno) : write_and_close(fd, text, n);
    }
    char target[PATH_MAX], temp[PATH_MAX + 32];
    if (!exists || !realpath(path, target)) { // a symbolic link stays one: its target is replaced
        if (strlen(path) >= sizeof target) return FILE_IO_ERROR;
        strcpy(target, path);
    }
    snprintf(temp, sizeof temp, "%s.%ld.partial", target, (long)getpid());
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return status_of_errno(errno);
    if (exists && fchmod(fd, st.st_mode & 07777) != 0) errno = 0; // the new file keeps its default mode
    FileStatus s = write_and_close(fd, text, n);
    if (s == FILE_OK && rename(temp, target) != 0) s = status_of_errno(errno);
    if (s != FILE_OK) unlink(temp);
    return s;
}

static double read_clock(clockid_t id) {
    struct timespec t = {0};
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double platform_cpu_seconds(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
double platform_seconds(void) { return read_clock(CLOCK_MONOTONIC); }
bool platform_is_terminal(int fd) { return isatty(fd) != 0; }

#endif
