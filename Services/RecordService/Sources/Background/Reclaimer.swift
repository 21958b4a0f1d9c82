package import Logging
package import PostgresClient

/// Removes in the background what is out of sight already: the rows of deleted zones, the tables of deleted containers.
/// What is left to do is a row of `record.job` until it is done.
///
/// No event tells of it. The asset service's sweep finds the blobs that became free. The row of a deleted zone stays
/// for the retention: the database feed tells of it, and the change log has rows of it for a day.
package struct Reclaimer: Sendable {
    private static let rowsPerTransaction: Int32 = 2000

    private typealias Job = JobTable.Job

    private let pool: PostgresPool
    private let jobs: JobTable
    private let retention: PostgresParameter
    private let logger: Logger

    /// A reclaimer over `pool`.
    ///
    /// - Parameter retention: how long the deletion of a zone can be told.
    package init(pool: PostgresPool, retention: Duration, logger: Logger) {
        self.pool = pool
        jobs = JobTable(pool: pool)
        self.retention = .float8(retention / .seconds(1))
        self.logger = logger
    }

    /// A bounded piece of one job, unless other instances have them all. A job that fails is put off, longer from time
    /// to time, and stands in no other's way.
    ///
    /// - Returns: whether there may be more to do at once.
    /// - Throws: `PostgresError` when the database is in trouble.
    package func runOnce() async throws -> Bool {
        guard let job = try await jobs.claim([.zoneReclaim, .zoneForget, .environmentReclaim]) else {
            return false
        }
        do {
            switch job.kind {
            case .zoneReclaim: try await reclaimZone(job)
            case .zoneForget: try await forgetZone(job)
            case .environmentReclaim: try await reclaimEnvironment(job)
            case .cascade, .indexBuild: break
            }
            return true
        } catch let error as PostgresError where !error.isConnectionTrouble {
            logger.warning("a job failed; it is put off", metadata: ["job": "\(job.id)", "error": "\(error)"])
            try await jobs.putOff(job, error)
            return false
        }
    }

    private func reclaimZone(_ job: Job) async throws {
        let tables = [job.environment.recordTable, job.environment.assetUseTable, job.environment.referenceTable]
        try await pool.withTransaction { connection in
            // Where the container went, its tables went with it.
            for table in tables where try await !exists(table, on: connection) {
                return try await finish(job, on: connection)
            }
            _ = try await connection.query(RecordTable.noBitmaps)
            // Nobody writes to a deleted zone any more: its rows stay where they are.
            let deleted = try await connection.pipeline(
                tables.map { table in
                    PostgresCall(
                        PostgresStatement(
                            """
                            delete from \(table) where ctid = any(array(
                                select ctid from \(table) where environment = $1 and zone = $2 limit $3))
                            """),
                        [.int4(job.environment.rawValue), .int8(job.zone), .int4(Self.rowsPerTransaction)])
                })
            guard deleted.allSatisfy({ $0.affectedRows < Int(Self.rowsPerTransaction) }) else {
                _ = try await connection.query(
                    "update record.job set due_at = now() where id = $1", [.int8(job.id)])
                return
            }
            _ = try await connection.query("delete from record.cascade where zone = $1", [.int8(job.zone)])
            _ = try await connection.query(
                "update record.job set kind = 'zone.forget', due_at = now() where id = $1", [.int8(job.id)])
        }
    }

    /// Removes the row of a zone that was deleted longer ago than the retention; before, the job is put off until then.
    /// Tokens of the database that do not know of the deletion are expired from now on.
    ///
    /// A zone that was purged is remembered until its name is taken again, which is looked at once a day: until then
    /// requests are told of the purge.
    private func forgetZone(_ job: Job) async throws {
        try await pool.withTransaction { connection in
            let results = try await connection.pipeline([
                PostgresCall(
                    """
                    with gone as (
                        delete from record.zone z
                        where z.id = $1 and z.deleted_at <= now() - make_interval(secs => $2)
                            and (z.deletion_reason = 'deleted' or exists (
                                select from record.zone later
                                where later.database = z.database and later.name = z.name and later.id > z.id))
                        returning z.database, z.changed_xid)
                    update record.database d set purge_mark = greatest(d.purge_mark, gone.changed_xid)
                    from gone where d.id = gone.database
                    """, [.int8(job.zone), retention]),
                PostgresCall(
                    """
                    update record.job j
                    set due_at = case when z.deleted_at + make_interval(secs => $3) > now()
                        then z.deleted_at + make_interval(secs => $3) else now() + interval '1 day' end
                    from record.zone z where j.id = $1 and z.id = $2
                    """, [.int8(job.id), .int8(job.zone), retention]),
            ])
            if results[1].affectedRows == 0 { try await finish(job, on: connection) }
        }
    }

    private func reclaimEnvironment(_ job: Job) async throws {
        let table = job.environment.recordTable
        // `concurrently` waits for running statements without holding new ones up; it takes no transaction.
        try await pool.withConnection { connection in
            let state = try await connection.query(
                """
                select coalesce(i.inhdetachpending, false) from pg_inherits i where i.inhrelid = to_regclass($1)
                """, [.text(table)])
            if let state = state.first {
                let how = state.bool(0) ? "finalize" : "concurrently"
                try await connection.execute(script: "alter table record.record detach partition \(table) \(how)")
            }
            // The uses go while attached. Detached first, their foreign key would be one of its own, and dropping that
            // would lock `asset.blob` against every save and upload; this locks the parent, which only the check of a
            // blob's deletion reads.
            try await connection.execute(
                script: """
                    drop table if exists \(table); drop table if exists \(job.environment.assetUseTable);
                    drop table if exists \(job.environment.referenceTable);
                    delete from record.cascade where environment = \(job.environment.rawValue);
                    delete from record.job
                    where kind = 'cascade' and (arguments->>'environment')::int4 = \(job.environment.rawValue);
                    """)
        }
        try await pool.withConnection { try await finish(job, on: $0) }
    }

    private func exists(_ table: String, on connection: PostgresConnection) async throws -> Bool {
        try await connection.query("select to_regclass($1) is not null", [.text(table)]).first?.bool(0) == true
    }

    private func finish(_ job: Job, on connection: PostgresConnection) async throws {
        _ = try await connection.pipeline([JobTable.finish(job)])
        logger.info("reclaimed", metadata: ["job": "\(job.id)", "kind": "\(job.kind.rawValue)"])
    }
}
