internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Reads records from the record service as the caller of a request.
struct RecordLookup: Sendable {
    private static let headers = [
        Header.version, Header.container, Header.environment, Header.database, Header.user, Header.requestID,
        Header.trace,
    ]

    let service: RecordServiceClient

    /// Reads one field of each record, with a single request. The result contains an item for each element of `wanted`,
    /// in the same order. An item can be an error. The request has the caller's headers, so that the record service
    /// applies the caller's permissions.
    ///
    /// - Parameter zoneID: the zone of all records, as the caller wrote it; null for the default zone.
    /// - Throws: the ``ServerError`` that the record service returns; `TRY_AGAIN_LATER` if the record service does not
    ///   answer; `ServiceStopping` if this service is stopping.
    func records(
        _ wanted: [(name: String, field: String)], in zoneID: JSONValue, for request: OpenedRequest
    ) async throws -> [JSONValue] {
        let records = wanted.map { ["recordName": .string($0.name), "desiredKeys": [.string($0.field)]] as JSONValue }
        var headers: AMQPTable = [:]
        for name in Self.headers { headers[name] = request.delivery.properties.headers[name] }
        let answer = try await service.ask(
            .recordsLookup, ["records": .array(records), "zoneID": zoneID], headers: headers,
            deadline: request.context.deadline)
        if let error = try WireReply(decoding: answer).error { throw error }
        guard let records = try JSONValue(parsing: answer)["records"]?.array, records.count == wanted.count else {
            throw ServerError.internalError()
        }
        return records
    }
}
