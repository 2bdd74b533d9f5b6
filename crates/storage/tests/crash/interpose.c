/* Records what a process does to the files below one folder, for tests.
 *
 * Preloaded into a child process. Every call that changes a file, a directory or what is durable is
 * carried out and appended to a trace while one lock is held, so the trace has the real order.
 * Writes to standard output are traced too: they are the child's acknowledgements.
 *
 *   CRASH_FOLDER  absolute path of the watched folder
 *   CRASH_TRACE   file the trace is written to; not set = nothing is traced
 *   CRASH_SPACE   bytes that may be written below the folder before writes fail with ENOSPC
 *
 * A record is: kind u8, fd i32, fd2 i32, offset u64, path length u32, second length u32, path,
 * second (a path or data), little-endian as the machine is. The reader is trace.rs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, CLOSE, DUP, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, ACKNOWLEDGE, LINK };
enum { CREATED = 1, EMPTIED = 2 };

#define MAX_FDS 65536

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char folder[PATH_MAX];
static int trace_fd = -1;
static int64_t space = -1;
static char *watched[MAX_FDS]; /* path of each open file below the folder */


__attribute__((constructor)) static void start(void) {
    const char *path = getenv("CRASH_FOLDER"), *trace = getenv("CRASH_TRACE");
    const char *limit = getenv("CRASH_SPACE");
    if (path) snprintf(folder, sizeof folder, "%s", path);
    if (limit) space = atoll(limit);
    if (trace) {
        int fd = syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        trace_fd = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 1000);
        syscall(SYS_close, fd);
    }
}

/* The process ends between two calls, never between a call and its record. */
__attribute__((destructor)) static void stop(void) { pthread_mutex_lock(&lock); }

static void put(const void *bytes, size_t length) {
    const char *from = bytes;
    while (length > 0) {
        ssize_t written = syscall(SYS_write, trace_fd, from, length);
        if (written <= 0) abort();
        from += written;
        length -= written;
    }
}

static void record(int kind, int fd, int fd2, uint64_t offset, const char *path,
                   const void *second, size_t second_length) {
    if (trace_fd < 0) return;
    uint8_t kind8 = kind;
    int32_t fds[2] = {fd, fd2};
    uint32_t lengths[2] = {path ? strlen(path) : 0, second_length};
    put(&kind8, 1);
    put(fds, 8);
    put(&offset, 8);
    put(lengths, 8);
    put(path, lengths[0]);
    put(second, second_length);
}

static int below(const char *path) {
    size_t length = strlen(folder);
    return length > 0 && strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || path[length] == 0);
}

/* Returns the absolute path in `buffer`. */
static const char *absolute(int dirfd, const char *path, char *buffer) {
    if (path[0] == '/') {
        snprintf(buffer, PATH_MAX, "%s", path);
    } else if (dirfd >= 0 && dirfd < MAX_FDS && watched[dirfd]) {
        snprintf(buffer, PATH_MAX, "%s/%s", watched[dirfd], path);
    } else {
        buffer[0] = 0;
    }
    return buffer;
}

static int is_watched(int fd) { return fd >= 0 && fd < MAX_FDS && watched[fd]; }

static void watch(int fd, const char *path) {
    if (fd < 0 || fd >= MAX_FDS) return;
    free(watched[fd]);
    watched[fd] = path ? strdup(path) : NULL;
}

