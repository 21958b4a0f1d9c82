package import NIOCore

extension Channel {
    /// How long a refused client may continue to send.
    private static var lingering: TimeAmount { .seconds(5) }

    /// Closes the connection after a delay, once a refusal has been written. The client might still be sending. If the
    /// server closed the connection immediately, the connection would be reset and the client would lose the answer.
    package func closeAfterLingering() {
        eventLoop.scheduleTask(in: Self.lingering) { self.close(promise: nil) }
    }
}
