internal import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// Forwards requests to the services over AMQP: the body unchanged, with headers that name the database and the user
/// (`deploy/docs/messages.md`, Requests).
struct RequestForwarder: Sendable {
    /// The time after a request's deadline during which a reply is still accepted. A service that gives up at the
    /// deadline replies with an error.
    private static let grace = Duration.seconds(1)
    /// The maximum wait while there is no connection to the broker. The limit keeps requests from accumulating, and
    /// lets their clients try another gateway.
    private static let maxWaitForBroker = Duration.seconds(5)

    let call: RemoteCall
    /// Whether there is a connection to the broker.
    let isConnected: @Sendable () -> Bool
    /// The gateway's broker user, which the broker verifies.
    let userID: String
    /// The time within which a service must answer.
    let requestTime: Duration
    let logger: Logger

    /// Returns the service's answer. Its status and bytes are unchanged, except that a sync token is added if the
    /// client requested one (``CurrentSyncToken``).
    ///
    /// - Throws: `request_malformed` for an invalid parameter or header, `invalid_json`, or `service_away` if no reply
    ///   arrives in time.
    func answer(
        to request: GatewayRequest, _ operation: ServiceMessages.Operation, at path: EndpointPath, for caller: Caller
    ) async throws(ServerError) -> GatewayAnswer {
        let syncToken = try await syncToken(for: request, at: path, caller)
        var answer = try await reply(to: request, operation, at: path, for: caller)
        if let syncToken { CurrentSyncToken.add(syncToken, to: &answer) }
        return answer
    }

    private func syncToken(
        for request: GatewayRequest, at path: EndpointPath, _ caller: Caller
    ) async throws(ServerError) -> String? {
        guard CurrentSyncToken.isWanted(by: request, path.endpoint),
            let question = CurrentSyncToken.question(about: request.body)
        else { return nil }
        var lookup = request
        lookup.body = question
        lookup.headers[.idempotencyKey] = nil
        return CurrentSyncToken.token(in: try await reply(to: lookup, .zonesLookup, at: path, for: caller))
    }

    private func reply(
        to request: GatewayRequest, _ operation: ServiceMessages.Operation, at path: EndpointPath, for caller: Caller
    ) async throws(ServerError) -> GatewayAnswer {
        let time = isConnected() ? requestTime : min(requestTime, Self.maxWaitForBroker)
        let message = try message(of: request, operation, at: path, for: caller, within: time)
        do throws(AMQPError) {
            return try answer(in: try await call(message, time + Self.grace))
        } catch {
            throw serverError(of: error, operation, time)
        }
    }

    /// Returns the request as a message.
    func message(
        of request: GatewayRequest, _ operation: ServiceMessages.Operation, at path: EndpointPath, for caller: Caller,
        within time: Duration
    ) throws(ServerError) -> AMQPMessage {
        let body = try JSONBody.forwarded(request.body, isGet: request.method != .post)
        let now = SystemClock.milliseconds()
        var headers: AMQPTable = [
            Header.version: 1, Header.container: .string(path.container),
            Header.environment: .string(path.environment.rawValue),
            Header.database: .string(path.database.wireName), Header.user: .string(caller.userName),
            Header.interface: .string(RequestContext.web), Header.requestID: .string(request.requestID),
            Header.deadline: .int64(now + Int64(time / .milliseconds(1))),
        ]
        if let client = request.query["clientId"], !client.isEmpty {
            headers[Header.client] = .string(try checked(client, field: "clientId"))
        }
        // When a session ends, the clients that were registered with it are removed.
        if let session = caller.session, [.tokensCreate, .tokensRegister].contains(operation) {
            headers[Header.session] = .string(session.uuidString.lowercased())
        }
        if let email = caller.email { headers[Header.identity] = .string(email) }
        headers.set(request.trace)
        let key = try request.headers[.idempotencyKey].map { key throws(ServerError) in
            try checked(key, field: "Idempotency-Key")
        }
        return AMQPMessage(
            exchange: operation.exchange, routingKey: operation.rawValue,
            properties: AMQPProperties(
                messageID: key ?? request.requestID, contentType: "application/json", userID: userID,
                timestamp: UInt64(max(0, now / 1000)), isPersistent: operation.isWrite, headers: headers),
            body: body)
    }

    /// Checks that text is valid as an AMQP short string: 1 to 255 bytes without control characters.
    private func checked(_ text: String, field: String) throws(ServerError) -> String {
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ServerError(
                .requestMalformed, "'\(field)' must be 1 to 255 bytes long and contain no control characters",
                field: field)
        }
        return text
    }

    /// Reads a reply. A malformed reply is an internal error and is not passed to the client.
    private func answer(in reply: AMQPDelivery) throws(AMQPError) -> GatewayAnswer {
        guard let status = reply.properties.headers.int64(Header.status), (200...599).contains(status),
            reply.body.first == UInt8(ascii: "{"), reply.body.last == UInt8(ascii: "}")
        else { throw AMQPError(.protocolViolation, "the reply is not a web services response") }
        var answer = GatewayAnswer(status: Int(status), json: reply.body)
        if status == 429 || status == 503 { answer.headers[.retryAfter] = Self.retryAfter(reply.body) }
        return answer
    }

    /// Returns the value of the `Retry-After` header: the number after `"retryAfter":` in an error's body. Quotes
    /// within strings are escaped, so the text occurs only as a key.
    private static func retryAfter(_ body: [UInt8]) -> String? {
        let text = String(decoding: body.prefix(2048), as: UTF8.self)
        guard let key = text.firstRange(of: "\"retryAfter\":") else { return nil }
        let digits = text[key.upperBound...].prefix { $0.isASCII && $0.isNumber }
        return digits.isEmpty ? nil : String(digits)
    }

    private func serverError(
        of error: AMQPError, _ operation: ServiceMessages.Operation, _ time: Duration
    ) -> ServerError {
        guard !error.isEnding else { return .gatewayEnding() }
        let isFault = [.refused, .protocolViolation].contains(error.code)
        logger.log(
            level: isFault ? .error : .warning, "a request was not answered",
            metadata: ["operation": "\(operation.rawValue)", "error": "\(error)"])
        guard !isFault else { return .internalError() }
        return ServerError(
            .serviceAway,
            error.code == .timedOut
                ? "No service answered within \(time.components.seconds) s"
                : "The \(operation.service.rawValue) service cannot be reached")
    }
}
