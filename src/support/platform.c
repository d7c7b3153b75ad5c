// Platform: files, clocks and terminals. POSIX first; elsewhere plain C does what it can.
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700
#endif
#include "support/platform.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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
    case FILE_NAME_TOO_LONG: return "the name is too long";
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
    case EFBIG: return FILE_TOO_LARGE;
    case ENOSPC: return FILE_DISK_FULL;
    case ENOMEM: return FILE_NO_MEMORY;
    case ENAMETOOLONG: return FILE_NAME_TOO_LONG;
    default: return FILE_IO_ERROR;
    }
}

// ---- Reading -------------------------------------------------------------------------------------------------------

#if defined(_WIN32)
#include <direct.h>
#include <io.h>
#define mkdir(path, mode) _mkdir(path)
typedef struct _stati64 FileInfo;
typedef int ReadSize;
static int open_to_read(const char *path) { return _open(path, _O_RDONLY | _O_BINARY); }
static int get_info(int fd, FileInfo *info) { return _fstati64(fd, info); }
static int read_next(int fd, void *to, size_t n) { return _read(fd, to, (unsigned)n); }
static int read_place(int fd, void *to, size_t n, uint64_t at) {
    return _lseeki64(fd, (int64_t)at, SEEK_SET) < 0 ? -1 : _read(fd, to, (unsigned)n);
}
#define close     _close
#define S_ISDIR(m) (((m) & _S_IFMT) == _S_IFDIR)
#define S_ISREG(m) (((m) & _S_IFMT) == _S_IFREG)
#else
#include <unistd.h>
typedef struct stat FileInfo;
typedef ssize_t ReadSize;
static int open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }
static int get_info(int fd, FileInfo *info) { return fstat(fd, info); }
static ssize_t read_next(int fd, void *to, size_t n) { return read(fd, to, n); }
static ssize_t read_place(int fd, void *to, size_t n, uint64_t at) { return pread(fd, to, n, (off_t)at); }
#endif

enum { READ_AT_ONCE = 1 << 30 };

FileStatus platform_open(PlatformFile *f, const char *path) {
    *f = (PlatformFile){.fd = strcmp(path, "-") == 0 ? 0 : open_to_read(path)};
    if (f->fd < 0) return status_of_errno(errno);
    FileInfo info;
    FileStatus s = get_info(f->fd, &info) == 0 ? FILE_OK : status_of_errno(errno);
    if (s == FILE_OK && S_ISDIR(info.st_mode)) s = FILE_IS_DIRECTORY;
    if (s == FILE_OK && S_ISREG(info.st_mode) && f->fd != 0) {
        f->is_regular = true;
        f->size = (uint64_t)info.st_size;
    }
    if (s != FILE_OK) platform_close(f);
    return s;
}

void platform_close(PlatformFile *f) {
    if (f->fd > 0) close(f->fd);
    f->fd = 0;
}

FileStatus platform_read(PlatformFile *f, void *to, size_t n, size_t *got) {
    for (*got = 0; *got < n;) {
        size_t rest = n - *got < READ_AT_ONCE ? n - *got : READ_AT_ONCE;
        ReadSize k = read_next(f->fd, (char *)to + *got, rest);
        if (k == 0) break;
        if (k < 0 && errno != EINTR) return status_of_errno(errno);
        if (k > 0) *got += (size_t)k;
    }
    return FILE_OK;
}

FileStatus platform_read_at(const PlatformFile *f, uint64_t at, void *to, size_t n, size_t *got) {
    for (*got = 0; *got < n;) {
        if (at + *got > INT64_MAX) return FILE_TOO_LARGE;
        size_t rest = n - *got < READ_AT_ONCE ? n - *got : READ_AT_ONCE;
        ReadSize k = read_place(f->fd, (char *)to + *got, rest, at + *got);
        if (k == 0) break;
        if (k < 0 && errno != EINTR) return status_of_errno(errno);
        if (k > 0) *got += (size_t)k;
    }
    return FILE_OK;
}

// ---- Writing -------------------------------------------------------------------------------------------------------

FileStatus platform_make_folder(const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST ? FILE_OK : status_of_errno(errno);
}

#if defined(_WIN32) || defined(__wasi__)

static FileStatus write_plain(const char *path, const char *text, size_t n) {
    FILE *f = fopen(path, "wbx");
    if (!f) return status_of_errno(errno);
    FileStatus s = fwrite(text, 1, n, f) == n ? FILE_OK : status_of_errno(errno);
    if (fclose(f) != 0 && s == FILE_OK) s = status_of_errno(errno);
    return s;
}

