internal import Foundation
internal import ServiceMessages

/// Subscriptions of users to the shared database, and a record that is shared with them.
enum SharedSubscriptions {
    /// Creates the zone and the share in the private database of the user in `.zonda/env`, and then a subscription for
    /// each user. The users accept the share first, so that no subscription fires for an acceptance.
    ///
    /// - Throws: ``LimitFailure`` if the service refuses a request; `AMQPError`.
    static func prepare(zone: String, participants count: Int) async throws {
        let users = (0..<count).map(SubscriptionRequests.name(ofUser:))
        try await SharedZone.prepare([SharedZone(name: zone)], users: users)
        let subscribe = Array(
            (#"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"shared","#
                + #""subscriptionType":"database"}}]}"#).utf8)
        let producers = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        _ = try await producers.run { client, _ in
            for (number, user) in users.enumerated() {
                try ReadZone.check(
                    try await SharedZone.requests(of: user).answer(
                        to: .subscriptionsModify, body: subscribe, over: client, slot: 0, number: number))
            }
        }
    }
}
