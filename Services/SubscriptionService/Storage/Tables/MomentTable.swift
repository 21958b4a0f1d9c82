package import PostgresClient

/// The moments of subscriptions and of the sweep: snapshots of PostgreSQL's transactions.
///
/// A database that was restored from a dump numbers its transactions from the beginning. A stored moment can then lie
/// in the future. If such a moment were kept, every new change would seem to be older than the moment until the new
/// numbers exceed the old numbers. No subscription would fire, and the sweep would find nothing. A moment in the future
/// is recognized by its end, which is after the end of the current snapshot. This is impossible unless transactions
/// were renumbered.
///
/// A subscription whose moment was reset fires for every change that is delivered from then on. Some of these changes
/// might be older than the subscription, but no change is missed. Until this table has reset a moment, the statements
/// that compare it treat it as already reset (``isInFuture(_:)``).
package struct MomentTable: Sendable {
    /// What a reset changed.
    package struct Reset: Sendable, Equatable {
        /// The number of subscriptions whose moments were reset.
        package let subscriptions: Int
        /// 1 if the sweep's moments were reset; otherwise 0.
        package let sweeps: Int
    }

    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Returns whether a moment of the sweep or, if `everywhere` is true, of any subscription lies in the future. Takes
    /// one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func hasFutureMoments(everywhere: Bool) async throws -> Bool {
        try await pool.withConnection { connection in
            try await connection.query(everywhere ? Self.allStatement : Self.sweepStatement).first?.bool(0) == true
        }
    }

    /// Resets all moments that lie in the future. Runs in one transaction.
    ///
    /// - Throws: `PostgresError`.
    package func reset() async throws -> Reset {
        try await pool.withTransaction { connection in
            let results = try await connection.pipeline([
                PostgresCall(Self.lockSubscriptions), PostgresCall(Self.resetSubscriptions),
                PostgresCall(Self.resetSweep),
            ])
            return Reset(subscriptions: results[1].affectedRows, sweeps: results[2].affectedRows)
        }
    }

    /// Returns the SQL condition that the moment in `column` lies in the future.
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
    /// Locks the rows in a separate statement, so that the moments of subscriptions that were saved again in the
    /// meantime are visible to the next statement.
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
