internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages

/// Asks the record service something with the eyes of the caller of a request.
struct RecordServiceClient: Sendable {
    /// How long one attempt may take.
    private static let maxWait = Duration.seconds(5)

    private static let headers = [
        Header.version, Header.container, Header.environment, Header.database, Header.user, Header.requestID,
        Header.trace,
    ]

    let call: RemoteCall
    /// How long it is asked for a caller who gave no deadline: a worker must not be kept for ever.
    var patience = Duration.seconds(60)

    /// The answer's body. Asks until there is an answer or the request's deadline has passed; without one, for a minute.
    ///
    /// - Throws: ``ServerError`` when the record service refuses the whole question (the container does not exist), or
    ///   `TRY_AGAIN_LATER` past the deadline; ``Withheld`` when the service is ending.
    func ask(_ operation: ServiceMessages.Operation, _ body: [UInt8], for request: OpenedRequest) async throws
        -> [UInt8]
    {
        var headers: AMQPTable = [:]
        for name in Self.headers { headers[name] = request.delivery.properties.headers[name] }
        return try await ask(operation, body, headers: headers, deadline: request.context.deadline)
    }

    /// As ``ask(_:_:for:)``, with the eyes of whom the headers name.
    ///
    /// - Throws: as ``ask(_:_:for:)``.
    func ask(
        _ operation: ServiceMessages.Operation, _ body: [UInt8], headers: AMQPTable, deadline: Int64?
    ) async throws -> [UInt8] {
        let question = AMQPMessage(
            exchange: Exchange.internal, routingKey: operation.rawValue,
            properties: AMQPProperties(contentType: "application/json", isPersistent: false, headers: headers),
            body: body)
        let reply = try await answer(to: question, deadline: deadline)
        if reply.properties.headers.int64(Header.status) != 200,
            let error = try WireReply(decoding: reply.body).error
        {
            throw error
        }
        return reply.body
    }

    private func answer(to question: AMQPMessage, deadline: Int64?) async throws -> AMQPDelivery {
        let deadline = deadline ?? SystemClock.milliseconds() + patience.milliseconds
        var question = question
        while true {
            let now = SystemClock.milliseconds()
            let wait = min(max(1, deadline - now), Self.maxWait.milliseconds)
            // Each attempt is dropped when nobody waits for it any more.
            question.properties.headers[Header.deadline] = .int64(now + wait)
            do {
                return try await call(question, .milliseconds(wait))
            } catch {
                if error.isEnding || Task.isCancelled { throw Withheld() }
                guard SystemClock.milliseconds() < deadline else {
                    throw ServerError(.recordServiceAway, "The record service cannot be reached")
                }
                // What was refused at once would be so again; a question without an answer has waited already.
                if error.code != .timedOut { try? await Task.sleep(for: .seconds(1)) }
            }
        }
    }
}
