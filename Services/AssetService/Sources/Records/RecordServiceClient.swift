internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Sends requests to the record service on behalf of users.
struct RecordServiceClient: Sendable {
    /// The maximum time to wait for an answer, in milliseconds.
    private static let maxWait: Int64 = 20_000

    let client: AMQPRPCClient
    var exchange = Exchange.internal

    /// Sends a request and returns the body of the answer, which can be an error.
    ///
    /// - Parameters:
    ///   - headers: the headers, without the deadline.
    ///   - deadline: the deadline of the caller, in milliseconds since 1970; nil if the caller set no deadline.
    /// - Throws: `TRY_AGAIN_LATER` if the record service does not answer, or `ServiceStopping` if this service is
    ///   stopping.
    func ask(
        _ operation: ServiceMessages.Operation, _ body: JSONValue, headers: AMQPTable, deadline: Int64?
    ) async throws -> [UInt8] {
        let now = SystemClock.milliseconds()
        let wait = min(max(1, (deadline ?? .max) - now), Self.maxWait)
        var headers = headers
        headers[Header.deadline] = .int64(now + wait)
        let question = AMQPMessage(
            exchange: exchange, routingKey: operation.rawValue,
            properties: AMQPProperties(contentType: "application/json", isPersistent: false, headers: headers),
            body: body.encoded())
        do {
            return try await client.call(question, timeout: .milliseconds(wait)).body
        } catch {
            if error.code == .cancelled || error.code == .closed { throw ServiceStopping() }
            throw ServerError(.recordServiceAway, "The record service is temporarily unavailable", retryAfter: 2)
        }
    }
}
