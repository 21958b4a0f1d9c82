package import ServiceLifecycle

/// A client with its own connection to the broker. While `run()` is running, the client reconnects whenever the
/// connection is lost.
package protocol AMQPConnectionClient: Service {
    /// The state of the connection.
    var status: ConnectionStatus { get }
    /// The queues that the client consumes for as long as it runs. Empty if the client consumes no queues, or if the
    /// set of queues changes.
    var queues: [String] { get }
}

extension AMQPConnectionClient {
    package var queues: [String] { [] }

    /// Whether the client is connected.
    package var isConnected: Bool { status.isConnected }

    /// The error that ended the last connection or connection attempt. Nil while the client is connected, and before
    /// the first attempt.
    package var failure: AMQPError? { status.failure }

    /// The broker's reason for blocking publishers, such as low memory or disk space. Nil while the broker accepts
    /// messages, until the first publish attempt on a new connection, and for a client that does not publish.
    package var blockedReason: String? { status.blockedReason }

    /// The number of messages that were discarded because they made the broker close connections or channels.
    package var givenUpCount: Int { status.givenUpCount }

    /// Waits until the client is connected and its consumers, if any, have been started.
    ///
    /// - Returns: the ``AMQPDelivery/generation`` of the connection's deliveries.
    /// - Throws: `.timedOut` with the error of the last attempt, `.notRunning`, `.closed` or `.cancelled`.
    @discardableResult
    package func waitUntilConnected(timeout: Duration) async throws(AMQPError) -> UInt64 {
        try await status.waitUntilConnected(timeout: timeout)
    }
}
