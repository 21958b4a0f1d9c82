internal import Foundation
internal import GatewayStorage

/// The part of the accounts that `users/…` uses. Each function costs one round trip.
protocol UserDirectory: Sendable {
    /// The account with an id; nil when it was removed.
    ///
    /// - Throws: `PostgresError`.
    func account(id: Int64) async throws -> Account?

    /// Users of `container` whose accounts have these e-mail addresses, in any case.
    ///
    /// - Throws: `PostgresError`.
    func users(emails: [String], in container: String) async throws -> [ContainerUser]

    /// Users of `container` with these user record names.
    ///
    /// - Throws: `PostgresError`.
    func users(names: [String], in container: String) async throws -> [ContainerUser]

    /// Ends a sign-in; false when it had ended before.
    ///
    /// - Throws: `PostgresError`.
    func endSession(_ id: UUID) async throws -> Bool
}

extension AccountStore: UserDirectory {}
