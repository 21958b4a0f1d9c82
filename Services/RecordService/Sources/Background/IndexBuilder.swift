internal import CloudKitModel
internal import CloudKitSchema
package import Logging
package import PostgresClient

/// Builds and drops the indexes that a deployed schema declares or queries in development asked for, one at a time in an
/// environment, while its records are read and written.
///
/// An environment with something to do has a row in `record.job`; what is to be done are rows of `record.field_index`.
/// A build that was broken off leaves an invalid index, which is dropped before the next attempt.
package struct IndexBuilder: Sendable {
    /// `concurrently` waits for whoever writes to the table; longer than a request waits for a row.
    private static let lockTimeout = "10min"

    private typealias Job = JobTable.Job

    private let pool: PostgresPool
    private let logger: Logger

    /// A builder over `pool`.
    package init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// Builds or drops one index, as long as that takes.
    ///
    /// - Returns: whether there may be more to do at once.
    /// - Throws: `PostgresError` when the database is in trouble.
    package func runOnce() async throws -> Bool {
        try await pool.withConnection { connection in
            guard let job = try await JobTable.claim([.indexBuild], on: connection) else { return false }
            // The server holds the lock as long as it works at the index, even if this process has ended.
            let lock = PostgresAdvisoryLock("zonda index", key: job.environment.rawValue)
            return try await connection.withAdvisoryLock(lock) { try await work(at: job, on: connection) } ?? true
        }
    }

    private func work(at job: Job, on connection: PostgresConnection) async throws -> Bool {
        guard let row = try await connection.pipeline([IndexTable.next(job.environment)])[0].first else {
            return try await finish(job, on: connection)
        }
        let id = row.int32(0)
        let name = IndexTable(job.environment).name(id)
        do {
            if row.string(1) == "dropped" {
                try await drop(name, on: connection)
                _ = try await connection.query("delete from record.field_index where id = $1", [.int4(id)])
                logger.info("an index was dropped", metadata: ["index": "\(name)"])
            } else if let type = FieldType(storageCode: row.int16(4)),
                let method = FieldIndex.Method(rawValue: row.string(5))
            {
                let key = FieldIndex.Key(
                    recordType: RecordTypeID(row.int32(2)), field: row.string(3), method: method)
                try await build(
                    FieldIndex(key: key, type: type, kinds: []), id, name, in: job.environment, on: connection)
            } else {
                try await leave(id, on: connection)
            }
        } catch let error as PostgresError where !error.isConnectionTrouble && error.code == .server {
            logger.warning(
                "an index is not as it should be; it is tried again",
                metadata: [
                    "index": "\(name)", "error": "\(error)",
                ])
            try await putOff(id, error, on: connection)
        }
        _ = try await connection.query("update record.job set due_at = now() where id = $1", [.int8(job.id)])
        return true
    }

    private func build(
        _ index: FieldIndex, _ id: Int32, _ name: String, in environment: EnvironmentRow,
        on connection: PostgresConnection
    ) async throws {
        guard let definition = index.definition else { return try await leave(id, on: connection) }
        _ = try await connection.query(
            "update record.field_index set state = 'building', attempts = attempts + 1 where id = $1 and state <> 'dropped'",
            [.int4(id)])
        // What an attempt that was broken off has left.
        try await drop(name, on: connection)
        if index.key.method == .words {
            // After the drop: an index would have to follow.
            let fill = TokenFill(environment: environment, recordType: index.key.recordType, id: id)
            guard try await fill.run(on: connection) else { return }
        }
        try await patiently(on: connection) {
            try await connection.execute(
                script: "create index concurrently \(name) on \(environment.recordTable) \(definition)")
        }
        if let measured = index.measured {
            try await patiently(on: connection) {
                try await connection.execute(
                    script: "create statistics record.\(name)_values on (\(measured)) from \(environment.recordTable)")
            }
        }
        _ = try await connection.query(
            """
            update record.field_index set state = 'ready', ready_at = now(), last_error = null
            where id = $1 and state = 'building'
            """, [.int4(id)])
        logger.info("an index was built", metadata: ["index": "\(name)"])
    }

    /// An index of a kind that this release cannot build, as a newer one may have asked for, is left to others.
    private func leave(_ id: Int32, on connection: PostgresConnection) async throws {
        _ = try await connection.query(
            "update record.field_index set due_at = now() + interval '10 minutes' where id = $1", [.int4(id)])
    }

    private func drop(_ name: String, on connection: PostgresConnection) async throws {
        try await patiently(on: connection) {
            try await connection.execute(script: "drop index concurrently if exists record.\(name)")
            try await connection.execute(script: "drop statistics if exists record.\(name)_values")
        }
    }

    /// (`concurrently` takes no transaction, and so no `set local`. The earlier limit was set too: `reset` would go back
    /// to the server's default, which is none.)
    private func patiently(on connection: PostgresConnection, _ statement: () async throws -> Void) async throws {
        let earlier = try await connection.query("select current_setting('lock_timeout')")[0].string(0)
        try await connection.execute(script: "set lock_timeout = '\(Self.lockTimeout)'")
        let result: Result<Void, any Error>
        do { result = .success(try await statement()) } catch { result = .failure(error) }
        _ = try await connection.query("select set_config('lock_timeout', $1, false)", [.text(earlier)])
        try result.get()
    }

    /// Nothing is due: the job is over, or waits for what was put off. Whoever adds to it touches its row after that, and
    /// is waited for, or waits and makes another.
    private func finish(_ job: Job, on connection: PostgresConnection) async throws -> Bool {
        try await analyze(job.environment, on: connection)
        _ = try await connection.pipeline([
            .begin, PostgresCall("select from record.job where id = $1 for update", [.int8(job.id)]),
            PostgresCall(
                """
                delete from record.job where id = $1 and not exists (select from record.field_index
                    where environment = $2 and state <> 'ready' and due_at < 'infinity')
                """, [.int8(job.id), .int4(job.environment.rawValue)]),
            PostgresCall(
                """
                update record.job set due_at = coalesce((select min(due_at) from record.field_index
                    where environment = $2 and state <> 'ready'), now())
                where id = $1
                """, [.int8(job.id), .int4(job.environment.rawValue)]),
            .commit,
        ])
        return true
    }

    /// Tells the planner about the values of indexes that were built since it was told last, all together: only an
    /// analysis of the whole table looks at expressions. Words are a column.
    private func analyze(_ environment: EnvironmentRow, on connection: PostgresConnection) async throws {
        let table = environment.recordTable
        let rows = try await connection.query(
            """
            select bool_and(i.method = 'words') from record.field_index i
            left join pg_stat_user_tables s on s.relid = to_regclass($2)
            where i.environment = $1 and i.state = 'ready'
                and i.ready_at > greatest(s.last_analyze, s.last_autoanalyze, '-infinity')
            """, [.int4(environment.rawValue), .text(table)])
        guard let onlyWords = rows.first?.boolIfPresent(0) else { return }
        try await patiently(on: connection) {
            try await connection.execute(script: "analyze \(table)\(onlyWords ? " (tokens)" : "")")
        }
    }

    private func putOff(_ id: Int32, _ error: PostgresError, on connection: PostgresConnection) async throws {
        _ = try await connection.query(
            """
            update record.field_index set last_error = $2,
                state = case when state = 'dropped' then state else 'failed' end,
                due_at = now() + least(interval '1 hour', interval '10 seconds' * power(2, least(attempts, 20)))
            where id = $1
            """, [.int4(id), .text(error.description)])
    }
}
