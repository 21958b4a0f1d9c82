internal import CloudKitModel
package import PostgresClient
package import ServiceMessages

/// The environments and their ids.
package struct EnvironmentTable: Sendable {
    private let pool: PostgresPool

    /// Creates a table that is accessed through `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Returns the id of the environment that a request names; nil if nothing has ever been saved in it. Takes one
    /// round trip.
    ///
    /// - Throws: `PostgresError`.
    package func find(_ context: RequestContext) async throws -> Int32? {
        try await pool.withConnection { connection in
            try await connection.query(
                "select id from subscription.environment where container = $1 and name = $2",
                [.text(context.container), .text(context.environment.rawValue)]
            ).first?.int32(0)
        }
    }

    /// Returns the id of the environment that a request names. Creates the environment if it does not exist. Takes one
    /// round trip, or three if the environment is new.
    ///
    /// - Throws: `PostgresError`.
    package func findOrMake(_ context: RequestContext) async throws -> Int32 {
        if let id = try await find(context) { return id }
        _ = try await pool.withConnection { connection in
            try await connection.query(
                "insert into subscription.environment (container, name) values ($1, $2) on conflict do nothing",
                [.text(context.container), .text(context.environment.rawValue)])
        }
        guard let id = try await find(context) else { throw Self.missing }
        return id
    }

    /// The error for an environment that is missing after it was inserted.
    static let missing = PostgresError(.unexpected, message: "the environment is missing although it was inserted")
}
