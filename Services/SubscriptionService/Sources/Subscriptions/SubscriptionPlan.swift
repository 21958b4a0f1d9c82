internal import CloudKitModel
internal import SubscriptionStorage

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
    private var all: Tally
    private var unselective: Tally

    /// A plan over what is stored.
    ///
    /// - Parameters:
    ///   - all: the user's subscriptions in the database.
    ///   - unselective: those of them whose predicates demand no equality: every change of their type is compared with
    ///     them. By default they have no limit of their own.
    init(all: Tally, unselective: Tally = .unlimited) {
        stored = all.present
        self.all = all
        self.unselective = unselective
    }

    /// Decides one operation.
    mutating func apply(_ operation: SubscriptionsModifyRequest.Operation) -> Outcome {
        switch operation {
        case .refused(let error, let id): return .failed(error, subscriptionID: id)
        case .update(let subscription) where !all.present.contains(subscription.subscriptionID):
            return .failed(.subscriptionNotFound, subscriptionID: subscription.subscriptionID)
        case .create(let subscription), .update(let subscription):
            let id = subscription.subscriptionID
            guard all.hasRoom(for: id) else {
                return .failed(.tooManySubscriptions(all.limit), subscriptionID: id)
            }
            if subscription.isUnselective {
                guard unselective.hasRoom(for: id) else {
                    return .failed(.tooManyUnselectiveSubscriptions(unselective.limit), subscriptionID: id)
                }
                unselective.insert(id)
            } else {
                unselective.remove(id)
            }
            all.insert(id)
            saved[id] = subscription
            return .saved(subscription)
        case .delete(let id):
            guard all.present.contains(id) else { return .failed(.subscriptionNotFound, subscriptionID: id) }
            all.remove(id)
            unselective.remove(id)
            saved[id] = nil
            if stored.contains(id) { removed.insert(id) }
            return .deleted(id)
        }
    }
}

extension SubscriptionPlan {
    /// How many subscriptions there are of those that a limit counts.
    struct Tally {
        /// How many there may be.
        let limit: Int
        /// Those of them that the request names.
        private(set) var present: Set<SubscriptionID>
        private var count: Int

        /// A tally of what is stored.
        init(present: Set<SubscriptionID>, count: Int, limit: Int) {
            self.present = present
            self.count = count
            self.limit = limit
        }

        /// One that refuses nothing.
        static let unlimited = Tally(present: [], count: 0, limit: .max)

        /// Whether a subscription is counted already or may be.
        func hasRoom(for id: SubscriptionID) -> Bool { present.contains(id) || count < limit }

        /// Counts a subscription, once.
        mutating func insert(_ id: SubscriptionID) { if present.insert(id).inserted { count += 1 } }

        /// Counts a subscription no longer.
        mutating func remove(_ id: SubscriptionID) { if present.remove(id) != nil { count -= 1 } }
    }
}

extension Subscription {
    /// Whether every change of its record type has to be compared with its predicate, since that demands no equality.
    fileprivate var isUnselective: Bool { query?.interest?.term == EqualityTerm.none }
}

extension ServerError {
    fileprivate static func tooManySubscriptions(_ limit: Int) -> ServerError {
        ServerError(
            .tooManySubscriptions, "A user has at most \(limit) subscriptions in a database", field: "subscriptions",
            limit: limit,
            actual: limit + 1)
    }

    fileprivate static func tooManyUnselectiveSubscriptions(_ limit: Int) -> ServerError {
        ServerError(
            .tooManyUnselectiveSubscriptions,
            "A user has at most \(limit) subscriptions in the public database whose predicates demand no equality",
            field: "subscriptions", limit: limit, actual: limit + 1)
    }
}
