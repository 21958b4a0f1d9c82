#include <errno.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <stdint.h>

/// Sets the calling thread's name in the operating system (up to 15 bytes). `prctl` is variadic, so Swift cannot call
/// it.
static inline void zonda_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

/// Gets the size in bytes and the number of hard links of an open file. Returns -1 and sets `errno` on failure. Swift
/// code must not name `struct stat`: the Swift module that owns it depends on the order in which modules were built, so
/// such code builds only by chance.
static inline int zonda_file_status(int descriptor, int64_t *size, uint64_t *links) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    *size = status.st_size;
    *links = status.st_nlink;
    return 0;
}

/// Gets the size in bytes and the modification time (seconds since 1970) of the file at `path`. Returns -1 and sets
/// `errno` on failure.
static inline int zonda_path_status(const char *path, int64_t *size, int64_t *changed) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    *size = status.st_size;
    *changed = status.st_mtim.tv_sec;
    return 0;
}

/// Gets what changes when the file at `path` is changed or replaced: its size in bytes, its modification time (nanoseconds
/// since 1970) and its inode. Returns -1 and sets `errno` on failure.
static inline int zonda_path_version(const char *path, int64_t *size, int64_t *changed, uint64_t *inode) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    *size = status.st_size;
    *changed = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    *inode = status.st_ino;
    return 0;
}

/// Returns the bytes available to unprivileged users on the file system of `path`. Returns -1 and sets `errno` on
/// failure, or -1 with `errno` 0 when the file system does not report its size.
static inline int64_t zonda_free_bytes(const char *path) {
    struct statvfs status;
    if (statvfs(path, &status) != 0) return -1;
    errno = 0;
    return status.f_blocks == 0 ? -1 : (int64_t)status.f_bavail * (int64_t)status.f_frsize;
}

/// Gets the size in bytes and the modification time (nanoseconds since 1970) of an open regular file. Returns -1 for
/// any other file.
static inline int zonda_regular_file_version(int descriptor, int64_t *size, int64_t *changed) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
    *size = status.st_size;
    *changed = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    return 0;
}

/// Returns the bytes written to a TCP socket that the peer's host has not acknowledged. Returns -1 and sets `errno` on
/// failure. (`ioctl` is variadic.)
static inline int zonda_unacknowledged_bytes(int socket) {
    int bytes = 0;
    return ioctl(socket, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}
