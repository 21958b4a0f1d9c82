internal import CloudKitModel
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceMessages

/// What the gateway answers over HTTP: leads each request to the part that answers it, and gives every answer what all
/// have in common (web-services 1.4 and 1.5).
///
/// Targets have tokens and are never logged.
struct GatewayResponder: HTTPResponder {
    let endpoints: EndpointRoute
    /// Answers `/signin…`.
    let signIn: @Sendable (GatewayRequest) async throws -> GatewayAnswer
    /// Answers `/courier`, whose bodies are streams.
    let courier: @Sendable (Request, QueryParameters, any Channel) async throws -> Response
    /// Answers `/openapi.yaml` and `/docs`; nil: there is no such page.
    let documents: @Sendable (GatewayRequest) -> GatewayAnswer?
    let proxies: TrustedProxies
    let rates: RateLimits
    let bodies: RequestBodyReader
    let trouble: AnswerTrouble
    /// How long finding an answer may take, whatever it waits for.
    let answerTime: Duration
    let metrics: GatewayMetrics
    let logger: Logger

    func respond(to request: Request, context: GatewayRequestContext) async throws -> Response {
        let began = ContinuousClock.now
        metrics.began()
        let target = Self.originForm(request.head.path ?? "/")
        let (path, query) = Self.split(target)
        let route = RequestRoute(path: path)
        let gatewayRequest = GatewayRequest(
            method: request.method == .head ? .get : request.method, target: target, path: path,
            query: QueryParameters(query), headers: request.headers, body: [],
            address: proxies.client(peer: context.peer, headers: request.headers),
            requestID: UUID().uuidString.lowercased(),
            trace: HTTPField.Name(Header.trace).flatMap { request.headers[$0] }.flatMap { TraceParent($0) })
        let origin = WorkOrigin(requestID: gatewayRequest.requestID, trace: gatewayRequest.trace)
        return await WorkOrigin.$current.withValue(origin) {
            var response = await answer(gatewayRequest, request, route, on: context.channel)
            Self.complete(&response, of: gatewayRequest, route)
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
                return Response(status: .ok, headers: CrossOrigin.preflight(request.headers, allow: route.allow))
            }
            if case .courier = route {
                // HEAD would take a notification that nobody reads.
                guard raw.method == .get else { return notAllowed(request, route) }
                return try await courier(raw, request.query, channel)
            }
            if case .nowhere(let error) = route { throw error }
            guard Self.allows(route, request.method) else { return notAllowed(request, route) }
        } catch {
            return refusal(error, request, route).response
        }
        var request = request
        do {
            request.body = try await bodies.read(raw)
        } catch {
            return unread(error, request, route)
        }
        let answer = await RequestTask.answer(to: request, on: channel, within: answerTime) { [request] in
            await self.answer(whole: request, route)
        }
        if let answer { return answer.response }
        let time = answerTime.components.seconds
        logger.warning("no answer was found in time", metadata: ["operation": "\(route.name)"])
        return refusal(ServerError(.serviceAway, "There is no answer within \(time) s"), request, route).response
    }

    /// The answer to a request that was read.
    private func answer(whole request: GatewayRequest, _ route: RequestRoute) async -> GatewayAnswer {
        do {
            switch route {
            case .endpoint(let path): return await endpoints.answer(to: request, at: path)
            case .signIn: return try await signIn(request)
            case .documents: if let answer = documents(request) { return answer }
            case .courier, .nowhere: break
            }
            throw ServerError.endpointUnknown()
        } catch {
            return refusal(error, request, route)
        }
    }

    /// What an error is told as: to people as a page.
    private func refusal(_ error: any Error, _ request: GatewayRequest, _ route: RequestRoute) -> GatewayAnswer {
        let answer = trouble.answer(to: error, request.requestID)
        if case .signIn = route { return SignInPages.trouble(answer) }
        return answer
    }

    private static func allows(_ route: RequestRoute, _ method: HTTPRequest.Method) -> Bool {
        route.allow.split(separator: ",").contains { $0 == method.rawValue }
    }

    private func notAllowed(_ request: GatewayRequest, _ route: RequestRoute) -> Response {
        var answer = refusal(ServerError.methodNotAllowed(allow: route.allow), request, route)
        answer.status = 405
        answer.headers[.allow] = route.allow
        return answer.response
    }

    /// The answer to a request whose body was not taken. What is left of it is not read, so that the connection ends.
    private func unread(_ error: ServerError, _ request: GatewayRequest, _ route: RequestRoute) -> Response {
        var answer = refusal(error, request, route)
        if error.reasonCode == ReasonCode.limitExceeded.rawValue { answer.status = 413 }
        answer.headers[.connection] = "close"
        return answer.response
    }

    private static func complete(_ response: inout Response, of request: GatewayRequest, _ route: RequestRoute) {
        response.headers[.requestUUID] = request.requestID
        response.headers[.cloudKitVersion] = "1.0"
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if route.isCrossOrigin { CrossOrigin.allow(request.headers[.origin], in: &response.headers) }
    }

    /// The target from its first slash on: some clients of proxies send the address as a whole, which no signature covers.
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
