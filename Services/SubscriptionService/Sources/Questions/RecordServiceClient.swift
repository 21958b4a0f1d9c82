internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages

/// Sends requests to the record service with a caller's identity.
struct RecordServiceClient: Sendable {
    /// The maximum wait for one reply.
    private static let maxWait = Duration.seconds(5)

    private static let headers = [
        Header.version, Header.container, Header.environment, Header.database, Header.user, Header.requestID,
        Header.trace,
    ]

    let call: RemoteCall
    /// How long a request without a deadline is retried. The time is limited because the request occupies a worker.
    var patience = Duration.seconds(60)

    /// Sends a request for the caller of `request` and returns the body of the reply. Retries until the caller's
    /// deadline or, if there is none, for ``patience``.
    ///
    /// - Throws: a ``ServerError`` if the record service refuses the whole request, `TRY_AGAIN_LATER` after the
    ///   deadline, or `ServiceStopping` if the service is shutting down.
    func ask(_ operation: ServiceMessages.Operation, _ body: [UInt8], for request: OpenedRequest) async throws
        -> [UInt8]
    {
        var headers: AMQPTable = [:]
        for name in Self.headers { headers[name] = request.delivery.properties.headers[name] }
        return try await ask(operation, body, headers: headers, deadline: request.context.deadline)
    }

    /// Sends a request like ``ask(_:_:for:)``, but for the caller that the headers name.
    ///
    /// - Throws: the same errors as ``ask(_:_:for:)``.
    func ask(
        _ operation: ServiceMessages.Operation, _ body: [UInt8], headers: AMQPTable, deadline: Int64?
    ) async throws -> [UInt8] {
        let message = AMQPMessage(
            exchange: Exchange.internal, routingKey: operation.rawValue,
            properties: AMQPProperties(contentType: "application/json", isPersistent: false, headers: headers),
            body: body)
        let reply = try await reply(to: message, deadline: deadline)
        if reply.properties.headers.int64(Header.status) != 200,
            let error = try WireReply(decoding: reply.body).error
        {
            throw error
        }
        return reply.body
    }

    private func reply(to message: AMQPMessage, deadline: Int64?) async throws -> AMQPDelivery {
        let deadline = deadline ?? SystemClock.milliseconds() + patience.milliseconds
        var message = message
        while true {
            let now = SystemClock.milliseconds()
            let wait = min(max(1, deadline - now), Self.maxWait.milliseconds)
            // After this time, the record service drops the request, because this client is no longer waiting for the
            // reply.
            message.properties.headers[Header.deadline] = .int64(now + wait)
            do {
                return try await call(message, .milliseconds(wait))
            } catch {
                if error.isEnding || Task.isCancelled { throw ServiceStopping() }
                guard SystemClock.milliseconds() < deadline else {
                    throw ServerError(.recordServiceAway, "The record service is temporarily unavailable")
                }
                // Without a pause, the next refusal would follow immediately. No pause is needed after a timeout.
                if error.code != .timedOut { try? await Task.sleep(for: .seconds(1)) }
            }
        }
    }
}
