/// The rules for each connection of a server.
package struct ConnectionPolicy: Sendable {
    /// The permits of all connections.
    package var permits: ConnectionPermits
    /// How long a connection may go without a transfer before it is closed, unless its client is waiting for a
    /// response.
    package var stallLimit: Duration
    /// The minimum rate at which a client must send a request and receive a response; 0 disables the check.
    package var minBytesPerSecond: Int
    /// The time over which the rate is measured.
    package var window: Duration
    /// The counters of closed connections.
    package var metrics: ConnectionMetrics

    /// Creates a policy.
    ///
    /// - Parameter window: the time over which the rate is measured; nil for `stallLimit`.
    package init(
        permits: ConnectionPermits, stallLimit: Duration, minBytesPerSecond: Int, window: Duration? = nil,
        metrics: ConnectionMetrics
    ) {
        self.permits = permits
        self.stallLimit = stallLimit
        self.minBytesPerSecond = minBytesPerSecond
        self.window = window ?? stallLimit
        self.metrics = metrics
    }
}
