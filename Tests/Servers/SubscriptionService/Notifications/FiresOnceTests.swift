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

/// Subscriptions that fire once, with real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct FiresOnceTests: SubscriptionSuite {
    let zone = TestZone("Notes")

    @Test func onceIsOnceAndThenItIsGone() async throws {
        try await with([.watch("once", filter: [:], on: ["create"], more: ["firesOnce": true])]) { stack, service in
            try await stack.withLane {
                try await stack.commit(zone.event([(.created, "a", [:]), (.created, "b", [:])]))
                try await stack.commit(zone.event([(.created, "c", [:])], from: 3))
                _ = try await stack.heard(zone, upTo: 3)
                try await stack.waitUntilSettled(zone, at: 3)
            }
            let bodies = try await reported(stack, count: 1)
            #expect(heard(bodies) == ["once a"])
            let list = try await service.ask(.subscriptionsList, as: zone)
            #expect(list["subscriptions"] == [])
            try await FiringTable(pool: stack.pool).removeFired()
            let left = try await stack.pool.withConnection {
                try await $0.query("select from subscription.subscription")
            }
            #expect(left.isEmpty)
        }
    }

    /// The service ends before it records that the broker has accepted the notification. The next instance sends the
    /// same notification, and no other.
    @Test func afterACrashOnceIsARepeat() async throws {
        try await with([.watch("once", filter: [:], on: ["create"], more: ["firesOnce": true])]) { stack, service in
            try await stack.withLane(failing: [1]) {
                try await stack.commit(zone.event([(.created, "a", [:])]))
                _ = try await reported(stack, count: 1)
            }
            try await stack.withLane {
                try await stack.commit(zone.event([(.created, "b", [:])], from: 2))
                _ = try await stack.heard(zone, upTo: 2)
                let bodies = try await reported(stack, count: 2)
                #expect(heard(bodies) == ["once a", "once a"])
                #expect(Set(bodies.map { $0["id"] }).count == 1)
                try await stack.waitUntilSettled(zone, at: 2)
            }
            // When it is saved again, it is another subscription, and fires again.
            try await service.ask(
                .subscriptionsModify, as: zone,
                ["operations": [.watch("once", filter: [:], on: ["create"], more: ["firesOnce": true])]])
            try await stack.withLane {
                try await stack.commit(zone.event([(.created, "c", [:])], from: 3))
                _ = try await stack.heard(zone, upTo: 3)
                let bodies = try await reported(stack, count: 3)
                #expect(heard(bodies).last == "once c")
            }
        }
    }
}
