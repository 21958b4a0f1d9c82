internal import CloudKitModel
internal import PostgresClient
internal import SignedTokens

/// The accounts, their sign-ins, and the names by which containers know them. Each function is one round trip.
struct AccountStore: Sendable {
    let pool: PostgresPool
    /// Signs web auth tokens.
    let keys: SigningKeys

    /// The account of an e-mail address, whatever its case, and its password as ``PasswordHash`` has it; nil when there is
    /// none.
    ///
    /// - Throws: `PostgresError`.
    func account(email: String) async throws -> (account: Account, password: String?)? { nil }

    /// The account; nil when it is gone.
    ///
    /// - Throws: `PostgresError`.
    func account(id: Int64) async throws -> Account? { nil }

    /// The name by which `container` knows an account; made when it has none.
    ///
    /// - Throws: `PostgresError`.
    func userName(of account: Int64, in container: String) async throws -> String { "" }

    /// Those of the accounts with these e-mail addresses (without regard to case) that `container` knows.
    ///
    /// - Throws: `PostgresError`.
    func users(emails: [String], in container: String) async throws -> [ContainerUser] { [] }

    /// Those of the accounts with these user record names in `container`.
    ///
    /// - Throws: `PostgresError`.
    func users(names: [String], in container: String) async throws -> [ContainerUser] { [] }

    /// Signs an account in, and returns its first web auth token.
    ///
    /// - Throws: `PostgresError`.
    func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool
    ) async throws -> String { "" }

    /// Ends all sign-ins of an account, in all containers; returns how many there were.
    ///
    /// - Throws: `PostgresError`.
    func signOutEverywhere(_ account: Int64) async throws -> Int { 0 }

    /// An API token that is good; nil when there is none such or it was revoked.
    ///
    /// - Throws: `PostgresError`.
    func apiToken(_ token: String) async throws -> APIToken? { nil }
}
