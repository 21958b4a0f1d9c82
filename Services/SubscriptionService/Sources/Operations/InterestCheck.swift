internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Announces to the record service what query subscriptions ask for, and learns what it makes of it.
struct InterestCheck: Sendable {
    let question: CallersQuestion

    /// What becomes of each query, in their order. From then on the values of its type are in the change log.
    ///
    /// - Throws: as ``CallersQuestion/ask(_:_:for:)``.
    func announce(_ queries: [WatchedQuery], for request: OpenedRequest) async throws
        -> [Result<QueryInterest, ServerError>]
    {
        guard !queries.isEmpty else { return [] }
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
        let reply = try JSONValue(parsing: try await question.ask(.interestsSet, writer.bytes, for: request))
        guard let items = reply["interests"]?.array, items.count == queries.count else {
            throw ServerError.internalError()
        }
        return items.map { item in
            Result { () throws(ServerError) in
                try QueryInterest(item, rights: reply["rights"]?.int, user: request.context.user)
            }
        }
    }
}
