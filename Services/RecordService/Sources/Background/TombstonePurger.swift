package import PostgresClient

/// Removes in the background the tombstones that are older than the retention, and raises the purge marks of their
/// zones in the same transactions: a sync token whose horizon is below the mark has expired (DESIGN 3).
package struct TombstonePurger: Sendable {
    /// Tombstones of one transaction: their zones are locked for the milliseconds that so many deletions take.
    private static let rowsPerTransaction = 1000

    /// The tombstones that are due, by the index `record_tombstones`. `$1`: the retention in seconds.
    private static let due = """
        fields is null and modified_at < now() - make_interval(secs => $1) order by modified_at \
        limit \(rowsPerTransaction)
        """

    private let pool: PostgresPool
    private let retention: PostgresParameter

    /// A purger over `pool`.
    ///
    /// - Parameter retention: how long a deletion can be told.
    package init(pool: PostgresPool, retention: Duration) {
        self.pool = pool
        self.retention = .float8(retention / .seconds(1))
    }

    /// Every environment, whose tables are purged one by one.
    package func environments() async throws -> [EnvironmentRow] {
        try await pool.withConnection { connection in
            try await connection.query("select id from record.environment order by id").map {
                EnvironmentRow($0.int32(0))
            }
        }
    }

    /// A bounded number of an environment's oldest tombstones. Where nothing is due, one look at an index.
    ///
    /// Zones that somebody writes to are passed over, and come in the next transaction; only when nothing else is due
    /// is one of them waited for.
    ///
    /// - Returns: whether there may be more to do at once.
    /// - Throws: `PostgresError`, also when the environment's table went meanwhile.
    package func runOnce(in environment: EnvironmentRow) async throws -> Bool {
        let table = environment.recordTable
        return try await pool.withTransaction { connection in
            _ = try await connection.query(RecordTable.noBitmaps)
            let due = try await connection.query(
                PostgresStatement("select zone from \(table) where \(Self.due)"), [retention]
            ).map { ZoneRow($0.int64(0)) }
            guard let oldest = due.first else { return false }
            var locked = try await lock(Array(Set(due)), waiting: false, on: connection)
            if locked.isEmpty { locked = try await lock([oldest], waiting: true, on: connection) }
            // Under their zones' locks these rows stay where they are.
            let gone = try await connection.query(
                PostgresStatement(
                    """
                    delete from \(table) where ctid = any(array(select ctid from \(table) where \(Self.due)))
                        and zone = any($2)
                    returning zone, change_seq
                    """),
                [retention, .int8Array(locked.map(\.rawValue))])
            let marks = Dictionary(gone.map { (ZoneRow($0.int64(0)), $0.int64(1)) }, uniquingKeysWith: max)
            _ = try await connection.pipeline([ZoneTable.raisePurgeMarks(marks.map { ($0.key, $0.value) })])
            return due.count == Self.rowsPerTransaction && !marks.isEmpty
        }
    }

    private func lock(_ zones: [ZoneRow], waiting: Bool, on connection: PostgresConnection) async throws -> [ZoneRow] {
        let results = try await connection.pipeline([ZoneTable.lock(zones, waiting: waiting)])
        return Array(ZoneTable.locked(results[0]).keys)
    }
}
