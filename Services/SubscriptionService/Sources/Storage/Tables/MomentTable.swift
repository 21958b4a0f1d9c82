internal import CoreMetrics
internal import Logging
internal import PostgresClient
internal import Synchronization

/// Forgets moments that lie in a future which this database will not have.
///
/// Subscriptions and the sweep keep moments among PostgreSQL's transactions. In a database that was restored from a dump
/// transactions are counted anew: every new change would look older than a kept moment, no subscription would fire, and
/// the sweep would find nothing, until the numbers have passed the old ones. A moment that ends behind the present one
/// shows it, since within one counting there is none.
///
/// A subscription whose moment is forgotten fires for every change that is delivered from now on. Some of those may be
/// older than the subscription: too much rather than too little. Until this table has forgotten the moment, the statements
/// that compare it treat it so (``lies(ahead:)``).
final class MomentTable: Sendable {
    private let pool: PostgresPool
    private let forgotten: Counter
    private let logger: Logger
    private let isChecked = Mutex(false)

    /// The moments in the database of `pool`.
    init(pool: PostgresPool, metrics: SubscriptionMetrics, logger: Logger) {
        self.pool = pool
        forgotten = metrics.momentsForgotten
        self.logger = logger
    }

    /// Forgets them where there are any. The first look reads all subscriptions, later ones only the sweep's moment, which is
    /// as young as any.
    ///
    /// - Throws: `PostgresError`. One round trip; a transaction where there are some.
    func runOnce() async throws {
        let statement = isChecked.withLock { $0 } ? Self.sweepStatement : Self.wholeStatement
        let finds = try await pool.withConnection { connection in
            try await connection.query(statement).first?.bool(0) == true
        }
        if finds { try await forget() }
        isChecked.withLock { $0 = true }
    }

    /// In SQL, whether the moment `column` lies in a future which this database will not have.
    static func lies(ahead column: String) -> String {
        "pg_snapshot_xmax(\(column)) > (select pg_snapshot_xmax(pg_current_snapshot()))"
    }

    private func forget() async throws {
        let count = try await pool.withTransaction { connection in
            let results = try await connection.pipeline([
                PostgresCall(Self.lockSubscriptions), PostgresCall(Self.forgetSubscriptions),
                PostgresCall(Self.forgetSweep),
            ])
            return (subscriptions: results[1].affectedRows, sweeps: results[2].affectedRows)
        }
        guard count.subscriptions + count.sweeps > 0 else { return }
        forgotten.increment(by: count.subscriptions + count.sweeps)
        logger.warning(
            "the database was restored elsewhere, where transactions are counted anew: moments were forgotten",
            metadata: ["subscriptions": "\(count.subscriptions)", "sweep": "\(count.sweeps > 0)"])
    }

    private static let sweepStatement = PostgresStatement(
        """
        select exists (select from subscription.sweep s
            where \(MomentTable.lies(ahead: "s.up_to::pg_snapshot")))
        """)
    private static let wholeStatement = PostgresStatement(
        """
        select exists (select from subscription.sweep s
                where \(MomentTable.lies(ahead: "s.up_to::pg_snapshot")))
            or exists (select from subscription.subscription s
                where \(MomentTable.lies(ahead: "s.snapshot")))
        """)
    /// By a statement of their own: what was saved again meanwhile has a moment that the next statement's snapshot knows.
    private static let lockSubscriptions = PostgresStatement(
        """
        select s.id from subscription.subscription s where \(MomentTable.lies(ahead: "s.snapshot"))
        order by s.id for no key update
        """)
    private static let forgetSubscriptions = PostgresStatement(
        """
        update subscription.subscription s set snapshot = '\(TransactionSnapshot.oldest)'
        where \(MomentTable.lies(ahead: "s.snapshot"))
        """)
    private static let forgetSweep = PostgresStatement(
        """
        update subscription.sweep s set since = null, up_to = null
        where \(MomentTable.lies(ahead: "s.up_to::pg_snapshot")) or \(MomentTable.lies(ahead: "s.since::pg_snapshot"))
        """)
}
