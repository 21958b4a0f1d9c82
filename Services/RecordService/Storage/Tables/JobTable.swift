internal import PostgresClient
internal import RequestServing

/// The statements over `record.job`: work that is done in the background, in pieces, until its row is deleted.
struct JobTable: Sendable {
    /// What a job does.
    enum Kind: String, Sendable {
        /// Deletes the dependents of deleted records.
        case cascade
        /// Deletes the rows of a deleted zone.
        case zoneReclaim = "zone.reclaim"
        /// Removes the row of a deleted zone after the retention.
        case zoneForget = "zone.forget"
        /// Drops the tables of a deleted environment.
        case environmentReclaim = "environment.reclaim"
        /// Builds and drops the indexes of an environment.
        case indexBuild = "index.build"
    }

    /// A job that is being worked at.
    struct Job: Sendable {
        let id: Int64
        let kind: Kind
        let environment: EnvironmentRow
        let zone: Int64?
    }

    let pool: PostgresPool

    /// The job of one of `kinds` that is due longest, hidden from other instances for a minute.
    ///
    /// - Throws: `PostgresError`.
    func claim(_ kinds: [Kind]) async throws -> Job? {
        try await pool.withConnection { try await Self.claim(kinds, on: $0) }
    }

    /// As ``claim(_:)``, on a connection.
    static func claim(_ kinds: [Kind], on connection: PostgresConnection) async throws -> Job? {
        let rows = try await connection.query(
            """
            update record.job set due_at = now() + interval '1 minute' where id = (
                select id from record.job where kind = any($1) and due_at <= now()
                order by due_at limit 1 for update skip locked)
            returning id, kind, (arguments->>'environment')::int4, (arguments->>'zone')::int8
            """, [.textArray(kinds.map(\.rawValue))])
        return rows.first.flatMap { row in
            Kind(rawValue: row.string(1)).map { kind in
                Job(
                    id: row.int64(0), kind: kind, environment: EnvironmentRow(row.int32(2)),
                    zone: row.int64IfPresent(3))
            }
        }
    }

    /// Puts a job that failed off, longer from time to time, so that it stands in no other's way.
    func putOff(_ job: Job, _ error: any Error) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query(
                """
                update record.job set attempts = attempts + 1, last_error = $2,
                    due_at = now() + least(interval '1 hour', interval '10 seconds' * power(2, least(attempts, 20)))
                where id = $1
                """, [.int8(job.id), .text(error.logDescription)])
        }
    }

    /// A piece was done: the next is due at once.
    static func goOn(_ job: Job) -> PostgresCall {
        PostgresCall("update record.job set due_at = now(), attempts = 0 where id = $1", [.int8(job.id)])
    }

    /// The job is done.
    static func finish(_ job: Job) -> PostgresCall {
        PostgresCall("delete from record.job where id = $1", [.int8(job.id)])
    }
}
