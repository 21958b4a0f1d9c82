package import CloudKitModel
package import PostgresClient

extension AccountStore {
    /// Returns the server-to-server key with the given id in an environment; nil if it does not exist or has been
    /// revoked.
    ///
    /// - Throws: `PostgresError`.
    package func serverKey(
        _ id: String, container: String, environment: EnvironmentName
    ) async throws -> ServerKey? {
        guard APIToken.isToken(id) else { return nil }
        return try await rows(
            """
            select k.id, k.public_key, k.user_name from account.server_key k
            where k.container = $1 and k.environment = $2 and k.id = $3 and k.revoked_at is null
            """, [.text(container), .text(environment.rawValue), .text(id.lowercased())]
        ).first.map { ServerKey(id: $0.string(0), publicKey: $0.bytes(1), userName: $0.string(2)) }
    }

    /// Returns up to `limit` server-to-server keys, including revoked ones, ordered by container, environment and id.
    ///
    /// - Parameters:
    ///   - position: the position after which the list begins.
    ///   - container: the container whose keys are returned; nil for all containers.
    ///   - environment: the environment whose keys are returned; nil for both environments.
    /// - Throws: `PostgresError`.
    package func serverKeys(
        after position: ListPosition, container: String?, environment: EnvironmentName?, limit: Int
    ) async throws -> [ServerKeyListing] {
        try await rows(
            """
            select id, container, environment, name, user_name, created_at, revoked_at
            from account.server_key
            where (container, environment, id) > ($1, $2, $3)
                and ($4::text is null or container = $4) and ($5::text is null or environment = $5)
            order by container, environment, id limit $6
            """,
            position.parts.map { .text($0) } + [
                .text(container), .text(environment?.rawValue), .int8(Int64(limit)),
            ]
        ).map { row in
            ServerKeyListing(
                id: row.string(0), place: ContainerPlace(container: row.string(1), environment: try row.environment(2)),
                name: row.string(3), userName: row.string(4), createdAt: row.milliseconds(5),
                revokedAt: row.millisecondsIfPresent(6))
        }
    }

    // MARK: In a transaction

    /// Adds a key to an environment, and returns the time at which it was first added, in milliseconds since 1970. A
    /// key that already exists gets the new name and becomes active again.
    ///
    /// - Throws: `PostgresError`.
    package static func add(
        _ key: ServerKey, named name: String, in place: ContainerPlace, on connection: PostgresConnection
    ) async throws -> Int64 {
        try await connection.query(
            """
            insert into account.server_key (id, container, environment, public_key, name, user_name)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (container, environment, id) do update set name = excluded.name, revoked_at = null
            returning created_at
            """,
            [
                .text(key.id), .text(place.container), .text(place.environment.rawValue), .bytea(key.publicKey),
                .text(name), .text(key.userName),
            ])[0].milliseconds(0)
    }

    /// Revokes a key in an environment. Returns false if it does not exist or has already been revoked.
    ///
    /// - Throws: `PostgresError`.
    package static func revokeServerKey(
        _ id: String, in place: ContainerPlace, on connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.query(
            """
            update account.server_key set revoked_at = now()
            where container = $1 and environment = $2 and id = $3 and revoked_at is null
            """, [.text(place.container), .text(place.environment.rawValue), .text(id)]
        ).affectedRows > 0
    }
}
