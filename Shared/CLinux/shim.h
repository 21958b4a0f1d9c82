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

/// Names the calling thread for the operating system (up to 15 bytes): `prctl` is variadic, which Swift cannot call.
static inline void zonda_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

/// Size in bytes and number of names of an open file; -1 and `errno` when it fails. Which Swift module owns `struct stat`
/// depends on the order in which modules were built, so that Swift code that names it builds by chance.
static inline int zonda_file_status(int descriptor, int64_t *size, uint64_t *links) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    *size = status.st_size;
    *links = status.st_nlink;
    return 0;
}

/// Size in bytes and last change (seconds since 1970) of the file of that name; -1 and `errno` when it fails.
static inline int zonda_path_status(const char *path, int64_t *size, int64_t *changed) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    *size = status.st_size;
    *changed = status.st_mtim.tv_sec;
    return 0;
}

/// Bytes that an ordinary user may still write to the file system of `path`; -1 and `errno` when it fails, or when the file
/// system does not say (`errno` 0).
static inline int64_t zonda_free_bytes(const char *path) {
    struct statvfs status;
    if (statvfs(path, &status) != 0) return -1;
    errno = 0;
    return status.f_blocks == 0 ? -1 : (int64_t)status.f_bavail * (int64_t)status.f_frsize;
}

/// Size in bytes and last change (nanoseconds since 1970) of an open regular file; -1 for any other.
static inline int zonda_regular_file_version(int descriptor, int64_t *size, int64_t *changed) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
    *size = status.st_size;
    *changed = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    return 0;
}

/// Bytes written to a TCP socket that the other end's host has not acknowledged; -1 and `errno` when it fails. (`ioctl` is
/// variadic.)
static inline int zonda_unacknowledged_bytes(int socket) {
    int bytes = 0;
    return ioctl(socket, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}
