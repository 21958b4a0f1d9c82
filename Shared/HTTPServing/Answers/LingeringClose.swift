package import NIOCore

extension Channel {
    /// How long a refused client may continue to send.
    private static var lingering: TimeAmount { .seconds(5) }

    /// Closes the connection after a delay. Must be called after a refusal has been written. If the server closed the
    /// connection immediately while the client was still sending, the connection would be reset and the client would
    /// lose the response.
    package func closeAfterLingering() {
        eventLoop.scheduleTask(in: Self.lingering) { self.close(promise: nil) }
    }
}