FileStatus platform_write(const char *path, const char *text, size_t n) {
    char temp[4096];
    int length = snprintf(temp, sizeof temp, "%s.partial", path);
    if (length < 0 || (size_t)length >= sizeof temp) return FILE_NAME_TOO_LONG;
    remove(temp);
    FileStatus s = write_plain(temp, text, n);
    if (s == FILE_OK) {
        remove(path); // rename does not replace everywhere
        if (rename(temp, path) == 0) return FILE_OK;
        s = status_of_errno(errno);
    }
    remove(temp);
    return s;
}

bool platform_same_file(const char *a, const char *b) { return strcmp(a, b) == 0; }

double platform_seconds(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#if defined(_WIN32)
bool platform_is_terminal(int fd) { return _isatty(fd) != 0; }
#else
bool platform_is_terminal(int fd) {
    (void)fd;
    return false;
}
#endif

#else

#include <limits.h>
#include <stdlib.h>

static FileStatus write_and_close(int fd, const char *text, size_t n) {
    FileStatus s = FILE_OK;
    while (n && s == FILE_OK) {
        ssize_t k = write(fd, text, n < READ_AT_ONCE ? n : READ_AT_ONCE);
        if (k < 0 && errno != EINTR) s = status_of_errno(errno);
        if (k > 0) {
            text += k;
            n -= (size_t)k;
        }
    }
    if (close(fd) != 0 && s == FILE_OK) s = status_of_errno(errno);
    return s;
}

double platform_seconds(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// How much of a path is its folder, with the slash.
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// What a chain of symbolic links ends in, whether that is there or not.
static FileStatus follow_links(const char *path, char target[PATH_MAX]) {
    if (strlen(path) >= PATH_MAX) return FILE_NAME_TOO_LONG;
    strcpy(target, path);
    for (int links = 0; links < 40; links++) {
        char link[PATH_MAX];
        ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0) return FILE_OK;
        link[n] = 0;
        size_t folder = link[0] == '/' ? 0 : folder_length(target);
        if (folder + (size_t)n >= PATH_MAX) return FILE_NAME_TOO_LONG;
        memcpy(target + folder, link, (size_t)n + 1);
    }
    return FILE_IO_ERROR;
}

static uint64_t unpredictable(void) {
    uint64_t x = 0;
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (read(fd, &x, sizeof x) != sizeof x) x = 0;
        close(fd);
    }
    return x ^ (uint64_t)(platform_seconds() * 1e9) ^ (uint64_t)getpid() << 40;
}

// A new file in the folder of the target. Its name is short, so that the target's may be as long as the system lets it.
static int open_temporary(const char *target, char temp[PATH_MAX]) {
    size_t folder = folder_length(target);
    for (int tries = 0; tries < 100; tries++) {
        int n = snprintf(temp, PATH_MAX, "%.*s.partir-%016llx", (int)folder, target,
                         (unsigned long long)unpredictable());
        if (n < 0 || n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

FileStatus platform_write(const char *path, const char *text, size_t n) {
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return FILE_IS_DIRECTORY;
    if (exists && !S_ISREG(st.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        return fd < 0 ? status_of_errno(errno) : write_and_close(fd, text, n);
    }
    char target[PATH_MAX], temp[PATH_MAX];
    FileStatus s = follow_links(path, target);
    if (s != FILE_OK) return s;
    int fd = open_temporary(target, temp);
    if (fd < 0) return status_of_errno(errno);
    if (exists && fchmod(fd, st.st_mode & 07777) != 0) errno = 0; // the new file keeps its default mode
    s = write_and_close(fd, text, n);
    if (s == FILE_OK && rename(temp, target) != 0) s = status_of_errno(errno);
    if (s != FILE_OK) unlink(temp);
    return s;
}

bool platform_same_file(const char *a, const char *b) {
    struct stat x, y;
    bool x_is = stat(a, &x) == 0, y_is = stat(b, &y) == 0;
    if (x_is && y_is) return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    char at[PATH_MAX], bt[PATH_MAX], af[PATH_MAX], bf[PATH_MAX];
    if (x_is != y_is || follow_links(a, at) != FILE_OK || follow_links(b, bt) != FILE_OK) return false;
    // Neither is there yet: one name in one folder.
    size_t an = folder_length(at), bn = folder_length(bt);
    bool same_name = strcmp(at + an, bt + bn) == 0;
    at[an] = bt[bn] = 0;
    return same_name && realpath(an ? at : ".", af) && realpath(bn ? bt : ".", bf) && strcmp(af, bf) == 0;
}

bool platform_is_terminal(int fd) { return isatty(fd) != 0; }

#endif
