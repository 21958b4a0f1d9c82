import CLibPQ

/// The owner of one `PGcancel`, which asks the server to stop the statement that a connection is running.
///
/// `@unchecked Sendable` because it does not change after its creation. According to libpq's manual, `PQcancel` is
/// "thread-safe as far as the `PGcancel` object is concerned" and may be used concurrently with the connection.
final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Connects to the server, sends the cancel request and waits until the server has processed it.
    ///
    /// Blocks, so it must not be called on the cooperative pool or a connection's own queue. Failures are not reported,
    /// because the caller repeats the request while the statement is still running.
    func send() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = PQcancel(pointer, message.baseAddress, Int32(message.count))
        }
    }
}
