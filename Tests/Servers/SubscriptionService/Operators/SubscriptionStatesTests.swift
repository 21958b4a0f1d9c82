import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Operators' operations, with real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct SubscriptionStatesTests: SubscriptionSuite {
    let zone = TestZone("Notes")

    @Test func operatorsSeeWhatBecameOfNotifications() async throws {
        try await with([
            .watch("a", filter: [:], on: ["create"]), .watch("b", filter: [:], on: ["delete"]),
        ]) { stack, service in
            let journal = try await stack.withLane {
                try await stack.commit(zone.event([(.created, "a", [:]), (.created, "b", [:])]))
                _ = try await reported(stack, count: 2)
                try await stack.waitUntilSettled(zone, at: 2)
                return stack.journal
            }
            try await journal.runOnce()
            let page = try await service.ask(
                .subscriptionsStates, as: zone, ["user": .string(zone.address.owner), "limit": 1])
            let first = try #require(page["subscriptions"]?[0])
            #expect(first["database"] == "private")
            #expect(first["subscription"]?["subscriptionID"] == "a")
            #expect(first["state"]?["delivered"] == 2)
            #expect(first["state"]?["refused"] == 0)
            #expect(first["state"]?["lastSeq"] == 2)
            #expect(first["state"]?["lastZone"] == "Notes")
            #expect(first["state"]?["isActive"] == true)
            let next = try await service.ask(
                .subscriptionsStates, as: zone,
                ["user": .string(zone.address.owner), "limit": 1, "after": page["after"] ?? .null])
            #expect(next["subscriptions"]?[0]?["subscription"]?["subscriptionID"] == "b")
            #expect(next["subscriptions"]?[0]?["state"]?["lastSeq"] == nil)
            #expect(next["after"] == nil)
            let wrong = try await service.ask(.subscriptionsStates, as: zone, ["database": "secret"])
            #expect(wrong["field"] == "database")
        }
    }

    @Test func aTestTellsWhereItWent() async throws {
        try await with([.watch("a", filter: [:], on: ["create"])]) { _, service in
            let whose: [JSONValue.Member] = [
                JSONValue.Member("container", "com.example.tests"), JSONValue.Member("environment", "development"),
                JSONValue.Member("database", "private"), JSONValue.Member("user", .string(zone.address.owner)),
            ]
            let sent = try await service.ask(
                .subscriptionsTest, as: zone, .object(whose + [JSONValue.Member("subscriptionID", "a")]))
            #expect(sent["routed"] == true)
            #expect(sent["exchange"] == "zonda.notifications")
            #expect(
                sent["routingKey"]?.string
                    == "user.com%2Eexample%2Etests.development.\(zone.address.owner).a")
            #expect(sent["clients"] == [])
            let none = try await service.ask(
                .subscriptionsTest, as: zone, .object(whose + [JSONValue.Member("subscriptionID", "z")]))
            #expect(none["reasonCode"] == "subscription_not_found")
            let incomplete = try await service.ask(.subscriptionsTest, as: zone, .object(whose))
            #expect(incomplete["field"] == "subscriptionID")
        }
    }
}
