internal import CloudKitWire

/// An operation that fetches subscriptions.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions; nil for all subscriptions.
    open var subscriptionIDs: [CKSubscription.ID]?

    /// Called with each subscription.
    open var perSubscriptionResultBlock:
        ((_ subscriptionID: CKSubscription.ID, _ subscriptionResult: Result<CKSubscription, any Error>) -> Void)?
    /// Called at the end. Errors of single subscriptions are not errors of the operation.
    open var fetchSubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called at the end with the subscriptions that were fetched.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use fetchSubscriptionsResultBlock instead")
    open var fetchSubscriptionCompletionBlock:
        (
            (
                _ subscriptionsBySubscriptionID: [CKSubscription.ID: CKSubscription]?, _ operationError: (any Error)?
            ) -> Void
        )?

    private let outcome = Locked(Outcome())
    private let fetchesAll: Bool

    private struct Outcome {
        var subscriptions: [CKSubscription.ID: CKSubscription] = [:]
        var errors = PartialErrors()
    }

    /// Creates an operation without IDs.
    public override init() {
        fetchesAll = false
        super.init()
    }

    private init(fetchingAll: Bool) {
        fetchesAll = fetchingAll
        super.init()
    }

    /// Creates an operation.
    public convenience init(subscriptionIDs: [CKSubscription.ID]) {
        self.init()
        self.subscriptionIDs = subscriptionIDs
    }

    /// Returns an operation that fetches all subscriptions of the user.
    open class func fetchAllSubscriptionsOperation() -> Self {
        guard let operation = CKFetchSubscriptionsOperation(fetchingAll: true) as? Self else {
            preconditionFailure("Call fetchAllSubscriptionsOperation of CKFetchSubscriptionsOperation itself")
        }
        return operation
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase()
        guard !fetchesAll else {
            for item in try await database.subscriptions() {
                let subscription = try SubscriptionCoding.subscription(from: item)
                report(subscription.subscriptionID, .success(subscription))
            }
            return
        }
        for part in (subscriptionIDs ?? []).unique.chunks(of: WebDatabase.maxSubscriptions) {
            try checkCancellation()
            for (id, item) in zip(part, try await database.subscriptions(part)) {
                report(id, Result { () throws(CKError) in try SubscriptionCoding.subscription(from: item) })
            }
            await callbacks.drain()
        }
    }

    private func report(_ id: CKSubscription.ID, _ result: ItemResult<CKSubscription>) {
        outcome.withLock { outcome in
            switch result {
            case .success(let subscription): outcome.subscriptions[id] = subscription
            case .failure(let error): outcome.errors.add(error, of: id)
            }
        }
        callbacks.post { self.perSubscriptionResultBlock?(id, result.erased) }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let outcome = outcome.copy
        fetchSubscriptionCompletionBlock?(
            outcome.subscriptions, error ?? outcome.errors.failure("Failed to fetch some subscriptions"))
        fetchSubscriptionsResultBlock?(Result(failure: error))
        perSubscriptionResultBlock = nil
        fetchSubscriptionsResultBlock = nil
        fetchSubscriptionCompletionBlock = nil
    }
}
