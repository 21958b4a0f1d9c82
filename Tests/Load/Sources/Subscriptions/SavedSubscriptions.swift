import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Saves the subscriptions of a load, and deletes them at its end.
struct SavedSubscriptions: Sendable {
    private static let subscriptionsPerRequest = 50
    private static let limit: Duration = .seconds(60)

    /// Sends the requests of the user who owns the subscriptions.
    let requester: any Requester
    /// The subscriptions.
    let subscriptions: [LoadSubscription]

    /// Saves the subscriptions, runs `body` and deletes the subscriptions, even after an error. If the load is killed,
    /// its subscriptions remain.
    ///
    /// - Parameter progress: called with a line before each request.
    /// - Throws: the failure of a request or of a subscription; the errors of `body`.
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
        // Failures are ignored, because some subscriptions may not have been saved, and remaining ones do not affect
        // the result.
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
    /// The subscription dictionary. It contains notification info, because CloudKit refuses subscriptions without it.
    fileprivate var json: JSONValue {
        [
            "subscriptionID": .string(id), "subscriptionType": "zone", "zoneID": ["zoneName": .string(zone)],
            "notificationInfo": ["shouldSendContentAvailable": true],
        ]
    }
}
