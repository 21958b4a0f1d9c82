package import NIOCore

extension Channel {
    /// The time for which a refused client may continue to send.
    private static var lingering: TimeAmount { .seconds(5) }

    /// Closes the connection after a refusal that has been written, with a delay. The client may still be sending;
    /// closing at once would reset the connection, and the client would lose the answer.
    package func closeAfterLingering() {
        eventLoop.scheduleTask(in: Self.lingering) { self.close(promise: nil) }
    }
}
