internal import CloudKitModel
package import PostgresClient
package import SignedTokens

/// The schema `account`: accounts, their user record names in containers, sign-ins, API tokens and server-to-server
/// keys.
///
/// A function takes one round trip unless its comment says otherwise. A value with an invalid form is not looked up.
/// Functions with a parameter `connection` run in the caller's transaction.
package struct AccountStore: Sendable {
    /// The database.
    package let pool: PostgresPool
    /// Signs web auth tokens.
    package let keys: SigningKeys
    /// How long sign-ins last, and how many an account may have.
    package var sessionBounds: SessionBounds
    /// Called when sign-ins have ended or users were removed, and `account.departure` has new rows. It must return at
    /// once.
    package let onDeparture: @Sendable () -> Void
    /// Returns the time in milliseconds since 1970.
    package let now: @Sendable () -> Int64

    /// Creates the store of the tables in the database of `pool`.
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
    /// An environment.
    ///
    /// - Throws: when the name is of a later release: a check constraint of each table admits those that this one knows.
    func environment(_ column: Int) throws -> EnvironmentName {
        guard let name = EnvironmentName(rawValue: string(column)) else { throw UnknownEnvironment() }
        return name
    }
}

private struct UnknownEnvironment: Error {}
