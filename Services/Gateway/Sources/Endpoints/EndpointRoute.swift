internal import CloudKitModel
internal import HTTPTypes
internal import Logging
internal import ServiceMessages

/// The endpoints of web services: who asks, may they, and who answers.
struct EndpointRoute: Sendable {
    /// Who asks.
    let authenticate: @Sendable (GatewayRequest, EndpointPath) async throws -> Caller
    /// Answers `users/…`.
    let users: @Sendable (GatewayRequest, EndpointPath, Caller) async throws -> GatewayAnswer
    let forwarder: RequestForwarder
    let rates: RateLimits
    /// For requests that are being answered.
    let turns: Places
    let trouble: AnswerTrouble

    /// The answer, an error too. Whoever has signed in finds the next web auth token with it, whatever it is.
    func answer(to request: GatewayRequest, at path: EndpointPath) async -> GatewayAnswer {
        guard turns.take() else {
            return trouble.answer(
                to: ServerError(.tooBusy, "The server answers as many requests as it may"), request.requestID)
        }
        defer { turns.giveBack() }
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
        if let renewedToken {
            answer.headers[.webAuthToken] = renewedToken
            answer.headers[.webAuthSession] = renewedToken
        }
        return answer
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
