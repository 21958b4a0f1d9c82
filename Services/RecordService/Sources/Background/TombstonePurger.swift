package import PostgresClient
package import RecordStorage

/// Purges tombstones, departures and ended shares that are older than the retention period (``TombstoneRemoval``,
/// ``DepartureRemoval``).
package struct TombstonePurger: Sendable {
    private let pool: PostgresPool
    private let retention: Duration

    /// Creates a purger that uses `pool`.
    ///
    /// - Parameter retention: for how long deletions are reported.
    package init(pool: PostgresPool, retention: Duration) {
        self.pool = pool
        self.retention = retention
    }

    /// Returns all environments. Their tables are purged one after another.
    ///
    /// - Throws: `PostgresError`.
    package func environments() async throws -> [EnvironmentRow] {
        try await pool.withConnection { EnvironmentTable.rows(try await $0.query(EnvironmentTable.all)) }
    }

    /// Purges a bounded number of an environment's oldest due rows: tombstones in one transaction, departures and ended
    /// shares in another.
    ///
    /// - Returns: whether there might be more work to do immediately.
    /// - Throws: `PostgresError`, for example if the environment has been removed.
    package func runOnce(in environment: EnvironmentRow) async throws -> Bool {
        let hasMoreTombstones = try await pool.withTransaction { connection in
            try await TombstoneRemoval.removeDue(in: environment, retention: retention, on: connection)
        }
        let hasMoreDepartures = try await pool.withTransaction { connection in
            try await DepartureRemoval.removeDue(in: environment, retention: retention, on: connection)
        }
        return hasMoreTombstones || hasMoreDepartures
    }
}
