internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Announces to the record service what query subscriptions ask for, and learns what it makes of it.
struct InterestCheck: Sendable {
    let client: RecordServiceClient

    /// What becomes of each query, in their order. From then on the values of its type are in the change log.
    ///
    /// - Throws: as ``RecordServiceClient/ask(_:_:for:)``.
    func announce(_ queries: [WatchedQuery], for request: OpenedRequest) async throws
        -> [Result<QueryInterest, ServerError>]
    {
        guard !queries.isEmpty else { return [] }
        let reply = try await client.ask(.interestsSet, Self.body(queries), for: request)
        return try Self.interests(reply, count: queries.count, user: request.context.user)
    }

    /// As ``announce(_:for:)``, for a user whom no request names.
    ///
    /// - Throws: as ``RecordServiceClient/ask(_:_:for:)``.
    func announce(_ queries: [WatchedQuery], of user: String, in zone: ZoneAddress) async throws
        -> [Result<QueryInterest, ServerError>]
    {
        let headers: AMQPTable = [
            Header.version: 1, Header.container: .string(zone.container), Header.environment: .string(zone.environment),
            Header.database: .string(zone.scope), Header.user: .string(user),
        ]
        let reply = try await client.ask(.interestsSet, Self.body(queries), headers: headers, deadline: nil)
        return try Self.interests(reply, count: queries.count, user: user)
    }

    private static func body(_ queries: [WatchedQuery]) -> [UInt8] {
        var writer = WireWriter()
        writer.object { writer in
            writer.key("queries")
            writer.array(queries) { writer, query in
                writer.object { writer in
                    writer.key("query")
                    writer.value(query.dictionary)
                    if let zoneID = query.zoneID {
                        writer.key("zoneID")
                        writer.zoneID(zoneID)
                    }
                }
            }
        }
        return writer.bytes
    }

    private static func interests(_ body: [UInt8], count: Int, user: String) throws
        -> [Result<QueryInterest, ServerError>]
    {
        let reply = try JSONValue(parsing: body)
        guard let items = reply["interests"]?.array, items.count == count else {
            throw ServerError.internalError()
        }
        return items.map { item in
            Result { () throws(ServerError) in
                try QueryInterest(item, rights: reply["rights"]?.int, user: user)
            }
        }
    }
}
