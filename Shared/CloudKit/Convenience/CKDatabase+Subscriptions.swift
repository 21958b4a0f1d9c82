extension CKDatabase {
    /// Fetches all subscriptions.
    @preconcurrency
    public func fetchAllSubscriptions(
        completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
    ) {
        answer({ try await $0.allSubscriptions() }, to: completionHandler)
    }

    /// Fetches all subscriptions.
    public func allSubscriptions() async throws -> [CKSubscription] {
        let subscriptions = Locked<[CKSubscription]>([])
        let operation = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
        operation.perSubscriptionResultBlock = { _, result in
            if case .success(let subscription) = result { subscriptions.withLock { $0.append(subscription) } }
        }
        try await run(operation) { $0.fetchSubscriptionsResultBlock = $1 }
        return subscriptions.copy
    }

    /// Fetches subscriptions.
    @preconcurrency
    public func fetch(
        withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
            ) -> Void
    ) {
        answer({ try await $0.subscriptions(for: subscriptionIDs) }, to: completionHandler)
    }

    /// Fetches subscriptions.
    public func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        let results = Locked<[CKSubscription.ID: Result<CKSubscription, any Error>]>([:])
        let operation = CKFetchSubscriptionsOperation(subscriptionIDs: ids)
        operation.perSubscriptionResultBlock = { id, result in results.withLock { $0[id] = result } }
        try await run(operation) { $0.fetchSubscriptionsResultBlock = $1 }
        return results.copy
    }

    /// Fetches a subscription.
    @preconcurrency
    public func fetch(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        answer({ try await $0.subscription(for: subscriptionID) }, to: completionHandler)
    }

    /// Fetches a subscription.
    public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
        try await one(subscriptionID) { try await subscriptions(for: [subscriptionID])[subscriptionID] }
    }

    /// Saves and deletes subscriptions.
    @preconcurrency
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
                        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        answer(
            { try await $0.modifySubscriptions(saving: subscriptionsToSave, deleting: subscriptionIDsToDelete) },
            to: completionHandler)
    }

    /// Saves and deletes subscriptions.
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        let saves = Locked<[CKSubscription.ID: Result<CKSubscription, any Error>]>([:])
        let deletes = Locked<[CKSubscription.ID: Result<Void, any Error>]>([:])
        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: subscriptionsToSave, subscriptionIDsToDelete: subscriptionIDsToDelete)
        operation.perSubscriptionSaveBlock = { id, result in saves.withLock { $0[id] = result } }
        operation.perSubscriptionDeleteBlock = { id, result in deletes.withLock { $0[id] = result } }
        try await run(operation) { $0.modifySubscriptionsResultBlock = $1 }
        return (saves.copy, deletes.copy)
    }

    /// Saves a subscription.
    @preconcurrency
    public func save(
        _ subscription: CKSubscription, completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        answer({ try await $0.save(subscription) }, to: completionHandler)
    }

    /// Saves a subscription.
    @discardableResult
    public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        try await one(subscription.subscriptionID) {
            try await modifySubscriptions(saving: [subscription], deleting: [])
                .saveResults[subscription.subscriptionID]
        }
    }

    /// Deletes a subscription.
    @preconcurrency
    public func delete(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
    ) {
        answer({ try await $0.deleteSubscription(withID: subscriptionID) }, to: completionHandler)
    }

    /// Deletes a subscription.
    @discardableResult
    public func deleteSubscription(withID subscriptionID: CKSubscription.ID) async throws -> CKSubscription.ID {
        try await one(subscriptionID) {
            try await modifySubscriptions(saving: [], deleting: [subscriptionID]).deleteResults[subscriptionID]
        }
        return subscriptionID
    }
}
