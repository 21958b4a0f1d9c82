internal import AMQPClient
internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Announces the queries of subscriptions to the record service (`interests.set`). The record service checks the
/// queries. From then on, when it logs a change to a record of the queries' types, it includes the record's values.
struct InterestCheck: Sendable {
    let client: RecordServiceClient

    /// Announces queries as the user of `request`, and returns the result for each query, in order. From then on,
    /// changes to records of the queries' types are logged together with the records' values.
    ///
    /// - Throws: the same errors as ``RecordServiceClient/ask(_:_:for:)``.
    func announce(_ queries: [WatchedQuery], for request: OpenedRequest) async throws
        -> [Result<QueryInterest, ServerError>]
    {
        guard !queries.isEmpty else { return [] }
        let reply = try await client.ask(.interestsSet, Self.body(queries), for: request)
        return try Self.interests(reply, count: queries.count, user: request.context.user)
    }

    /// Announces queries like ``announce(_:for:)``, but as `user` and outside any request.
    ///
    /// - Throws: the same errors as ``RecordServiceClient/ask(_:_:for:)``.
    func announce(_ queries: [WatchedQuery], of user: String, in zone: ZoneAddress) async throws
        -> [Result<QueryInterest, ServerError>]
    {
        let headers: AMQPTable = [
            Header.version: 1, Header.container: .string(zone.container),
            Header.environment: .string(zone.environment.rawValue),
            Header.database: .string(zone.scope.wireName), Header.user: .string(user),
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

extension QueryInterest {
    /// Reads an item from the answer to `interests.set`.
    ///
    /// - Throws: the item's error, or `INTERNAL_ERROR` if the item's predicate cannot be parsed.
    init(_ json: JSONValue, rights: Int64?, user: String) throws(ServerError) {
        if json["serverErrorCode"] != nil {
            // The error of an item has the same keys as the error of a reply.
            var writer = WireWriter()
            writer.value(json)
            throw try WireReply(decoding: writer.bytes).error ?? .internalError()
        }
        guard let predicate = json["predicate"]?.string else { throw .missingKey("predicate") }
        guard let tree = try? Predicate(format: predicate, now: 0) else { throw .internalError() }
        self.init(
            predicate: predicate, ownOnly: json["ownOnly"]?.bool ?? false, rights: rights,
            term: EqualityTerm(of: tree, user: user))
    }
}
