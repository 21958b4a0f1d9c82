package import PostgresClient

/// The moments of subscriptions and of the sweep: snapshots of PostgreSQL's transactions.
///
/// A database that was restored from a dump numbers its transactions anew. A stored moment may then lie in the future:
/// until the new numbers passed the old ones, every new change would seem to be older, no subscription would fire, and
/// the sweep would find nothing. Such a moment is recognized by its end, which is after the current snapshot; without
/// renumbering, that is impossible.
///
/// A subscription whose moment was reset fires for every change that is delivered from then on. Some of those may be
/// older than the subscription, but none is missed. Until this table has reset a moment, the statements that compare it
/// treat it as reset (``isInFuture(_:)``).
package struct MomentTable: Sendable {
    /// The numbers of moments that were reset.
    package struct Reset: Sendable, Equatable {
        /// Moments of subscriptions.
        package let subscriptions: Int
        /// Moments of the sweep: 0 or 1.
        package let sweeps: Int
    }

    private let pool: PostgresPool

    /// Creates the table.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Whether a moment of the sweep lies in the future. With `everywhere`, the moments of all subscriptions are read
    /// and checked too.
    ///
    /// - Throws: `PostgresError`. Takes one round trip.
    package func hasFutureMoments(everywhere: Bool) async throws -> Bool {
        try await pool.withConnection { connection in
            try await connection.query(everywhere ? Self.allStatement : Self.sweepStatement).first?.bool(0) == true
        }
    }

    /// Resets all moments that lie in the future.
    ///
    /// - Throws: `PostgresError`. One transaction.
    package func reset() async throws -> Reset {
        try await pool.withTransaction { connection in
            let results = try await connection.pipeline([
                PostgresCall(Self.lockSubscriptions), PostgresCall(Self.resetSubscriptions),
                PostgresCall(Self.resetSweep),
            ])
            return Reset(subscriptions: results[1].affectedRows, sweeps: results[2].affectedRows)
        }
    }

    /// A condition in SQL: whether the moment `column` lies in the future.
    static func isInFuture(_ column: String) -> String {
        "pg_snapshot_xmax(\(column)) > (select pg_snapshot_xmax(pg_current_snapshot()))"
    }

    private static let sweepStatement = PostgresStatement(
        """
        select exists (select from subscription.sweep s
            where \(MomentTable.isInFuture("s.up_to::pg_snapshot")))
        """)
    private static let allStatement = PostgresStatement(
        """
        select exists (select from subscription.sweep s
                where \(MomentTable.isInFuture("s.up_to::pg_snapshot")))
            or exists (select from subscription.subscription s
                where \(MomentTable.isInFuture("s.snapshot")))
        """)
    /// A separate statement, so that the next one's snapshot sees the moments of subscriptions that were saved again in
    /// the meantime.
    private static let lockSubscriptions = PostgresStatement(
        """
        select s.id from subscription.subscription s where \(MomentTable.isInFuture("s.snapshot"))
        order by s.id for no key update
        """)
    private static let resetSubscriptions = PostgresStatement(
        """
        update subscription.subscription s set snapshot = '\(TransactionSnapshot.oldest)'
        where \(MomentTable.isInFuture("s.snapshot"))
        """)
    private static let resetSweep = PostgresStatement(
        """
        update subscription.sweep s set since = null, up_to = null
        where \(MomentTable.isInFuture("s.up_to::pg_snapshot")) or \(MomentTable.isInFuture("s.since::pg_snapshot"))
        """)
}
