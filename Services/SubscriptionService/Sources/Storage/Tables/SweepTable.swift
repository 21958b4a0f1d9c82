internal import PostgresClient

/// The one row that says where the sweep of the change log stands.
struct SweepTable: Sendable {
    /// A stretch of the change log: the transactions that `upTo` sees and `since` does not. Both are texts of the
    /// record service's, which alone reads them.
    struct Window: Sendable, Equatable {
        /// Everything this sees has been looked at; nil: nothing was looked at yet.
        var since: String?
        /// The moment of the sweep before; nil: there was none.
        var upTo: String?
    }

    let pool: PostgresPool

    /// Takes the sweep upon this instance, unless one did so less than `milliseconds` ago; an instance that ends in the
    /// middle of it holds nobody up for longer.
    ///
    /// - Throws: `PostgresError`.
    func claim(after milliseconds: Int64) async throws -> Window? {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                update subscription.sweep set taken_at = now()
                where singleton and taken_at <= now() - $1 * interval '1 millisecond' returning since, up_to
                """, [.float8(Double(milliseconds))]
            ).first.map { Window(since: $0.stringIfPresent(0), upTo: $0.stringIfPresent(1)) }
        }
    }

    /// Puts `new` in the place of `old`, unless another instance has put something there.
    ///
    /// - Throws: `PostgresError`.
    func replace(_ old: Window, by new: Window) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                update subscription.sweep set since = $3, up_to = $4
                where singleton and since is not distinct from $1 and up_to is not distinct from $2
                """, [.text(old.since), .text(old.upTo), .text(new.since), .text(new.upTo)])
        }
    }
}
