package import PostgresClient

/// The single row that holds the position of the sweep in the change log.
package struct SweepTable: Sendable {
    /// A window of the change log: the transactions that `upTo` sees and `since` does not. Both are snapshots of the
    /// record service, which alone interprets them.
    package struct Window: Sendable, Equatable {
        /// The snapshot whose transactions have all been examined; nil if none has been.
        package var since: String?
        /// The snapshot that the previous sweep took; nil if there was no sweep.
        package var upTo: String?

        /// Creates a window.
        package init(since: String?, upTo: String?) { (self.since, self.upTo) = (since, upTo) }
    }

    private let pool: PostgresPool

    /// Creates the table.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Claims the sweep for this instance, unless an instance claimed it less than `milliseconds` ago. An instance that
    /// stops during a sweep blocks the others no longer than that.
    ///
    /// - Returns: the window to examine; nil when another instance has claimed the sweep.
    /// - Throws: `PostgresError`. Takes one round trip.
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

    /// Replaces window `old` with `new`, unless another instance has replaced it.
    ///
    /// - Throws: `PostgresError`. Takes one round trip.
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
