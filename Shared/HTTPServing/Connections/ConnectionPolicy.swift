/// What each connection of a server has to keep to.
package struct ConnectionPolicy: Sendable {
    /// The places for all of them.
    package var places: ConnectionPlaces
    /// A connection on which nothing moves for so long is closed, unless it waits for the server.
    package var stallLimit: Duration
    /// What a request has to come with, and an answer to be taken with; 0: any rate will do.
    package var minBytesPerSecond: Int
    /// The time over which the rate is measured.
    package var window: Duration
    /// Counts what is closed.
    package var metrics: ConnectionMetrics

    /// - Parameter window: nil: the stall limit.
    package init(
        places: ConnectionPlaces, stallLimit: Duration, minBytesPerSecond: Int, window: Duration? = nil,
        metrics: ConnectionMetrics
    ) {
        self.places = places
        self.stallLimit = stallLimit
        self.minBytesPerSecond = minBytesPerSecond
        self.window = window ?? stallLimit
        self.metrics = metrics
    }
}
