import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Saves the subscriptions of a load and deletes them again.
struct SavedSubscriptions: Sendable {
    private static let subscriptionsPerRequest = 50
    private static let limit: Duration = .seconds(60)

    /// Whom to ask: the subscriptions are its user's.
    let requester: any Requester
    /// The subscriptions.
    let subscriptions: [LoadSubscription]

    /// Saves them, runs `body` and deletes them, whatever happened. Those of a load that is killed stay.
    ///
    /// - Parameter progress: is told a line before each request.
    /// - Throws: the failure of a request or of a subscription; what `body` throws.
    func saved<Result>(
        _ progress: @Sendable (String) -> Void, _ body: () async throws -> Result
    ) async throws -> Result {
        let result: Swift.Result<Result, any Error>
        do {
            try await modify("saving", progress) {
                ["operationType": "create", "subscription": $0.json]
            } check: { item throws(RequestFailure) in
                if let refusal = RequestFailure.Refusal(item) { throw .refused(refusal) }
            }
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // Some may never have been saved, and what is left over costs nobody the result.
        try? await modify("deleting", progress) {
            ["operationType": "delete", "subscription": ["subscriptionID": .string($0.id)]]
        }
        return try result.get()
    }

    private func modify(
        _ verb: String, _ progress: (String) -> Void, _ operation: (LoadSubscription) -> JSONValue,
        check: (JSONValue) throws(RequestFailure) -> Void = { _ in }
    ) async throws(RequestFailure) {
        for first in stride(from: 0, to: subscriptions.count, by: Self.subscriptionsPerRequest) {
            progress("\(verb) subscriptions: \(first) of \(subscriptions.count)")
            let some = subscriptions[first..<min(first + Self.subscriptionsPerRequest, subscriptions.count)]
            let answer = try await requester.ask(
                .subscriptionsModify, ["operations": .array(some.map(operation))], limit: Self.limit)
            for item in answer["subscriptions"]?.array ?? [] { try check(item) }
        }
    }
}

extension LoadSubscription {
    /// The subscription dictionary. Its notification info is there because CloudKit refuses one without.
    fileprivate var json: JSONValue {
        [
            "subscriptionID": .string(id), "subscriptionType": "zone", "zoneID": ["zoneName": .string(zone)],
            "notificationInfo": ["shouldSendContentAvailable": true],
        ]
    }
}
