internal import PostgresClient
internal import RequestServing

/// The statements over `record.job`: work that is done in the background, in pieces, until its row is deleted.
struct JobTable: Sendable {
    /// A job that is being worked at.
    struct Job: Sendable {
        let id: Int64
        let kind: String
        let environment: EnvironmentRow
        let zone: Int64?
    }

    let pool: PostgresPool

    /// The job of one of `kinds` that is due longest, hidden from other instances for a minute.
    func claim(_ kinds: [String]) async throws -> Job? {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                update record.job set due_at = now() + interval '1 minute' where id = (
                    select id from record.job where kind = any($1) and due_at <= now()
                    order by due_at limit 1 for update skip locked)
                returning id, kind, (arguments->>'environment')::int4, (arguments->>'zone')::int8
                """, [.textArray(kinds)])
        }
        return rows.first.map { row in
            Job(
                id: row.int64(0), kind: row.string(1), environment: EnvironmentRow(row.int32(2)),
                zone: row.int64IfPresent(3))
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
