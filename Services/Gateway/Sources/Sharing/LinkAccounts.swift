internal import GatewayStorage

/// The account operations that ``LinkRoute`` and ``LinkQuestions`` use.
protocol LinkAccounts: Sendable {
    /// Returns the account with the given id and the hash of its password; nil if the account has been removed.
    ///
    /// - Throws: `PostgresError`.
    func visitor(id: Int64) async throws -> (account: Account, password: String?)?

    /// Returns the user record name of an account in `container`, creating it if necessary.
    ///
    /// - Throws: `PostgresError`.
    func userName(of account: Int64, in container: String) async throws -> String
}

extension AccountStore: LinkAccounts {}
