#include <libpq-fe.h>
// What waits for libpq's sockets; Swift's module map for Glibc leaves it out.
#include <sys/epoll.h>
