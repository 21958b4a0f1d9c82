/// How many connections a pool has, and what they do.
package struct PostgresPoolStatistics: Sendable, Hashable {
    /// Connections that are made, idle or lent.
    package let open: Int
    /// Connections that are lent.
    package let leased: Int
    /// Callers that wait for one.
    package let waiting: Int

    package init(open: Int, leased: Int, waiting: Int) {
        self.open = open
        self.leased = leased
        self.waiting = waiting
    }
}
