internal import CloudKitModel
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceMessages

/// Routes each request to the part that answers it, and adds the common header fields to every response (web-services
/// 1.4 and 1.5).
///
/// Request targets can contain tokens, so they are never logged.
struct GatewayResponder: HTTPResponder {
    let endpoints: EndpointRoute
    /// Answers `/signin…`.
    let signIn: @Sendable (GatewayRequest) async throws -> GatewayAnswer
    /// Answers `/share/…`.
    let link: @Sendable (GatewayRequest) async throws -> GatewayAnswer
    /// Answers `/courier`, whose bodies are streams.
    let courier: @Sendable (Request, QueryParameters, any Channel) async throws -> Response
    /// Answers `/openapi.yaml` and `/docs`; returns nil if there is no such page.
    let documents: @Sendable (GatewayRequest) -> GatewayAnswer?
    let proxies: TrustedProxies
    let peers: PeerWatch
    /// Whether clients use https to reach the gateway. If so, responses require it (HSTS).
    let isSecure: Bool
    let rates: RateLimits
    let bodies: RequestBodyReader
    let errors: ErrorAnswers
    /// The maximum time for a response, including all waits.
    let answerTime: Duration
    let metrics: GatewayMetrics
    let logger: Logger

    func respond(to request: Request, context: GatewayRequestContext) async throws -> Response {
        let began = ContinuousClock.now
        metrics.began()
        peers.note(peer: context.peer, request.headers)
        let origin = RequestOrigin(request.headers)
        let target = Self.originForm(request.head.path ?? "/")
        let (path, query) = Self.split(target)
        let route = RequestRoute(path: path)
        let gatewayRequest = GatewayRequest(
            method: request.method == .head ? .get : request.method, target: target, path: path,
            query: QueryParameters(query), headers: request.headers, body: [],
            address: proxies.client(peer: context.peer, headers: request.headers),
            requestID: origin.requestID, trace: origin.trace)
        return await WorkOrigin.$current.withValue(origin.work) {
            var response = await answer(gatewayRequest, request, route, on: context.channel)
            complete(&response, of: gatewayRequest, route)
            let time = ContinuousClock.now - began
            metrics.ended(route.name, status: response.status.code, after: time)
            logger.debug(
                "answered",
                metadata: [
                    "operation": "\(route.name)", "status": "\(response.status.code)",
                    "seconds": "\(time / .seconds(1))",
                ])
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    private func answer(
        _ request: GatewayRequest, _ raw: Request, _ route: RequestRoute, on channel: any Channel
    ) async -> Response {
        do {
            try rates.admit(address: request.address)
            if request.method == .options, route.isCrossOrigin {
                var headers = CrossOrigin.cloudKit.preflight(request.headers, allow: route.allow)
                if BodyGate.holdsBack(request.headers) { headers[.connection] = "close" }
                return Response(status: .ok, headers: headers)
            }
            if case .courier = route {
                // HEAD would take a notification from the queue and discard it.
                guard raw.method == .get else { return notAllowed(request, route) }
                var response = try await courier(raw, request.query, channel)
                if BodyGate.holdsBack(request.headers) { response.headers[.connection] = "close" }
                return response
            }
            if case .unknown(let error) = route { throw error }
            guard Self.allows(route, request.method) else { return notAllowed(request, route) }
        } catch {
            return closed(refusal(error, request, route), request).response
        }
        var request = request
        let maxBytes = route.maxBodyBytes(bodies.maxBytes)
        do {
            try bodies.check(request.headers, maxBytes: maxBytes)
            try await admitBody(of: request, route, on: channel)
        } catch {
            return closed(refusal(error, request, route), request).response
        }
        do {
            request.body = try await bodies.read(raw, maxBytes: maxBytes)
        } catch {
            return unread(error, request, route)
        }
        let answer = await RequestTask.value(of: request, on: channel, within: answerTime) { [request] in
            await self.answer(whole: request, route)
        }
        return (answer ?? tooLate(request, route)).response
    }

    /// Checks the credentials of a request whose body ``BodyGate`` holds back, and admits the body.
    ///
    /// - Throws: the error with which the credentials are refused.
    private func admitBody(of request: GatewayRequest, _ route: RequestRoute, on channel: any Channel) async throws {
        guard BodyGate.holdsBack(request.headers) else { return }
        var holder = Holder(address: IPAddress(request.address)?.network)
        if case .endpoint(let path) = route {
            let verdict = await RequestTask.value(of: request, on: channel, within: answerTime) {
                do {
                    try await endpoints.admit(request, at: path)
                    return Result<Void, any Error>.success(())
                } catch {
                    return .failure(error)
                }
            }
            guard let verdict else { throw noAnswer(route) }
            try verdict.get()
            holder.container = path.container
        }
        let admission = BodyAdmission(holder: holder, maxBytes: route.maxBodyBytes(bodies.maxBytes))
        channel.triggerUserOutboundEvent(admission, promise: nil)
    }

    private func tooLate(_ request: GatewayRequest, _ route: RequestRoute) -> GatewayAnswer {
        refusal(noAnswer(route), request, route)
    }

    private func noAnswer(_ route: RequestRoute) -> ServerError {
        logger.warning("no response in time", metadata: ["operation": "\(route.name)"])
        return ServerError(.serviceAway, "No response was available within \(answerTime.components.seconds) s")
    }

    /// Returns the response to a request whose body was not admitted and is not read. The connection closes after the
    /// response.
    private func closed(_ answer: GatewayAnswer, _ request: GatewayRequest) -> GatewayAnswer {
        var answer = answer
        if answer.error?.reasonCode == ReasonCode.limitExceeded.rawValue { answer.status = 413 }
        if BodyGate.holdsBack(request.headers) { answer.headers[.connection] = "close" }
        return answer
    }

    /// Returns the response to a request that has been read completely.
    private func answer(whole request: GatewayRequest, _ route: RequestRoute) async -> GatewayAnswer {
        do {
            switch route {
            case .endpoint(let path): return await endpoints.answer(to: request, at: path)
            case .signIn: return try await signIn(request)
            case .link: return try await link(request)
            case .documents: if let answer = documents(request) { return answer }
            case .courier, .unknown: break
            }
            throw ServerError.endpointUnknown()
        } catch {
            return refusal(error, request, route)
        }
    }

    /// Returns the response for an error. For routes on which users expect pages, the response is a page.
    private func refusal(_ error: any Error, _ request: GatewayRequest, _ route: RequestRoute) -> GatewayAnswer {
        let answer = errors.answer(to: error, request.requestID)
        return route.isPage ? SignInPages.error(answer) : answer
    }

    private static func allows(_ route: RequestRoute, _ method: HTTPRequest.Method) -> Bool {
        route.allow.split(separator: ",").contains { $0 == method.rawValue }
    }

    private func notAllowed(_ request: GatewayRequest, _ route: RequestRoute) -> Response {
        var answer = refusal(ServerError.methodNotAllowed(allow: route.allow), request, route)
        answer.status = 405
        answer.headers[.allow] = route.allow
        return closed(answer, request).response
    }

    /// Returns the response to a request whose body was refused. The rest of the body is not read, so the connection
    /// closes.
    private func unread(_ error: ServerError, _ request: GatewayRequest, _ route: RequestRoute) -> Response {
        var answer = refusal(error, request, route)
        if error.reasonCode == ReasonCode.limitExceeded.rawValue { answer.status = 413 }
        answer.headers[.connection] = "close"
        return answer.response
    }

    private func complete(_ response: inout Response, of request: GatewayRequest, _ route: RequestRoute) {
        response.headers[.requestUUID] = request.requestID
        response.headers[.cloudKitVersion] = "1.0"
        response.headers[.xContentTypeOptions] = "nosniff"
        if isSecure { response.headers[.strictTransportSecurity] = Self.strictTransport }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if route.isCrossOrigin { CrossOrigin.cloudKit.allow(request.headers[.origin], in: &response.headers) }
    }

    /// The value of `Strict-Transport-Security`: one year, and only for this host, because its subdomains might belong
    /// to someone else.
    private static let strictTransport = "max-age=31536000"

    /// Returns the target, beginning at the first slash of its path. Clients that use a proxy might send the absolute
    /// form, which signatures do not cover.
    private static func originForm(_ target: String) -> String {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return target }
        let rest = target[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    private static func split(_ target: String) -> (path: String, query: Substring) {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (target, "") }
        return (String(target[..<mark]), target[target.utf8.index(after: mark)...])
    }
}
