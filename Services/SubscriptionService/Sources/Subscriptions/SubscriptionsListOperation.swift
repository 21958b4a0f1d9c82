internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// `subscriptions.list` and `subscriptions.lookup` (web-services 2.16).
struct SubscriptionsListOperation: Sendable {
    let pool: PostgresPool
    /// The maximum number of subscriptions in a lookup.
    let maxOperations: Int

    /// Returns all of the user's subscriptions in the database, in order of their IDs.
    ///
    /// - Throws: `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let subscriptions = try await read(request.context) { $0.list() }
        return Answer { writer in
            writer.key("subscriptions")
            writer.array(subscriptions) { writer, subscription in writer.subscription(subscription) }
        }
    }

    /// Returns one item for each requested subscription, in the order of the request.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func lookup(_ request: OpenedRequest) async throws -> Answer {
        let ids = try subscriptionIDs(request.delivery.body)
        let found = try await read(request.context) { $0.read(Array(Set(ids))) }
        let byID = Dictionary(found.map { ($0.subscriptionID, $0) }, uniquingKeysWith: { first, _ in first })
        return Answer { writer in
            writer.key("subscriptions")
            writer.array(ids) { writer, id in
                if let subscription = byID[id] {
                    writer.subscription(subscription)
                } else {
                    writer.itemError(.subscriptionNotFound, subscriptionID: id)
                }
            }
        }
    }

    private func read(_ context: RequestContext, _ call: (SubscriptionTable) -> PostgresCall) async throws
        -> [Subscription]
    {
        guard let environment = try await EnvironmentTable(pool: pool).find(context) else { return [] }
        let call = call(SubscriptionTable(environment: environment, context: context))
        return try await pool.withConnection { connection in
            try SubscriptionTable.subscriptions(try await connection.pipeline([call])[0])
        }
    }

    private func subscriptionIDs(_ body: [UInt8]) throws(ServerError) -> [SubscriptionID] {
        guard let subscriptions = try JSONValue(parsing: body)["subscriptions"] else {
            throw .missingKey("subscriptions")
        }
        guard let elements = subscriptions.array else { throw .wrongKind("subscriptions", expected: "an array") }
        guard elements.count <= maxOperations else {
            throw .tooMany("subscriptions", limit: maxOperations, actual: elements.count)
        }
        var ids: [SubscriptionID] = []
        for element in elements {
            guard let id = try SubscriptionsModifyRequest.subscriptionID(element) else {
                throw .missingKey("subscriptionID")
            }
            ids.append(id)
        }
        return ids
    }
}
