internal import CloudKitWire

extension WebDatabase {
    /// The largest number of subscriptions in a request.
    static let maxSubscriptions = 200

    /// Lists all subscriptions (`subscriptions/list`).
    func subscriptions() async throws(CKError) -> [JSONValue] {
        try await items("subscriptions/list", [:], "subscriptions")
    }

    /// Fetches subscriptions (`subscriptions/lookup`).
    ///
    /// - Returns: The items of the answer, in the order of the IDs.
    func subscriptions(_ ids: [CKSubscription.ID]) async throws(CKError) -> [JSONValue] {
        let named = ids.map { id -> JSONValue in ["subscriptionID": .string(id)] }
        return try await items(
            "subscriptions/lookup", ["subscriptions": .array(named)], "subscriptions", count: ids.count)
    }

    /// Saves and deletes subscriptions (`subscriptions/modify`).
    ///
    /// - Parameter saved: The dictionaries of the subscriptions to save.
    /// - Returns: The items of the answer, first those of the subscriptions to save.
    func modifySubscriptions(
        saving saved: [JSONValue], deleting deleted: [CKSubscription.ID]
    ) async throws(CKError) -> [JSONValue] {
        // A save replaces a subscription that exists.
        let saves = saved.map { subscription -> JSONValue in
            ["operationType": "create", "subscription": subscription]
        }
        let deletes = deleted.map { id -> JSONValue in
            ["operationType": "delete", "subscription": ["subscriptionID": .string(id)]]
        }
        return try await items(
            "subscriptions/modify", ["operations": .array(saves + deletes)], "subscriptions",
            count: saved.count + deleted.count)
    }
}
