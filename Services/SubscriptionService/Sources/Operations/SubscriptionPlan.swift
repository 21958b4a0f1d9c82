internal import CloudKitModel

/// Decides the operations of one `subscriptions.modify` in order, in memory; what is left to write is
/// ``removed`` first and then ``saved``.
struct SubscriptionPlan {
    /// What becomes of an operation.
    enum Outcome: Equatable {
        case saved(Subscription)
        case deleted(SubscriptionID)
        case failed(ServerError, subscriptionID: SubscriptionID?)
    }

    /// What is to be removed: a subscription that is deleted and saved again is another one, with a moment of its own.
    private(set) var removed: Set<SubscriptionID> = []
    /// What is to be saved, by its ID.
    private(set) var saved: [SubscriptionID: Subscription] = [:]
    private let stored: Set<SubscriptionID>
    private var present: Set<SubscriptionID>
    private var count: Int
    private let limit: Int

    /// A plan over what is stored.
    ///
    /// - Parameters:
    ///   - stored: those of the IDs named in the request that are stored.
    ///   - count: how many are stored altogether.
    ///   - limit: how many may be.
    init(stored: Set<SubscriptionID>, count: Int, limit: Int) {
        self.stored = stored
        present = stored
        self.count = count
        self.limit = limit
    }

    /// Decides one operation.
    mutating func apply(_ operation: SubscriptionsModifyRequest.Operation) -> Outcome {
        switch operation {
        case .refused(let error, let id): return .failed(error, subscriptionID: id)
        case .update(let subscription) where !present.contains(subscription.subscriptionID):
            return .failed(.subscriptionNotFound, subscriptionID: subscription.subscriptionID)
        case .create(let subscription), .update(let subscription):
            if !present.contains(subscription.subscriptionID) {
                guard count < limit else {
                    return .failed(.tooManySubscriptions(limit), subscriptionID: subscription.subscriptionID)
                }
                present.insert(subscription.subscriptionID)
                count += 1
            }
            saved[subscription.subscriptionID] = subscription
            return .saved(subscription)
        case .delete(let id):
            guard present.remove(id) != nil else { return .failed(.subscriptionNotFound, subscriptionID: id) }
            count -= 1
            saved[id] = nil
            if stored.contains(id) { removed.insert(id) }
            return .deleted(id)
        }
    }
}

extension ServerError {
    fileprivate static func tooManySubscriptions(_ limit: Int) -> ServerError {
        ServerError(
            .tooManySubscriptions, "A user has at most \(limit) subscriptions in a database", field: "subscriptions",
            limit: limit,
            actual: limit + 1)
    }
}
