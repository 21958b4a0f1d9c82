package import Foundation
package import PostgresClient

/// The running instances of the service.
package struct InstanceTable: Sendable {
    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Notes that the instance `id` is alive. Takes one round trip.
    ///
    /// - Returns: the ids of all instances that announced themselves in the last ten seconds. The order is the same for
    ///   every instance.
    /// - Throws: `PostgresError`.
    package func announce(_ id: UUID) async throws -> [UUID] {
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

    /// Removes the instance `id`, which has stopped. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package func remove(_ id: UUID) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.query("delete from subscription.instance where id = $1", [.uuid(id)])
        }
    }
}
