internal import CloudKitModel
package import Logging
package import PostgresClient
internal import RecordStorage

/// Builds the indexes that a deployed schema declares or that queries in development have requested, and drops indexes
/// that are no longer needed. It works on one index per environment at a time. During this work, records can be read
/// and written.
///
/// An environment with work to do has a row in `record.job`; the indexes to build or drop are rows in
/// `record.field_index`. An interrupted build leaves an invalid index, which is dropped before the next attempt.
package struct IndexBuilder: Sendable {
    /// The lock timeout for building and dropping. `CREATE INDEX CONCURRENTLY` waits for every transaction that writes
    /// to the table. This can take longer than requests are allowed to wait for a lock.
    private static let lockTimeout = Duration.seconds(600)

    /// The lock timeout for attaching an index. While the statement waits for its lock, reads and saves wait too. After
    /// a timeout, the job is retried later.
    private static let attachTimeout = Duration.milliseconds(500)

    private let pool: PostgresPool
    private let logger: Logger

    /// Creates a builder that uses `pool`.
    package init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// Builds or drops one index, however long that takes.
    ///
    /// - Returns: whether there might be more work to do immediately.
    /// - Throws: `PostgresError` when the database is unavailable.
    package func runOnce() async throws -> Bool {
        try await pool.withConnection { connection in
            guard let job = try await JobTable.claim([.indexBuild, .sharingIndex], on: connection) else { return false }
            // The server holds the lock while it works on the index, even if this process has exited.
            let lock = PostgresAdvisoryLock("zonda index", key: job.environment.rawValue)
            return try await connection.withAdvisoryLock(lock) {
                job.kind == .sharingIndex
                    ? try await buildSharingIndex(job, connection) : try await work(on: job, connection)
            } ?? true
        }
    }

    /// Builds the index of shared records. In newer environments, the index is created with the table.
    private func buildSharingIndex(_ job: JobTable.Job, _ connection: PostgresConnection) async throws -> Bool {
        do {
            let index = SharingIndex(job.environment)
            let isInvalid = SharingIndex.isInvalid(try await connection.pipeline([index.invalid])[0])
            for script in (isInvalid ? [index.drop] : []) + [index.create] {
                try await LockTimeouts.with(Self.lockTimeout, on: connection) {
                    try await connection.execute(script: script)
                }
            }
            try await LockTimeouts.with(Self.attachTimeout, on: connection) {
                try await connection.execute(script: index.attach)
            }
            _ = try await connection.pipeline([JobTable.finish(job)])
        } catch let error as PostgresError where !error.isConnectionFailure && error.code == .server {
            logger.warning(
                "the index of shared records could not be built; the job was postponed",
                metadata: ["environment": "\(job.environment.rawValue)", "error": "\(error)"])
            try await JobTable(pool: pool).putOff(job, error.description)
        }
        return true
    }

    private func work(on job: JobTable.Job, _ connection: PostgresConnection) async throws -> Bool {
        let table = IndexTable(job.environment)
        let next = IndexTable.next(try await connection.pipeline([IndexTable.next(job.environment)])[0])
        guard let next else { return try await finish(job, on: connection) }
        let name = table.name(next.id)
        do {
            if next.isDropped {
                try await drop(next.id, of: table, on: connection)
                _ = try await connection.pipeline([IndexTable.forget(next.id)])
                logger.info("an index was dropped", metadata: ["index": "\(name)"])
            } else if let index = next.index, let scripts = table.createScripts(index, next.id) {
                let isBuilt = try await build(index, next.id, scripts, in: job.environment, on: connection)
                if isBuilt { logger.info("an index was built", metadata: ["index": "\(name)"]) }
            } else {
                // This release does not support this kind of index, which a newer release might have requested.
                _ = try await connection.pipeline([IndexTable.leave(next.id)])
            }
        } catch let error as PostgresError where !error.isConnectionFailure && error.code == .server {
            logger.warning(
                "an index could not be built or dropped; the job was postponed",
                metadata: ["index": "\(name)", "error": "\(error)"])
            _ = try await connection.pipeline([IndexTable.putOff(next.id, error.description)])
        }
        _ = try await connection.pipeline([JobTable.endPiece(job)])
        return true
    }

    /// - Returns: false when the index is no longer needed or its build has to be started again.
    private func build(
        _ index: FieldIndex, _ id: Int32, _ scripts: [String], in environment: EnvironmentRow,
        on connection: PostgresConnection
    ) async throws -> Bool {
        _ = try await connection.pipeline([IndexTable.beginBuild(id)])
        // An interrupted attempt might have left an invalid index.
        try await drop(id, of: IndexTable(environment), on: connection)
        if index.key.method == .words {
            // The words are written after the index is dropped, because otherwise each of them would also be added to
            // the old index.
            let fill = TokenFill(environment: environment, recordType: index.key.recordType, id: id)
            guard try await fill.run(on: connection) else { return false }
        }
        for script in scripts {
            try await LockTimeouts.with(Self.lockTimeout, on: connection) {
                try await connection.execute(script: script)
            }
        }
        _ = try await connection.pipeline([IndexTable.endBuild(id)])
        return true
    }

    private func drop(_ id: Int32, of table: IndexTable, on connection: PostgresConnection) async throws {
        try await LockTimeouts.with(Self.lockTimeout, on: connection) {
            for script in table.dropScripts(id) { try await connection.execute(script: script) }
        }
    }

    private func finish(_ job: JobTable.Job, on connection: PostgresConnection) async throws -> Bool {
        try await analyze(job.environment, on: connection)
        _ = try await connection.pipeline(IndexTable.finish(job))
        return true
    }

    /// Runs one `analyze` statement for all indexes that were built since the last such statement.
    private func analyze(_ environment: EnvironmentRow, on connection: PostgresConnection) async throws {
        let built = try await connection.pipeline([IndexTable.builtSinceAnalysis(environment)])[0]
        guard let onlyWords = built.first?.boolIfPresent(0) else { return }
        let script = IndexTable(environment).analyzeScript(onlyWords: onlyWords)
        try await LockTimeouts.with(Self.lockTimeout, on: connection) { try await connection.execute(script: script) }
    }
}
