/// The number of connections in a pool and the number of callers that are waiting for one.
package struct PostgresPoolStatistics: Sendable, Hashable {
    /// The number of established connections, idle or leased.
    package let open: Int
    /// The number of leased connections.
    package let leased: Int
    /// The number of callers that are waiting for a connection.
    package let waiting: Int

    package init(open: Int, leased: Int, waiting: Int) {
        self.open = open
        self.leased = leased
        self.waiting = waiting
    }
}
