internal import Foundation
internal import GatewayStorage

/// The account operations that the `users/…` endpoints use. Each function takes one round trip.
protocol UserDirectory: Sendable {
    /// Returns the account with the given id; nil if it has been removed.
    ///
    /// - Throws: `PostgresError`.
    func account(id: Int64) async throws -> Account?

    /// Returns the users of `container` whose accounts have these email addresses, ignoring case.
    ///
    /// - Throws: `PostgresError`.
    func users(emails: [String], in container: String) async throws -> [ContainerUser]

    /// Returns the users of `container` with these user record names.
    ///
    /// - Throws: `PostgresError`.
    func users(names: [String], in container: String) async throws -> [ContainerUser]

    /// Ends a session. Returns false if it had already ended.
    ///
    /// - Throws: `PostgresError`.
    func endSession(_ id: UUID) async throws -> Bool
}

extension AccountStore: UserDirectory {}
