internal import PostgresClient
internal import ServiceMessages

/// Environments by name.
struct EnvironmentTable: Sendable {
    let pool: PostgresPool

    /// The id of the environment that a request names; nil when nothing was ever saved in it.
    ///
    /// - Throws: `PostgresError`. One round trip.
    func find(_ context: RequestContext) async throws -> Int32? {
        try await pool.withConnection { connection in
            try await connection.query(
                "select id from subscription.environment where container = $1 and name = $2",
                [.text(context.container), .text(context.environment)]
            ).first?.int32(0)
        }
    }

    /// The id of the environment that a request names, which is made when it is not there.
    ///
    /// - Throws: `PostgresError`.
    func findOrMake(_ context: RequestContext) async throws -> Int32 {
        if let id = try await find(context) { return id }
        _ = try await pool.withConnection { connection in
            try await connection.query(
                "insert into subscription.environment (container, name) values ($1, $2) on conflict do nothing",
                [.text(context.container), .text(context.environment)])
        }
        guard let id = try await find(context) else {
            throw PostgresError(.unexpected, message: "an environment that was made is not there")
        }
        return id
    }
}
