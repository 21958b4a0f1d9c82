import CLibPQ
import Dispatch
import Glibc

/// An object that, throughout its lifetime, watches one direction of a socket and calls a handler on a queue whenever
/// the socket is ready or broken.
///
/// It watches a duplicate of the descriptor, because libpq can close its own descriptor at any time. While connecting,
/// libpq can even reuse the descriptor's number for another address.
///
/// Not `Sendable`, because it must be created and released on the queue. After its release, the handler is not called
/// again.
final class SocketSource {
    enum Direction {
        case read, write
    }

    private let id: UInt64

    /// Starts watching. Returns `nil` if there is no socket or the process has no descriptors left.
    init?(socket: Int32, _ direction: Direction, queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        let duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        let events = direction == .read ? EPOLLIN : EPOLLOUT
        guard let id = SocketMonitor.shared.add(duplicate, events: events, queue: queue, handler: handler) else {
            close(duplicate)
            return nil
        }
        self.id = id
    }

    deinit {
        SocketMonitor.shared.removeAndClose(id)
    }
}
