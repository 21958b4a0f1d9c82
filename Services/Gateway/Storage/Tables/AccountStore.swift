internal import CloudKitModel
package import PostgresClient
package import SignedTokens

/// The operations on the `account` schema: accounts, their user record names in containers, sessions, API tokens and
/// server-to-server keys.
///
/// A function takes one round trip unless its comment says otherwise. Values with an invalid form are not looked up.
/// Functions with a `connection` parameter run in the caller's transaction.
package struct AccountStore: Sendable {
    /// The database.
    package let pool: PostgresPool
    /// The keys that sign web auth tokens.
    package let keys: SigningKeys
    /// The limits on sessions.
    package var sessionBounds: SessionBounds
    /// Called after sessions have ended or users have been removed, when `account.departure` has new rows. It must
    /// return immediately.
    package let onDeparture: @Sendable () -> Void
    /// Returns the current time, in milliseconds since 1970.
    package let now: @Sendable () -> Int64

    /// Creates a store that is accessed through `pool`.
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
    /// Decodes an environment.
    ///
    /// - Throws: an error if the name was added by a later release. In this release, check constraints admit only known
    ///   names.
    func environment(_ column: Int) throws -> EnvironmentName {
        guard let name = EnvironmentName(rawValue: string(column)) else { throw UnknownEnvironment() }
        return name
    }
}

private struct UnknownEnvironment: Error {}
