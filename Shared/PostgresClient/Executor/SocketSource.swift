import Dispatch
import Glibc

/// Watches one direction of a socket, from its making to its end, and calls a handler on a queue again and again while the
/// socket is ready.
///
/// It watches a duplicate of the descriptor. libpq closes its own whenever it likes, while connecting even to go on with
/// another address under the same number, and libdispatch must never see a watched descriptor closed or reused. There is
/// no pausing: who does not want to hear from the socket drops the source and makes another later, because a suspended
/// source may be neither freed nor cancelled to its end.
///
/// Not `Sendable`: it is made and dropped on the queue.
final class SocketSource {
    enum Direction {
        case read, write
    }

    private let source: any DispatchSourceProtocol

    /// Begins to watch. `nil` when there is no socket, or the process has no descriptor left.
    init?(socket: Int32, _ direction: Direction, queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        let duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        source =
            switch direction {
            case .read: DispatchSource.makeReadSource(fileDescriptor: duplicate, queue: queue)
            case .write: DispatchSource.makeWriteSource(fileDescriptor: duplicate, queue: queue)
            }
        source.setEventHandler(handler: handler)
        source.setCancelHandler { close(duplicate) }
        source.resume()
    }

    deinit {
        source.cancel()
    }
}
