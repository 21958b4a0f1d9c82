internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Reads records from the record service as the caller of a request.
struct RecordLookup: Sendable {
    /// The maximum time to wait for the answer, in milliseconds.
    private static let maxWait: Int64 = 20_000

    private static let headers = [
        Header.version, Header.container, Header.environment, Header.database, Header.user, Header.requestID,
        Header.trace,
    ]

    let client: AMQPRPCClient
    var exchange = Exchange.internal

    /// Reads one field of each record, with a single request. The result contains an item for each element of `wanted`,
    /// in the same order. An item can be an error.
    ///
    /// - Parameter zoneID: the zone of all records, as the caller wrote it; null for the default zone.
    /// - Throws: the ``ServerError`` that the record service returns; `TRY_AGAIN_LATER` if the record service does not
    ///   answer; `ServiceStopping` if this service is stopping.
    func records(
        _ wanted: [(name: String, field: String)], in zoneID: JSONValue, for request: OpenedRequest
    ) async throws -> [JSONValue] {
        let now = SystemClock.milliseconds()
        let wait = min(max(1, (request.context.deadline ?? .max) - now), Self.maxWait)
        let answer = try await ask(question(wanted, zoneID, request, deadline: now + wait), .milliseconds(wait))
        if let error = try WireReply(decoding: answer).error { throw error }
        guard let records = try JSONValue(parsing: answer)["records"]?.array, records.count == wanted.count else {
            throw ServerError.internalError()
        }
        return records
    }

    private func ask(_ question: AMQPMessage, _ wait: Duration) async throws -> [UInt8] {
        do {
            return try await client.call(question, timeout: wait).body
        } catch {
            if error.code == .cancelled || error.code == .closed { throw ServiceStopping() }
            throw ServerError(.recordServiceAway, "The record service is temporarily unavailable", retryAfter: 2)
        }
    }

    /// Returns a request with the caller's headers, so that the record service applies the caller's permissions.
    private func question(
        _ wanted: [(name: String, field: String)], _ zoneID: JSONValue, _ request: OpenedRequest, deadline: Int64
    ) -> AMQPMessage {
        let records = wanted.map { ["recordName": .string($0.name), "desiredKeys": [.string($0.field)]] as JSONValue }
        let body: JSONValue = ["records": .array(records), "zoneID": zoneID]
        var headers: AMQPTable = [:]
        for name in Self.headers { headers[name] = request.delivery.properties.headers[name] }
        headers[Header.deadline] = .int64(deadline)
        return AMQPMessage(
            exchange: exchange, routingKey: Operation.recordsLookup.rawValue,
            properties: AMQPProperties(contentType: "application/json", isPersistent: false, headers: headers),
            body: body.encoded())
    }
}
