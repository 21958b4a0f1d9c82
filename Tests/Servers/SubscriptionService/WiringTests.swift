import AMQPClient
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The complete service, in a new virtual host, with a fake record service.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct WiringTests {
    @Test func aSavedSubscriptionIsNotifiedOfAChange() async throws {
        try await SubscriptionStack.with { stack in
            let zone = TestZone("Notes")
            stack.record.make(zone)
            let client = TestClient(
                rpc: stack.rpc, container: zone.address.container, user: zone.address.owner)
            try await stack.withService {
                let saved = try await client.ask(
                    .subscriptionsModify, ["operations": [.create("a", zone: "Notes")]])
                #expect(saved["subscriptions"]?[0]?["subscriptionID"] == "a")
                try await stack.commit(zone.event(1...1))
                let reported = try await stack.notifications.first("the notification") {
                    $0.routingKey.hasPrefix("user.")
                }
                #expect(try JSONValue(parsing: reported.body)["toSeq"] == 1)
            }
        }
    }

    @Test func theLastEventOfAZoneIsFoundByTheSweep() async throws {
        try await SubscriptionStack.with { stack in
            let zone = TestZone("Notes")
            try await stack.withService {
                try await stack.pool.waitUntil("(select since is not null from subscription.sweep)")
                for seq: Int64 in 1...4 { try await stack.commit(zone.event(seq...seq), isLost: true) }
                let spans = try await stack.heard(zone, upTo: 4)
                #expect(spans == [1...1, 2...2, 3...3, 4...4])
            }
        }
    }

    @Test func twoInstancesAtOnceLoseNothing() async throws {
        try await SubscriptionStack.with { stack in
            let zones = (0..<40).map { TestZone("Zone\($0)") }
            try await stack.withService {
                for zone in zones { try await stack.commit(zone.event(1...1)) }
                try await stack.withService {
                    for zone in zones { try await stack.commit(zone.event(2...2)) }
                    for zone in zones { _ = try await stack.heard(zone, upTo: 2) }
                }
                for zone in zones { try await stack.commit(zone.event(3...3)) }
                for zone in zones {
                    let spans = try await stack.heard(zone, upTo: 3)
                    #expect(Set(spans) == [1...1, 2...2, 3...3])
                }
            }
        }
    }
}
