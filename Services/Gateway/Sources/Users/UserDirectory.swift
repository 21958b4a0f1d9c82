internal import Foundation
internal import GatewayStorage

/// What `users/…` needs of the accounts. Each function is one round trip.
protocol UserDirectory: Sendable {
    /// The account; nil when it is gone.
    ///
    /// - Throws: `PostgresError`.
    func account(id: Int64) async throws -> Account?

    /// Those of the accounts with these e-mail addresses (without regard to case) that `container` knows.
    ///
    /// - Throws: `PostgresError`.
    func users(emails: [String], in container: String) async throws -> [ContainerUser]

    /// Those of the accounts with these user record names in `container`.
    ///
    /// - Throws: `PostgresError`.
    func users(names: [String], in container: String) async throws -> [ContainerUser]

    /// Ends a sign-in; false when it had ended.
    ///
    /// - Throws: `PostgresError`.
    func endSession(_ id: UUID) async throws -> Bool
}

extension AccountStore: UserDirectory {}
