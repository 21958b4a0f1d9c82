package import PostgresClient

/// The SQL statements for `record.job`. A job is executed in the background, piece by piece. When the job is finished,
/// its row is deleted.
package struct JobTable: Sendable {
    /// The kind of a job. The raw value is stored.
    package enum Kind: String, Sendable, CaseIterable {
        /// Deletes the dependents of deleted records.
        case cascade
        /// Deletes the rows of a deleted zone.
        case zoneReclaim = "zone.reclaim"
        /// Deletes the row of a deleted zone after the retention period.
        case zoneForget = "zone.forget"
        /// Drops the tables of a deleted environment.
        case environmentReclaim = "environment.reclaim"
        /// Builds and drops the indexes of an environment.
        case indexBuild = "index.build"
        /// Builds the index of shared records in an environment that was created before sharing was supported.
        case sharingIndex = "sharing.index"
        /// Removes a zone's records from shares that have ended.
        case shareEmptying = "share.empty"
        /// Moves a zone's records into, between and out of shares.
        case shareMove = "share.move"
    }

    /// A claimed job.
    package struct Job: Sendable {
        /// The id of the job, `record.job.id`.
        package let id: Int64
        /// The kind of the job.
        package let kind: Kind
        /// The environment.
        package let environment: EnvironmentRow
        /// The zone; nil for a job that concerns the whole environment.
        package let zone: ZoneRow?
    }

    private let pool: PostgresPool

    /// Creates the statements for the jobs in the database of `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Claims the job of the given `kinds` that has been due the longest, and hides it from other instances, for a minute
    /// at first.
    ///
    /// A claim counts as a failure until its piece ends. If the pieces of a job end the process or the connection, each
    /// claim therefore hides the job for twice as long, up to one hour.
    ///
    /// - Returns: nil if no job is due.
    /// - Throws: `PostgresError`.
    package func claim(_ kinds: [Kind]) async throws -> Job? {
        let time = "least(interval '1 hour', interval '1 minute' * power(2, least(attempts, 20)))"
        return try await pool.withConnection { try await Self.claim(kinds, hidingFor: time, on: $0) }
    }

    /// Claims a job whose pieces can take hours, during which another lock keeps other instances from it. Each claim
    /// hides the job for a minute.
    package static func claim(_ kinds: [Kind], on connection: PostgresConnection) async throws -> Job? {
        try await claim(kinds, hidingFor: "interval '1 minute'", on: connection)
    }

    private static func claim(
        _ kinds: [Kind], hidingFor time: String, on connection: PostgresConnection
    ) async throws -> Job? {
        let rows = try await connection.query(
            PostgresStatement(
                """
                update record.job set attempts = attempts + 1, due_at = now() + \(time) where id = (
                    select id from record.job where kind = any($1) and due_at <= now()
                    order by due_at limit 1 for update skip locked)
                returning id, kind, (arguments->>'environment')::int4, (arguments->>'zone')::int8
                """), [.textArray(kinds.map(\.rawValue))])
        return rows.first.flatMap { row in
            Kind(rawValue: row.string(1)).map { kind in
                Job(
                    id: row.int64(0), kind: kind, environment: EnvironmentRow(row.int32(2)),
                    zone: row.int64IfPresent(3).map(ZoneRow.init))
            }
        }
    }

    /// The unfinished jobs of one kind.
    package struct Stock: Sendable, Equatable {
        /// The number of jobs.
        package let count: Int
        /// The time since the oldest of them was created, in seconds.
        package let age: Double
    }

    /// Counts the unfinished jobs of each kind. Kinds without jobs are left out.
    ///
    /// - Throws: `PostgresError`.
    package func stock() async throws -> [Kind: Stock] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                select kind, count(*), extract(epoch from now() - min(created_at))::float8 from record.job group by kind
                """)
        }
        var stock: [Kind: Stock] = [:]
        for row in rows {
            guard let kind = Kind(rawValue: row.string(0)) else { continue }
            stock[kind] = Stock(count: Int(row.int64(1)), age: max(0, row.double(2)))
        }
        return stock
    }

    /// Postpones a failed job, so that it does not delay other jobs. The delay is 10 s after the first failure and doubles
    /// with each further one, up to one hour.
    ///
    /// - Parameter error: the description of the error.
    /// - Throws: `PostgresError`.
    package func putOff(_ job: Job, _ error: String) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                update record.job set last_error = $2,
                    due_at = now() + least(interval '1 hour', interval '5 seconds' * power(2, least(attempts, 20)))
                where id = $1
                """, [.int8(job.id), .text(error)])
        }
    }

    /// Ends a piece of a job. The next piece is due immediately, and earlier failures no longer count.
    package static func endPiece(_ job: Job) -> PostgresCall {
        PostgresCall("update record.job set due_at = now(), attempts = 0 where id = $1", [.int8(job.id)])
    }

    /// Turns a job that deletes the rows of a zone into one that later deletes the zone's own row.
    package static func forgetZone(_ job: Job) -> PostgresCall {
        PostgresCall(
            "update record.job set kind = 'zone.forget', due_at = now(), attempts = 0 where id = $1", [.int8(job.id)])
    }

    /// Deletes the row of a finished job.
    package static func finish(_ job: Job) -> PostgresCall {
        PostgresCall("delete from record.job where id = $1", [.int8(job.id)])
    }
}
