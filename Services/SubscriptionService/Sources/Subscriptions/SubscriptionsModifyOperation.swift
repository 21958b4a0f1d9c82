internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// `subscriptions.modify` (web-services 2.16). Executes every operation in order, even if earlier operations fail.
struct SubscriptionsModifyOperation: Sendable {
    let pool: PostgresPool
    let ledger: RequestLedger
    let zones: ZoneCheck
    let interests: InterestCheck
    /// The maximum number of operations in a request.
    let maxOperations: Int
    /// The maximum number of subscriptions that a user may have in a database.
    let maxSubscriptions: Int
    /// The maximum number of unselective subscriptions that a user may have in the public database. The predicate of
    /// such a subscription does not require any field to equal a value.
    let maxUnselectiveSubscriptions: Int

    /// Executes a request. A repeated request gets the original answer, byte for byte.
    ///
    /// - Throws: a ``ServerError`` for the whole request, `PostgresError`, `ServiceStopping`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        var body = try SubscriptionsModifyRequest(
            decoding: request.delivery.body, messageID: request.delivery.properties.messageID ?? "",
            context: request.context, maxOperations: maxOperations)
        let environments = EnvironmentTable(pool: pool)
        var environment = try await environments.find(request.context)
        // A repeated request is answered without asking another service.
        if let environment, let answer = try await ledger.answer(to: request, environment: environment) {
            try await complete(SubscriptionTable(environment: environment, context: request.context))
            return answer
        }
        // Both of the following calls send requests to the record service. They precede the transaction, so that no
        // lock is held during such a request. They also precede the creation of the environment, because the record
        // service refuses unknown containers.
        try await refuseMissingZones(&body, request)
        try await announceInterests(&body, request)
        if environment == nil, !body.onlyDeletes { environment = try await environments.findOrMake(request.context) }
        guard let environment else {
            // An environment without subscriptions has nothing to delete, so the request is not recorded.
            return execute(body, on: SubscriptionPlan(all: SubscriptionPlan.Tally(present: [], count: 0, limit: 0)))
                .answer
        }
        return try await execute(body, request, environment)
    }

    private func execute(_ body: SubscriptionsModifyRequest, _ request: OpenedRequest, _ environment: Int32)
        async throws
        -> Answer
    {
        let table = SubscriptionTable(environment: environment, context: request.context)
        let answer = try await ledger.once(request, environment: environment) { connection in
            let ids = body.subscriptionIDs
            let results = try await connection.pipeline([
                table.lock(), table.hold(ids), table.count(), table.names(ids),
            ])
            let (plan, answer) = execute(body, on: plan(counts: results[2], names: results[3], request.context.scope))
            _ = try await connection.pipeline([
                table.delete(Array(plan.removed)), table.deleteFired(Array(plan.saved.keys)),
                table.save(Array(plan.saved.values)),
            ])
            return answer
        }
        // This is also necessary for a repeated request: the first attempt may have ended between the two transactions.
        try await complete(table)
        return answer
    }

    private func plan(counts: PostgresResult, names: PostgresResult, _ scope: DatabaseScope) -> SubscriptionPlan {
        let stored = names.map { (id: SubscriptionID(unchecked: $0.string(0)), isUnselective: $0.bool(1)) }
        let all = SubscriptionPlan.Tally(
            present: Set(stored.map(\.id)), count: Int(counts.first?.int64(0) ?? 0), limit: maxSubscriptions)
        // In a private database, unselective subscriptions affect only their own user.
        guard scope == .public else { return SubscriptionPlan(all: all) }
        return SubscriptionPlan(
            all: all,
            unselective: SubscriptionPlan.Tally(
                present: Set(stored.filter(\.isUnselective).map(\.id)), count: Int(counts.first?.int64(1) ?? 0),
                limit: maxUnselectiveSubscriptions))
    }

    private func complete(_ table: SubscriptionTable) async throws {
        _ = try await pool.withConnection { try await $0.pipeline([table.complete()]) }
    }

    /// Replaces each operation on a nonexistent zone with the corresponding error.
    private func refuseMissingZones(_ body: inout SubscriptionsModifyRequest, _ request: OpenedRequest) async throws {
        let watched = body.operations.compactMap { operation -> ZoneID? in
            if case .zone(let zoneID, _)? = operation.subscription?.kind { zoneID } else { nil }
        }
        let missing = try await zones.missing(watched, for: request)
        body.operations = body.operations.map { operation in
            guard let subscription = operation.subscription, case .zone(let zoneID, _) = subscription.kind,
                let error = missing[zoneID.zoneName]
            else { return operation }
            return .refused(error, subscriptionID: subscription.subscriptionID)
        }
    }

    /// Announces the queries of query subscriptions to the record service. If a query is refused, its operation is
    /// replaced with the error.
    private func announceInterests(_ body: inout SubscriptionsModifyRequest, _ request: OpenedRequest) async throws {
        let positions = body.operations.indices.filter { body.operations[$0].subscription?.query != nil }
        let interests = try await interests.announce(
            positions.compactMap { body.operations[$0].subscription?.query }, for: request)
        for (position, interest) in zip(positions, interests) {
            body.operations[position] = body.operations[position].watching(interest)
        }
    }

    private func execute(_ body: SubscriptionsModifyRequest, on plan: SubscriptionPlan) -> (
        plan: SubscriptionPlan, answer: Answer
    ) {
        var plan = plan
        let outcomes = body.operations.map { plan.apply($0) }
        var answer = Answer { writer in
            writer.key("subscriptions")
            writer.array(outcomes) { writer, outcome in
                switch outcome {
                case .saved(let subscription): writer.subscription(subscription)
                case .deleted(let id):
                    writer.object { writer in
                        writer.member("subscriptionID", id.rawValue)
                        writer.member("deleted", true)
                    }
                case .failed(let error, let id): writer.itemError(error, subscriptionID: id)
                }
            }
        }
        for case .failed(let error, _) in outcomes where answer.failure == nil { answer.failure = error }
        return (plan, answer)
    }
}

extension SubscriptionsModifyRequest {
    /// Whether all operations are deletions.
    fileprivate var onlyDeletes: Bool {
        operations.allSatisfy { if case .delete = $0 { true } else { false } }
    }

    /// The IDs of the subscriptions that the operations save or delete, without duplicates.
    fileprivate var subscriptionIDs: [SubscriptionID] {
        let ids = operations.compactMap { operation in
            if case .delete(let id) = operation { id } else { operation.subscription?.subscriptionID }
        }
        return Array(Set(ids))
    }
}
