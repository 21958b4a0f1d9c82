#include <libpq-fe.h>
// `epoll`, which waits for libpq's sockets. Swift's module map for Glibc does not include it.
#include <sys/epoll.h>
