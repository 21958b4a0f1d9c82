internal import CloudKitModel
internal import OperatorMessages
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// The operator-only operations `consumers.grant`, `consumers.list` and `consumers.revoke`. A grant determines the
/// zones for which a consumer is allowed to request past notifications. `zonda consumer` creates the consumers' broker
/// users.
struct ConsumerOperations: Sendable {
    /// The maximum number of consumers in a page.
    private static let maxPage = 1000
    /// The number of consumers in a page if the request gives no limit.
    private static let defaultPage = 200

    let table: ConsumerTable

    /// Executes `consumers.grant`. A repeated request saves the same grant again, so requests are not recorded.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func grant(_ request: OpenedRequest) async throws -> Answer {
        let grant = try ConsumersGrantRequest(request).grant
        return Answer(GrantedConsumer(grant: grant, grantedAt: try await table.save(grant)))
    }

    /// Executes `consumers.revoke`.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func revoke(_ request: OpenedRequest) async throws -> Answer {
        let consumer = try ConsumerName(validating: ConsumersRevokeRequest(request).consumer)
        // Also succeeds if there is no grant, because the request might be a repeat.
        let existed = try await table.remove(consumer)
        return Answer(ConsumersRevokeRequest.Answer(consumer: consumer.rawValue, revoked: existed))
    }

    /// Executes `consumers.list`.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try ConsumersListRequest(request)
        let limit = body.limit ?? Self.defaultPage
        guard (1...Self.maxPage).contains(limit) else {
            throw ServerError.tooMany("consumers", limit: Self.maxPage, actual: limit)
        }
        let consumers = try await table.list(after: body.after ?? "", limit: limit + 1)
        return Answer(
            ConsumersListRequest.Answer(
                consumers: Array(consumers.prefix(limit)),
                after: consumers.count > limit ? consumers[limit - 1].grant.consumer.rawValue : nil))
    }
}
