internal import CloudKitModel
package import PostgresClient
package import SignedTokens

/// The schema `account`: accounts, the names by which containers know them, sign-ins, API tokens and server-to-server
/// keys.
///
/// A function costs one round trip unless its comment says otherwise. A value that cannot be a name of anything is not
/// looked up. Functions with a parameter `connection` run in the caller's transaction.
package struct AccountStore: Sendable {
    /// The database.
    package let pool: PostgresPool
    /// Signs web auth tokens.
    package let keys: SigningKeys
    /// How long sign-ins last, and how many an account may have.
    package var sessionBounds: SessionBounds
    /// Called after sign-ins or users were ended, when rows of `account.departure` wait. It must return at once.
    package let onDeparture: @Sendable () -> Void
    /// The time, milliseconds since 1970.
    package let now: @Sendable () -> Int64

    /// The tables in the database of `pool`.
    package init(
        pool: PostgresPool, keys: SigningKeys, sessionBounds: SessionBounds = SessionBounds(),
        onDeparture: @escaping @Sendable () -> Void = {}, now: @escaping @Sendable () -> Int64
    ) {
        self.pool = pool
        self.keys = keys
        self.sessionBounds = sessionBounds
        self.onDeparture = onDeparture
        self.now = now
    }

    /// Runs one statement.
    ///
    /// - Throws: `PostgresError`.
    func rows(_ sql: String, _ parameters: [PostgresParameter]) async throws -> PostgresResult {
        try await pool.withConnection { try await $0.query(PostgresStatement(sql), parameters) }
    }
}

extension PostgresRow {
    /// An environment; a check constraint of each table admits no other name.
    func environment(_ column: Int) -> EnvironmentName { EnvironmentName(rawValue: string(column)) ?? .development }
}
