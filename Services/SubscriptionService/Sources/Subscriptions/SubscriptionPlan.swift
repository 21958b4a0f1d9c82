internal import CloudKitModel
internal import SubscriptionStorage

/// Decides the outcomes of the operations in one `subscriptions.modify` request, in order and in memory. Afterwards,
/// the caller first writes the deletions in ``removed``, and then the subscriptions in ``saved``.
struct SubscriptionPlan {
    /// The result of an operation.
    enum Outcome: Equatable {
        case saved(Subscription)
        case deleted(SubscriptionID)
        case failed(ServerError, subscriptionID: SubscriptionID?)
    }

    /// The subscriptions to remove. A subscription that is deleted and saved again is a new subscription with a new
    /// moment.
    private(set) var removed: Set<SubscriptionID> = []
    /// The subscriptions to save, keyed by ID.
    private(set) var saved: [SubscriptionID: Subscription] = [:]
    private let stored: Set<SubscriptionID>
    private var all: Tally
    private var unselective: Tally

    /// Creates a plan from the stored subscriptions.
    ///
    /// - Parameters:
    ///   - all: The user's subscriptions in the database.
    ///   - unselective: The subscriptions in `all` whose predicates do not require any field to equal a value. They are
    ///     compared with every change of their record type. By default, they have no separate limit.
    init(all: Tally, unselective: Tally = .unlimited) {
        stored = all.present
        self.all = all
        self.unselective = unselective
    }

    /// Decides the outcome of one operation.
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
    /// The subscriptions that count towards a limit.
    struct Tally {
        let limit: Int
        /// The counted subscriptions that the request names.
        private(set) var present: Set<SubscriptionID>
        private var count: Int

        /// Creates a tally of the stored subscriptions.
        init(present: Set<SubscriptionID>, count: Int, limit: Int) {
            self.present = present
            self.count = count
            self.limit = limit
        }

        /// A tally without a limit.
        static let unlimited = Tally(present: [], count: 0, limit: .max)

        /// Returns whether a subscription is already counted, or still fits within the limit.
        func hasRoom(for id: SubscriptionID) -> Bool { present.contains(id) || count < limit }

        /// Counts a subscription, unless it is already counted.
        mutating func insert(_ id: SubscriptionID) { if present.insert(id).inserted { count += 1 } }

        /// Stops counting a subscription.
        mutating func remove(_ id: SubscriptionID) { if present.remove(id) != nil { count -= 1 } }
    }
}

extension Subscription {
    /// Whether the predicate does not require any field to equal a value. Such a subscription is compared with every
    /// change of its record type.
    fileprivate var isUnselective: Bool { query?.interest?.term == EqualityTerm.none }
}

extension ServerError {
    fileprivate static func tooManySubscriptions(_ limit: Int) -> ServerError {
        ServerError(
            .tooManySubscriptions, "A user can have at most \(limit) subscriptions in a database",
            field: "subscriptions", limit: limit, actual: limit + 1)
    }

    fileprivate static func tooManyUnselectiveSubscriptions(_ limit: Int) -> ServerError {
        ServerError(
            .tooManyUnselectiveSubscriptions,
            "A user can have at most \(limit) public query subscriptions without an equality comparison",
            field: "subscriptions", limit: limit, actual: limit + 1)
    }
}
