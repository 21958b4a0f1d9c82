#include <malloc.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/// Names the calling thread for the operating system (up to 15 bytes): `prctl` is variadic, which Swift cannot call.
static inline void zonda_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}