static int traced_open(int dirfd, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    struct stat status;
    pthread_mutex_lock(&lock);
    absolute(dirfd, path, full);
    int existed = below(full) && syscall(SYS_newfstatat, AT_FDCWD, full, &status, 0) == 0;
    int fd = syscall(SYS_openat, dirfd, path, flags | O_LARGEFILE, mode);
    int error = errno;
    if (fd >= 0 && below(full)) {
        watch(fd, full);
        uint64_t how = existed ? 0 : CREATED;
        if (existed && (flags & O_TRUNC)) how |= EMPTIED;
        record(OPEN, fd, 0, how, full, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return fd;
}

#define OPEN_MODE(last)                                                                            \
    mode_t mode = 0;                                                                               \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                         \
        va_list arguments;                                                                         \
        va_start(arguments, last);                                                                 \
        mode = va_arg(arguments, mode_t);                                                          \
        va_end(arguments);                                                                         \
    }

int open(const char *path, int flags, ...) {
    OPEN_MODE(flags)
    return traced_open(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    OPEN_MODE(flags)
    return traced_open(AT_FDCWD, path, flags, mode);
}
int openat(int dirfd, const char *path, int flags, ...) {
    OPEN_MODE(flags)
    return traced_open(dirfd, path, flags, mode);
}
int openat64(int dirfd, const char *path, int flags, ...) {
    OPEN_MODE(flags)
    return traced_open(dirfd, path, flags, mode);
}

int close(int fd) {
    pthread_mutex_lock(&lock);
    if (is_watched(fd)) {
        record(CLOSE, fd, 0, 0, NULL, NULL, 0);
        watch(fd, NULL);
    }
    int result = syscall(SYS_close, fd);
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

static int traced_fcntl(int fd, int command, void *argument) {
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_fcntl, fd, command, argument);
    int error = errno;
    if (result >= 0 && is_watched(fd) && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) {
        watch(result, watched[fd]);
        record(DUP, fd, result, 0, NULL, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

#define FCNTL(name)                                                                                \
    int name(int fd, int command, ...) {                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, command);                                                              \
        void *argument = va_arg(arguments, void *);                                                \
        va_end(arguments);                                                                         \
        return traced_fcntl(fd, command, argument);                                                \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

/* Returns how much of a write fits, at least one byte, or -1 with ENOSPC. */
static ssize_t fit(size_t length) {
    if (space < 0 || length == 0) return length;
    if (space == 0) {
        errno = ENOSPC;
        return -1;
    }
    size_t fits = (int64_t)length < space ? length : (size_t)space;
    space -= fits;
    return fits;
}

static uint64_t position(int fd) {
    struct stat status;
    if ((syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND) && syscall(SYS_fstat, fd, &status) == 0) {
        return status.st_size;
    }
    return syscall(SYS_lseek, fd, 0, SEEK_CUR);
}

static ssize_t traced_write(int fd, const void *data, size_t length, int64_t offset) {
    pthread_mutex_lock(&lock);
    if (!is_watched(fd)) {
        ssize_t result = offset < 0 ? syscall(SYS_write, fd, data, length)
                                    : syscall(SYS_pwrite64, fd, data, length, offset);
        int error = errno;
        if (fd == STDOUT_FILENO && result > 0) record(ACKNOWLEDGE, 0, 0, 0, NULL, data, result);
        pthread_mutex_unlock(&lock);
        errno = error;
        return result;
    }
    ssize_t result = fit(length);
    if (result >= 0) {
        uint64_t at = offset < 0 ? position(fd) : (uint64_t)offset;
        result = offset < 0 ? syscall(SYS_write, fd, data, result)
                            : syscall(SYS_pwrite64, fd, data, result, offset);
        if (result > 0) record(WRITE, fd, 0, at, NULL, data, result);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

ssize_t write(int fd, const void *data, size_t length) {
    return traced_write(fd, data, length, -1);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
    return traced_write(fd, data, length, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
    return traced_write(fd, data, length, offset);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    /* A short write is always allowed: write the first part that is not empty. */
    for (int nth = 0; nth < count; nth++) {
        if (parts[nth].iov_len > 0) return write(fd, parts[nth].iov_base, parts[nth].iov_len);
    }
    return 0;
}
/* Reports the space that is left, as a full disk does. */
static int space_left(struct statvfs *status) {
    pthread_mutex_lock(&lock);
    if (space >= 0) status->f_bavail = space / status->f_frsize;
    pthread_mutex_unlock(&lock);
    return 0;
}
int statvfs64(const char *path, struct statvfs64 *status) {
    static int (*next)(const char *, struct statvfs64 *);
    if (!next) next = dlsym(RTLD_NEXT, "statvfs64");
    int result = next(path, status);
    return result == 0 ? space_left((struct statvfs *)status) : result;
}
int statvfs(const char *path, struct statvfs *status) {
    return statvfs64(path, (struct statvfs64 *)status);
}
/* Copying inside the kernel is refused; callers fall back to reading and writing. */
ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t length,
                        unsigned flags) {
    (void)in, (void)in_offset, (void)out, (void)out_offset, (void)length, (void)flags;
    errno = ENOSYS;
    return -1;
}

static int traced_truncate(int fd, uint64_t length) {
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_ftruncate, fd, length);
    int error = errno;
    if (result == 0 && is_watched(fd)) record(TRUNCATE, fd, 0, length, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int ftruncate(int fd, off_t length) { return traced_truncate(fd, length); }
int ftruncate64(int fd, off64_t length) { return traced_truncate(fd, length); }

static int traced_sync(int fd, int call) {
    pthread_mutex_lock(&lock);
    int result = syscall(call, fd);
    int error = errno;
    if (result == 0 && is_watched(fd)) record(SYNC, fd, 0, 0, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int fsync(int fd) { return traced_sync(fd, SYS_fsync); }
int fdatasync(int fd) { return traced_sync(fd, SYS_fdatasync); }

static int traced_rename(int from_fd, const char *from, int to_fd, const char *to, unsigned flags) {
    char full_from[PATH_MAX], full_to[PATH_MAX];
    pthread_mutex_lock(&lock);
    absolute(from_fd, from, full_from);
    absolute(to_fd, to, full_to);
    int result = syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
    int error = errno;
    if (result == 0 && (below(full_from) || below(full_to))) {
        record(RENAME, 0, 0, 0, full_from, full_to, strlen(full_to));
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int rename(const char *from, const char *to) {
    return traced_rename(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int from_fd, const char *from, int to_fd, const char *to) {
    return traced_rename(from_fd, from, to_fd, to, 0);
}
int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags) {
    return traced_rename(from_fd, from, to_fd, to, flags);
}

static int traced_link(int from_fd, const char *from, int to_fd, const char *to, int flags) {
    char full_from[PATH_MAX], full_to[PATH_MAX];
    pthread_mutex_lock(&lock);
    absolute(from_fd, from, full_from);
    absolute(to_fd, to, full_to);
    int result = syscall(SYS_linkat, from_fd, from, to_fd, to, flags);
    int error = errno;
    if (result == 0 && below(full_to)) {
        record(LINK, 0, 0, 0, full_from, full_to, strlen(full_to));
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int link(const char *from, const char *to) { return traced_link(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags) {
    return traced_link(from_fd, from, to_fd, to, flags);
}

static int traced_unlink(int dirfd, const char *path, int flags) {
    char full[PATH_MAX];
    pthread_mutex_lock(&lock);
    absolute(dirfd, path, full);
    int result = syscall(SYS_unlinkat, dirfd, path, flags);
    int error = errno;
    if (result == 0 && below(full)) record(UNLINK, 0, 0, 0, full, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int unlink(const char *path) { return traced_unlink(AT_FDCWD, path, 0); }
int unlinkat(int dirfd, const char *path, int flags) { return traced_unlink(dirfd, path, flags); }
int rmdir(const char *path) { return traced_unlink(AT_FDCWD, path, AT_REMOVEDIR); }

static int traced_mkdir(int dirfd, const char *path, mode_t mode) {
    char full[PATH_MAX];
    pthread_mutex_lock(&lock);
    absolute(dirfd, path, full);
    int result = syscall(SYS_mkdirat, dirfd, path, mode);
    int error = errno;
    if (result == 0 && below(full)) record(MKDIR, 0, 0, 0, full, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
int mkdir(const char *path, mode_t mode) { return traced_mkdir(AT_FDCWD, path, mode); }
int mkdirat(int dirfd, const char *path, mode_t mode) { return traced_mkdir(dirfd, path, mode); }
