internal import CloudKitModel

/// `users/…`: answered from the accounts (web-services 2.17).
struct UsersOperations: Sendable {
    let accounts: AccountStore

    /// The answer to a caller who has signed in, or to a server-to-server key.
    ///
    /// - Throws: `ServerError`, `PostgresError`.
    func answer(to request: GatewayRequest, at path: EndpointPath, for caller: Caller) async throws -> GatewayAnswer {
        throw Refusal(.internalError())
    }
}
