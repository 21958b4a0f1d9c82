internal import CloudKitModel
internal import HTTPServing
internal import HTTPTypes
internal import Logging
internal import ServiceMessages

/// The endpoints of web services: who asks, may they, and who answers.
struct EndpointRoute: Sendable {
    /// Returns when the head of a request proves enough to read its body: see ``Authenticator/admit(_:at:)``.
    let admits: @Sendable (GatewayRequest, EndpointPath) async throws -> Void
    /// Who asks.
    let authenticate: @Sendable (GatewayRequest, EndpointPath) async throws -> Caller
    /// Answers `users/…`.
    let users: @Sendable (GatewayRequest, EndpointPath, Caller) async throws -> GatewayAnswer
    let forwarder: RequestForwarder
    let rates: RateLimits
    /// For requests that are being answered.
    let turns: FairBudget
    let trouble: AnswerTrouble

    /// The answer, an error too. Whoever has signed in finds the next web auth token with it, whatever it is.
    func answer(to request: GatewayRequest, at path: EndpointPath) async -> GatewayAnswer {
        let holder = Holder(address: IPAddress(request.address)?.network, container: path.container)
        if let bound = turns.take(1, for: holder) {
            return trouble.answer(to: Self.tooBusy(bound), request.requestID)
        }
        defer { turns.giveBack(1, of: holder) }
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
            answer = trouble.answer(to: error, request.requestID)
        }
        // Of a sign-in that has just ended no token is good.
        if path.endpoint == .usersSignOut, answer.status == 200 { renewedToken = nil }
        if let renewedToken {
            answer.headers[.webAuthToken] = renewedToken
            answer.headers[.webAuthSession] = renewedToken
        }
        return answer
    }

    /// Returns when the body of a request may be read.
    ///
    /// - Throws: ``Refusal`` for credentials that are missing or wrong, as far as the head shows; `too_busy`,
    ///   `PostgresError`.
    func admit(_ request: GatewayRequest, at path: EndpointPath) async throws {
        let holder = Holder(address: IPAddress(request.address)?.network, container: path.container)
        if let bound = turns.take(1, for: holder) { throw Self.tooBusy(bound) }
        defer { turns.giveBack(1, of: holder) }
        try await admits(request, path)
    }

    private static func tooBusy(_ bound: FairBudget.Bound) -> ServerError {
        .tooBusy("answers as many requests as it may", bound)
    }

    private func answer(
        to request: GatewayRequest, at path: EndpointPath, for caller: Caller
    ) async throws -> GatewayAnswer {
        switch path.endpoint.answerer {
        case .service(let operation):
            var answer = try await forwarder.answer(to: request, operation, at: path, for: caller)
            let mayNameSignIn = answer.status == 421 || operation.isWrite && caller.kind == .world
            guard mayNameSignIn, let url = caller.signInURL?() else { return answer }
            if SignInOffer.isAllThatIsLeft(answer) {
                throw ServerError(.authenticationRequired, "request needs authorization", field: "ckWebAuthToken")
            }
            // Some of the records were saved: the others' errors name the page.
            SignInOffer.add(url, to: &answer)
            return answer
        case .accounts:
            return try await users(request, path, caller)
        case .nobody:
            throw ServerError(.sharingNotServed, "Sharing is not served yet", field: "url")
        }
    }
}
