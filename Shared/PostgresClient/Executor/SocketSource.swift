import Dispatch
import Glibc

/// Watches one direction of a socket and calls a handler on a queue as long as the socket is ready.
///
/// It watches a duplicate of the descriptor. libpq closes its own whenever it likes, while connecting even to go on with
/// another address under the same number, and libdispatch must never see a watched descriptor closed or reused.
///
/// Not `Sendable`: all methods belong to the queue.
final class SocketSource {
    enum Direction {
        case read, write
    }

    private let source: any DispatchSourceProtocol
    private var isActive = false

    /// Made inactive. `nil` when the process has no descriptor left.
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
    }

    /// Switches the calls to the handler on or off; while on, it is called again and again until the socket is no longer
    /// ready.
    func setActive(_ active: Bool) {
        guard active != isActive else { return }
        isActive = active
        if active { source.resume() } else { source.suspend() }
    }

    deinit {
        source.cancel()
        // A suspended source may be neither cancelled to its end nor freed.
        if !isActive { source.resume() }
    }
}
