internal import CloudKitModel
internal import HTTPServing
internal import HTTPTypes
internal import Logging
internal import ServiceMessages

/// Answers requests to endpoints: authenticates the caller, applies the limits, and passes the request on.
struct EndpointRoute: Sendable {
    /// Checks the credentials in a request's head: see ``Authenticator/admit(_:at:)``.
    let admits: @Sendable (GatewayRequest, EndpointPath) async throws -> Void
    /// Identifies the caller: see ``Authenticator/authenticate(_:at:)``.
    let authenticate: @Sendable (GatewayRequest, EndpointPath) async throws -> Caller
    /// Answers `users/…`.
    let users: @Sendable (GatewayRequest, EndpointPath, Caller) async throws -> GatewayAnswer
    /// Returns a caller's verified email address; nil if there is none.
    var email: @Sendable (Caller) async throws -> String? = { _ in nil }
    let forwarder: RequestForwarder
    let rates: RateLimits
    /// The limit on the number of requests that are answered concurrently.
    let permits: FairBudget
    let errors: ErrorAnswers

    /// Returns the response, which may be an error. Every response to a user who has signed in contains the next web
    /// auth token.
    func answer(to request: GatewayRequest, at path: EndpointPath) async -> GatewayAnswer {
        let holder = Holder(address: IPAddress(request.address)?.network, container: path.container)
        if let bound = permits.take(1, for: holder) {
            return errors.answer(to: Self.tooBusy(bound), request.requestID)
        }
        defer { permits.giveBack(1, of: holder) }
        var renewedToken: String?
        var answer: GatewayAnswer
        do {
            let caller = try await authenticate(request, path)
            renewedToken = caller.renewedToken
            try rates.admit(caller, in: path.container)
            do {
                answer = try await self.answer(to: request, at: path, for: caller)
            } catch let error as ServerError where error.code == .authenticationRequired {
                throw Refusal(error, redirectURL: caller.signInURL?())
            }
        } catch {
            answer = errors.answer(to: error, request.requestID)
        }
        // Signing out has ended the session, so the new token is not valid.
        if path.endpoint == .usersSignOut, answer.status == 200 { renewedToken = nil }
        if let renewedToken {
            answer.headers[.webAuthToken] = renewedToken
            answer.headers[.webAuthSession] = renewedToken
        }
        return answer
    }

    /// Checks whether the gateway should read the body of a request.
    ///
    /// - Throws: ``Refusal`` if the credentials in the head are missing or wrong, `too_busy`, or `PostgresError`.
    func admit(_ request: GatewayRequest, at path: EndpointPath) async throws {
        let holder = Holder(address: IPAddress(request.address)?.network, container: path.container)
        if let bound = permits.take(1, for: holder) { throw Self.tooBusy(bound) }
        defer { permits.giveBack(1, of: holder) }
        try await admits(request, path)
    }

    /// The operations that compare the caller's email address with invitations to shares.
    private static let matchesInvitations: Set<ServiceMessages.Operation> = [
        .recordsResolve, .recordsAccept, .sharesRequestAccess,
    ]

    private static func tooBusy(_ bound: FairBudget.Bound) -> ServerError {
        .tooBusy("is answering the maximum number of requests", bound)
    }

    private func answer(
        to request: GatewayRequest, at path: EndpointPath, for caller: Caller
    ) async throws -> GatewayAnswer {
        switch path.endpoint.answerer {
        case .service(let operation):
            var caller = caller
            if Self.matchesInvitations.contains(operation) { caller.email = try await email(caller) }
            var answer = try await forwarder.answer(to: request, operation, at: path, for: caller)
            let mayNameSignIn = answer.status == 421 || operation.isWrite && caller.kind == .world
            guard mayNameSignIn, let url = caller.signInURL?() else { return answer }
            if SignInRedirect.isOnlyRemedy(for: answer) {
                throw ServerError(.authenticationRequired, "request needs authorization", field: "ckWebAuthToken")
            }
            // Some of the records were saved. The address of the sign-in page is added to the errors for the other
            // records.
            SignInRedirect.add(url, to: &answer)
            return answer
        case .accounts:
            return try await users(request, path, caller)
        }
    }
}
