internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages

/// Sends requests to the record service with the identity of a caller.
struct RecordServiceClient: Sendable {
    /// The longest wait for one reply.
    private static let maxWait = Duration.seconds(5)

    private static let headers = [
        Header.version, Header.container, Header.environment, Header.database, Header.user, Header.requestID,
        Header.trace,
    ]

    let call: RemoteCall
    /// How long a request is retried for a caller without a deadline, because it occupies a worker.
    var patience = Duration.seconds(60)

    /// Sends a request for the caller of `request` and returns the body of the reply. Retries until the caller's
    /// deadline, or for a minute if there is none.
    ///
    /// - Throws: the ``ServerError`` with which the record service refuses the whole request, `TRY_AGAIN_LATER` past
    ///   the deadline, or `ServiceStopping` when the service is shutting down.
    func ask(_ operation: ServiceMessages.Operation, _ body: [UInt8], for request: OpenedRequest) async throws
        -> [UInt8]
    {
        var headers: AMQPTable = [:]
        for name in Self.headers { headers[name] = request.delivery.properties.headers[name] }
        return try await ask(operation, body, headers: headers, deadline: request.context.deadline)
    }

    /// As ``ask(_:_:for:)``, for the caller that the headers name.
    ///
    /// - Throws: as ``ask(_:_:for:)``.
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
            // The record service drops the attempt when this client no longer waits for it.
            message.properties.headers[Header.deadline] = .int64(now + wait)
            do {
                return try await call(message, .milliseconds(wait))
            } catch {
                if error.isEnding || Task.isCancelled { throw ServiceStopping() }
                guard SystemClock.milliseconds() < deadline else {
                    throw ServerError(.recordServiceAway, "The record service is temporarily unavailable")
                }
                // A refusal would be repeated at once. A timeout has already waited.
                if error.code != .timedOut { try? await Task.sleep(for: .seconds(1)) }
            }
        }
    }
}
