internal import CloudKitModel
internal import GatewayStorage

/// The account operations that the sign-in pages use. Another way to identify users, such as OpenID Connect, would
/// replace ``account(email:)``; a sign-in would still end with
/// ``openSession(of:container:environment:staysSignedIn:source:)``.
protocol SignInStore: Sendable {
    /// Returns the account with the given email address, and the hash of its password; nil if there is no such
    /// account.
    ///
    /// - Throws: `PostgresError`.
    func account(email: String) async throws -> (account: Account, password: String?)?

    /// Returns the active API token with the given text; nil if there is none, or if it has been revoked.
    ///
    /// - Throws: `PostgresError`.
    func apiToken(_ token: String) async throws -> APIToken?

    /// Signs in to an account, and returns its first web auth token.
    ///
    /// - Throws: `PostgresError`.
    func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool, source: SignInSource
    ) async throws -> String

    /// Ends all sessions of an account, and returns their number.
    ///
    /// - Throws: `PostgresError`.
    func signOutEverywhere(_ account: Int64) async throws -> Int
}

extension AccountStore: SignInStore {}
