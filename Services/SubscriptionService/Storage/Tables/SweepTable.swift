package import PostgresClient

/// The single row that contains the position of the sweep in the change log.
package struct SweepTable: Sendable {
    /// A window of the change log: the transactions that are visible in the snapshot `upTo` but not in the snapshot
    /// `since`. Both snapshots come from the record service, and only that service interprets them.
    package struct Window: Sendable, Equatable {
        /// The snapshot whose transactions have all been examined; nil if there is none yet.
        package var since: String?
        /// The snapshot that the previous sweep took; nil if there has been no sweep yet.
        package var upTo: String?

        /// Creates a window.
        package init(since: String?, upTo: String?) { (self.since, self.upTo) = (since, upTo) }
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Claims the sweep for this instance, unless an instance claimed it less than `milliseconds` ago. An instance that
    /// stops during a sweep blocks the other instances for no longer than that time. Takes one round trip.
    ///
    /// - Returns: the window to examine; nil if another instance has claimed the sweep.
    /// - Throws: `PostgresError`.
    package func claim(after milliseconds: Int64) async throws -> Window? {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                update subscription.sweep set taken_at = now()
                where singleton and taken_at <= now() - $1 * interval '1 millisecond' returning since, up_to
                """, [.float8(Double(milliseconds))]
            ).first.map { Window(since: $0.stringIfPresent(0), upTo: $0.stringIfPresent(1)) }
        }
    }

    /// Replaces the window `old` with `new`, unless another instance has already replaced it. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func replace(_ old: Window, by new: Window) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                update subscription.sweep set since = $3, up_to = $4
                where singleton and since is not distinct from $1 and up_to is not distinct from $2
                """, [.text(old.since), .text(old.upTo), .text(new.since), .text(new.upTo)])
        }
    }
}
