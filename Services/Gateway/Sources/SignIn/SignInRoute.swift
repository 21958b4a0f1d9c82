internal import CloudKitModel

/// The sign-in pages, under `/signin`.
struct SignInRoute: Sendable {
    let accounts: AccountStore
    let link: SignInLink

    /// The page or redirect.
    ///
    /// - Throws: `ServerError`, `PostgresError`.
    func answer(to request: GatewayRequest) async throws -> GatewayAnswer {
        throw Refusal(.internalError())
    }
}
