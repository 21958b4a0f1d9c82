package import ServiceLifecycle

/// A client with a connection of its own to the broker, which it makes again whenever it is lost, as long as `run()`
/// runs.
package protocol AMQPConnectionClient: Service {
    /// The state of the connection.
    var status: ConnectionStatus { get }
    /// The queues that it consumes as long as it runs; empty for a client that consumes none, or changing ones.
    var queues: [String] { get }
}

extension AMQPConnectionClient {
    package var queues: [String] { [] }

    /// Whether there is a connection now.
    package var isConnected: Bool { status.isConnected }

    /// The last error when there is no connection, if known.
    package var failure: AMQPError? { status.failure }

    /// The broker's reason for blocking publishers: memory or disk is low. Nil while it accepts messages, on a new
    /// connection until the first publish attempt, and for a client that does not publish.
    package var blockedReason: String? { status.blockedReason }

    /// The number of messages given up because they made the broker close connections or channels.
    package var givenUpCount: Int { status.givenUpCount }

    /// Waits for a connection, with its consumers if it has any.
    ///
    /// - Returns: the ``AMQPDelivery/generation`` of its deliveries.
    /// - Throws: `.timedOut` with the last attempt's error, `.notRunning`, `.closed` or `.cancelled`.
    @discardableResult
    package func waitUntilConnected(timeout: Duration) async throws(AMQPError) -> UInt64 {
        try await status.waitUntilConnected(timeout: timeout)
    }
}
