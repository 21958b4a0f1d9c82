internal import Foundation
internal import PostgresClient

/// The instances of the service that run.
struct InstanceTable: Sendable {
    let pool: PostgresPool

    /// Says that `id` lives, and returns all that were heard of in the last ten seconds, in the same order for all.
    ///
    /// - Throws: `PostgresError`.
    func announce(_ id: UUID) async throws -> [UUID] {
        try await pool.withConnection { connection in
            let results = try await connection.pipeline([
                PostgresCall(
                    """
                    insert into subscription.instance (id, seen_at) values ($1, now())
                    on conflict (id) do update set seen_at = now()
                    """, [.uuid(id)]),
                PostgresCall("delete from subscription.instance where seen_at < now() - interval '1 hour'"),
                PostgresCall(
                    "select id from subscription.instance where seen_at > now() - interval '10 seconds' order by id"),
            ])
            return results[2].map { $0.uuid(0) }
        }
    }

    /// Says that `id` ends.
    ///
    /// - Throws: `PostgresError`.
    func remove(_ id: UUID) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query("delete from subscription.instance where id = $1", [.uuid(id)])
        }
    }
}
