internal import CloudKitWire

/// An operation that saves and deletes subscriptions.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions to save.
    open var subscriptionsToSave: [CKSubscription]?
    /// The subscriptions to delete.
    open var subscriptionIDsToDelete: [CKSubscription.ID]?

    /// Called with the result of each save.
    open var perSubscriptionSaveBlock:
        ((_ subscriptionID: CKSubscription.ID, _ saveResult: Result<CKSubscription, any Error>) -> Void)?
    /// Called with the result of each deletion.
    open var perSubscriptionDeleteBlock:
        ((_ subscriptionID: CKSubscription.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    /// Called at the end. Errors of single subscriptions are not errors of the operation.
    open var modifySubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called at the end with the subscriptions that were saved and deleted.
    @available(macOS, introduced: 10.10, deprecated: 12.0, message: "Use modifySubscriptionsResultBlock instead")
    open var modifySubscriptionsCompletionBlock:
        (
            (
                _ savedSubscriptions: [CKSubscription]?, _ deletedSubscriptionIDs: [CKSubscription.ID]?,
                _ operationError: (any Error)?
            ) -> Void
        )?

    private let outcome = Locked(Outcome())

    private struct Outcome {
        var saved: [CKSubscription] = []
        var deleted: [CKSubscription.ID] = []
        var errors = PartialErrors()
    }

    /// Creates an operation without subscriptions.
    public override init() { super.init() }

    /// Creates an operation.
    public convenience init(
        subscriptionsToSave: [CKSubscription]? = nil, subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    ) {
        self.init()
        self.subscriptionsToSave = subscriptionsToSave
        self.subscriptionIDsToDelete = subscriptionIDsToDelete
    }

    override func perform() async throws(CKError) {
        let database = try webDatabase()
        var sendable: [(subscription: CKSubscription, json: JSONValue)] = []
        for subscription in subscriptionsToSave ?? [] {
            do throws(CKError) {
                sendable.append((subscription, try SubscriptionCoding.json(of: subscription)))
            } catch {
                save(subscription, .failure(error))
            }
        }
        for part in sendable.chunks(of: WebDatabase.maxSubscriptions) {
            try checkCancellation()
            let items = try await database.modifySubscriptions(saving: part.map(\.json), deleting: [])
            for (sent, item) in zip(part, items) {
                save(
                    sent.subscription,
                    Result { () throws(CKError) in try SubscriptionCoding.subscription(from: item) })
            }
            await callbacks.drain()
        }
        for part in (subscriptionIDsToDelete ?? []).chunks(of: WebDatabase.maxSubscriptions) {
            try checkCancellation()
            let items = try await database.modifySubscriptions(saving: [], deleting: part)
            for (id, item) in zip(part, items) { delete(id, item.fault?.error()) }
            await callbacks.drain()
        }
    }

    private func save(_ subscription: CKSubscription, _ result: ItemResult<CKSubscription>) {
        let id = subscription.subscriptionID
        outcome.withLock { outcome in
            switch result {
            case .success(let subscription): outcome.saved.append(subscription)
            case .failure(let error): outcome.errors.add(error, of: id)
            }
        }
        callbacks.post { self.perSubscriptionSaveBlock?(id, result.erased) }
    }

    private func delete(_ id: CKSubscription.ID, _ error: CKError?) {
        outcome.withLock { outcome in
            if let error { outcome.errors.add(error, of: id) } else { outcome.deleted.append(id) }
        }
        callbacks.post { self.perSubscriptionDeleteBlock?(id, Result(failure: error)) }
    }

    override func finish(_ error: CKError?) {
        super.finish(error)
        let outcome = outcome.copy
        modifySubscriptionsCompletionBlock?(
            outcome.saved, outcome.deleted,
            error ?? outcome.errors.failure("Failed to modify some subscriptions"))
        modifySubscriptionsResultBlock?(Result(failure: error))
        perSubscriptionSaveBlock = nil
        perSubscriptionDeleteBlock = nil
        modifySubscriptionsResultBlock = nil
        modifySubscriptionsCompletionBlock = nil
    }
}
