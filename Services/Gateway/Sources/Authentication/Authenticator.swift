internal import CloudKitModel

/// Finds out who sends a request, and whether they may ask what they ask (web-services 4).
struct Authenticator: Sendable {
    let accounts: AccountStore
    let signIn: SignInLink

    /// The caller.
    ///
    /// - Throws: ``Refusal`` when the credentials are missing, wrong or not enough; `PostgresError`.
    func authenticate(_ request: GatewayRequest, at path: EndpointPath) async throws -> Caller {
        throw Refusal(ServerError.internalError())
    }
}

/// Why a caller is turned away.
struct Refusal: Error {
    /// What is told.
    var error: ServerError
    /// Where to sign in; with `AUTHENTICATION_REQUIRED` only.
    var redirectURL: String?

    /// A refusal with that error.
    init(_ error: ServerError, redirectURL: String? = nil) {
        self.error = error
        self.redirectURL = redirectURL
    }
}
