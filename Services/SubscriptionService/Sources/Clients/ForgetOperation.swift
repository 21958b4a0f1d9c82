internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// `clients.forget`, which the gateway sends when sessions end or users are removed. Removes the clients of these
/// sessions or users, and the clients' queues.
///
/// One transaction ends all of the registrations. After its commit, no notification is addressed to the clients, even
/// while the broker is unavailable. The queues are then deleted in the same way as the queues of expired clients. If
/// the request is interrupted, the next run of ``ExpiredClients`` deletes the remaining queues. A repeated request has
/// no further effect.
struct ForgetOperation: Sendable {
    let pool: PostgresPool
    let clients: ExpiredClients
    let queues: ClientQueues

    /// Returns the counts of removed registrations and subscriptions. A token that other users have also registered
    /// keeps its queue and the queue's messages. Takes one transaction, and then, for each client, another transaction
    /// with a round trip to the broker.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`, `ServiceStopping`, or `TRY_AGAIN_LATER` if the broker cannot be
    ///   reached before the deadline.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ForgetRequest(JSONValue(parsing: request.delivery.body))
        let removed = try await DepartureTable(pool: pool).remove(
            body.selection, removesSubscriptions: body.removesSubscriptions)
        for name in removed.clients.sorted() {
            try await remove(name, request.context)
        }
        return Answer { writer in
            writer.member("clients", removed.registrations)
            writer.member("subscriptions", removed.subscriptions)
        }
    }

    private func remove(_ name: String, _ context: RequestContext) async throws {
        let database: (any Error)? = try await queues.retrying(context) { () async throws(AMQPError) in
            do {
                try await clients.removeNow(name)
                return nil
            } catch let error as AMQPError {
                throw error
            } catch {
                return error
            }
        }
        // The caller retries the whole request. The queues that were deleted so far stay deleted.
        if let database { throw database }
    }
}
