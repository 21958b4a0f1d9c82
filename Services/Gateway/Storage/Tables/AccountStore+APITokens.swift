package import CloudKitModel
package import PostgresClient

extension AccountStore {
    /// Returns the API token with the given text; nil if it does not exist or has been revoked.
    ///
    /// - Throws: `PostgresError`.
    package func apiToken(_ token: String) async throws -> APIToken? {
        guard APIToken.isToken(token) else { return nil }
        return try await rows(
            """
            select t.token, t.container, t.environment, t.name, t.origins, t.callback_url
            from account.api_token t where t.token = $1 and t.revoked_at is null
            """, [.text(token.lowercased())]
        ).first.map(Self.apiToken)
    }

    /// Returns up to `limit` API tokens, including revoked ones, ordered by container, environment and token.
    ///
    /// - Parameters:
    ///   - position: the position after which the list begins.
    ///   - container: the container whose tokens are returned; nil for all containers.
    ///   - environment: the environment whose tokens are returned; nil for both environments.
    /// - Throws: `PostgresError`.
    package func apiTokens(
        after position: ListPosition, container: String?, environment: EnvironmentName?, limit: Int
    ) async throws -> [APITokenListing] {
        try await rows(
            """
            select token, container, environment, name, origins, callback_url, created_at, revoked_at
            from account.api_token
            where (container, environment, token) > ($1, $2, $3)
                and ($4::text is null or container = $4) and ($5::text is null or environment = $5)
            order by container, environment, token limit $6
            """,
            position.parts.map { .text($0) } + [
                .text(container), .text(environment?.rawValue), .int8(Int64(limit)),
            ]
        ).map { row in
            APITokenListing(
                token: try Self.apiToken(row), createdAt: row.milliseconds(6), revokedAt: row.millisecondsIfPresent(7))
        }
    }

    private static func apiToken(_ row: PostgresRow) throws -> APIToken {
        APIToken(
            token: row.string(0), container: row.string(1), environment: try row.environment(2), name: row.string(3),
            origins: row.textArray(4), callbackURL: row.stringIfPresent(5))
    }

    // MARK: In a transaction

    /// Adds an API token, and returns its creation time in milliseconds since 1970.
    ///
    /// - Throws: `PostgresError`.
    package static func add(_ token: APIToken, on connection: PostgresConnection) async throws -> Int64 {
        try await connection.query(
            """
            insert into account.api_token (token, container, environment, name, origins, callback_url)
            values ($1, $2, $3, $4, $5, $6) returning created_at
            """,
            [
                .text(token.token), .text(token.container), .text(token.environment.rawValue), .text(token.name),
                .textArray(token.origins), .text(token.callbackURL),
            ])[0].milliseconds(0)
    }

    /// Revokes an API token. Returns false if it does not exist or has already been revoked.
    ///
    /// - Throws: `PostgresError`.
    package static func revokeAPIToken(_ token: String, on connection: PostgresConnection) async throws -> Bool {
        try await connection.query(
            "update account.api_token set revoked_at = now() where token = $1 and revoked_at is null",
            [.text(token)]
        ).affectedRows > 0
    }
}
