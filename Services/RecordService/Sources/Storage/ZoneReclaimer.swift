package import Logging
package import PostgresClient

/// Removes the rows of deleted zones in the background, a bounded number per transaction. The zones are out of sight
/// already; what is left to do is a row of `record.job` until it is done.
package struct ZoneReclaimer: Sendable {
    private static let rowsPerTransaction: Int32 = 2000

    private let pool: PostgresPool
    private let logger: Logger

    /// A reclaimer over `pool`.
    package init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// One transaction of one job, unless other instances have them all.
    ///
    /// - Returns: whether there may be more to do at once.
    package func runOnce() async throws -> Bool {
        try await pool.withTransaction { connection in
            let jobs = try await connection.query(
                """
                select id, (arguments->>'environment')::int4, (arguments->>'zone')::int8 from record.job
                where kind = 'zone.reclaim' and due_at <= now() order by due_at limit 1 for update skip locked
                """)
            guard let job = jobs.first else { return false }
            let environment = EnvironmentRow(job.int32(1))
            let table = environment.recordTable
            guard try await connection.query("select to_regclass($1) is not null", [.text(table)]).first?.bool(0) == true
            else {
                // The container went, and its tables with it.
                _ = try await connection.query("delete from record.job where id = $1", [.int8(job.int64(0))])
                return true
            }
            let deleted = try await connection.query(
                PostgresStatement(
                    """
                    delete from \(table) where ctid = any(array(
                        select ctid from \(table) where environment = $1 and zone = $2 limit $3))
                    """),
                [.int4(environment.rawValue), .int8(job.int64(2)), .int4(Self.rowsPerTransaction)])
            if deleted.affectedRows < Int(Self.rowsPerTransaction) {
                _ = try await connection.pipeline([
                    PostgresCall("delete from record.reference where zone = $1", [.int8(job.int64(2))]),
                    PostgresCall("delete from record.job where id = $1", [.int8(job.int64(0))]),
                ])
                logger.info("a deleted zone is reclaimed", metadata: ["zone": "\(job.int64(2))"])
            }
            return true
        }
    }
}
