import CLibPQ
import Dispatch
import Glibc

/// Watches one direction of a socket, from its making to its end, and calls a handler on a queue again and again while the
/// socket is ready or broken.
///
/// It watches a duplicate of the descriptor, because libpq closes its own whenever it likes, while connecting even to go on
/// with another address under the same number.
///
/// Not `Sendable`: it is made and dropped on the queue, and after it is dropped there the handler is not called again.
final class SocketSource {
    enum Direction {
        case read, write
    }

    private let id: UInt64

    /// Begins to watch. `nil` when there is no socket, or the process has no descriptor left.
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
