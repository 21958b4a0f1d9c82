import CLibPQ

/// Owns one `PGcancel`: what is needed to ask the server to stop whatever a connection is running.
///
/// `@unchecked Sendable` because it is constant after its creation, and libpq's manual says of `PQcancel` that it is
/// "thread-safe as far as the `PGcancel` object is concerned" and may run beside any use of the connection.
final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Connects to the server, asks it to cancel and waits until it has passed the request on.
    ///
    /// Blocks: never call it on the cooperative pool or a connection's own queue. A failure is not reported; the caller
    /// sees that the statement goes on, and asks again.
    func send() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = PQcancel(pointer, message.baseAddress, Int32(message.count))
        }
    }
}
