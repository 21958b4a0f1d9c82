internal import CloudKitModel
internal import GatewayStorage

/// What the sign-in pages need of the accounts. With another way to prove who somebody is, such as OpenID Connect, the
/// pages would ask that instead of ``account(email:)``, and go on with ``openSession(of:container:environment:staysSignedIn:source:)``.
protocol SignInStore: Sendable {
    /// The account of an e-mail address and its password's hash; nil when there is none.
    ///
    /// - Throws: `PostgresError`.
    func account(email: String) async throws -> (account: Account, password: String?)?

    /// An API token that is good.
    ///
    /// - Throws: `PostgresError`.
    func apiToken(_ token: String) async throws -> APIToken?

    /// Signs an account in, and returns its first web auth token.
    ///
    /// - Throws: `PostgresError`.
    func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool, source: SignInSource
    ) async throws -> String

    /// Ends all sign-ins of an account; returns how many there were.
    ///
    /// - Throws: `PostgresError`.
    func signOutEverywhere(_ account: Int64) async throws -> Int
}

extension AccountStore: SignInStore {}
