import AMQPClient
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// A lane between a queue of events and the notifications, with real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct ShardLaneTests {
    @Test func everyChangeIsAZoneNotificationInOrder() async throws {
        try await LaneStack.with { stack in
            let zones = (0..<20).map { TestZone("Zone\($0)") }
            try await stack.withLane {
                for seq: Int64 in 1...5 {
                    for zone in zones { try await stack.commit(zone.event(seq...seq)) }
                }
                for zone in zones {
                    let spans = try await stack.heard(zone, upTo: 5)
                    #expect(spans == [1...1, 2...2, 3...3, 4...4, 5...5])
                    #expect(stack.record.questions(about: zone.incarnation) == 0)
                }
            }
        }
    }

    @Test func anEventThatCannotBeReadIsDeadLettered() async throws {
        try await LaneStack.with { stack in
            let configuration = try AMQPConfiguration(url: try TestEnvironment.required().amqpURL)
            try await TestQueue.withDeliveries(of: "\(stack.queue).dead", configuration) { dead in
                try await stack.withLane {
                    let body = Array(#"{"version":2}"#.utf8)
                    try await stack.publisher.publish(AMQPMessage(exchange: "", routingKey: stack.queue, body: body))
                    let letter = try await dead.first("the dead letter")
                    #expect(letter.body == body)
                }
            }
        }
    }

    @Test func whatWasDeliveredIsNotDeliveredAgainByAnotherInstance() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            try await stack.withLane {
                try await stack.commit(zone.event(1...2))
                try await stack.waitUntilSettled(zone, at: 2)
            }
            try await stack.tell(zone.event(1...2))
            try await stack.commit(zone.event(3...3))
            try await stack.withLane { _ = try await stack.heard(zone, upTo: 3) }
            #expect(stack.notifications.elements.spans(of: zone) == [1...2, 3...3])
            #expect(stack.metrics.value(of: SubscriptionMetrics.repeats) >= 1)
        }
    }

    @Test func anInstanceThatEndsBetweenPublishingAndItsCursorIsRepeatedUnderTheSameID() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            try await stack.withLane(failing: [1]) {
                try await stack.commit(zone.event(1...2))
                _ = try await stack.heard(zone, upTo: 2)
            }
            let rows = try await stack.pool.withConnection { try await $0.query("select from subscription.cursor") }
            #expect(rows.isEmpty)
            try await stack.withLane { try await stack.waitUntilSettled(zone, at: 2) }
            let ids = stack.notifications.elements.map(\.properties.messageID)
            #expect(ids.count == 2 && Set(ids).count == 1)
        }
    }

    /// Two instances receive one zone's events in turn, which the broker normally prevents. Each has half of the
    /// events, so both depend on the cursor and the log.
    @Test func twoInstancesThatHaveOneShardLoseNothing() async throws {
        try await LaneStack.with { stack in
            let zones = (0..<5).map { TestZone("Zone\($0)") }
            try await stack.withLane {
                try await stack.withLane {
                    for seq: Int64 in 1...20 {
                        for zone in zones { try await stack.commit(zone.event(seq...seq)) }
                    }
                    for zone in zones { try await stack.waitUntilSettled(zone, at: 20) }
                }
            }
            for zone in zones {
                let spans = try await stack.heard(zone, upTo: 20)
                #expect(Set(spans) == Set((1...20).map { $0...$0 }))
                // Except for repeats, the notifications are in order: the first one with a number comes after those
                // with lower numbers.
                let firsts = spans.reduce(into: [ClosedRange<Int64>]()) { if !$0.contains($1) { $0.append($1) } }
                #expect(firsts == (1...20).map { $0...$0 })
            }
        }
    }

    @Test func aFullQueueOfOneConsumerIsPassedOver() async throws {
        try await LaneStack.with(fullQueue: true) { stack in
            let zone = TestZone()
            try await stack.withLane {
                for seq: Int64 in 1...3 { try await stack.commit(zone.event(seq...seq)) }
                // The other queues receive the notification, and the cursor is moved.
                _ = try await stack.heard(zone, upTo: 3)
                try await stack.waitUntilSettled(zone, at: 3)
            }
            #expect(stack.metrics.value(of: SubscriptionMetrics.refused) == 3)
        }
    }

    @Test func aSubscriptionIsNotifiedOfChangesAfterItWasSaved() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            let service = RequestStack(pool: stack.pool, record: stack.record)
            stack.record.make(zone)
            let early = try await stack.pool.withConnection {
                try await $0.query("select pg_current_xact_id()")[0].xid8(0)
            }
            try await service.ask(
                .subscriptionsModify, as: zone,
                [
                    "operations": [
                        .create("a", zone: "Notes", ["alertBody": "Look"]), .create("b", zone: "Notes"),
                    ]
                ])
            try await stack.withLane {
                try await stack.commit(zone.event(1...1, xid: early))
                try await stack.commit(zone.event(2...3, client: "device-7"))
                let reported = try await stack.notifications.wait(for: "both subscriptions") { deliveries in
                    let users = deliveries.filter { $0.routingKey.hasPrefix("user.") }
                    return users.count == 2 ? users : nil
                }
                let bodies = try reported.map { try JSONValue(parsing: $0.body) }
                #expect(bodies.map { $0["fromSeq"] } == [2, 2])
                #expect(Set(bodies.map { $0["ck"]?["fet"]?["sid"] }) == ["a", "b"])
                #expect(Set(bodies.map { $0["ck"]?["nid"] }).count == 1)
                #expect(bodies.first { $0["ck"]?["fet"]?["sid"] == "a" }?["aps"] == ["alert": "Look"])
                #expect(reported.allSatisfy { $0.properties.headers.string(Header.client) == "device-7" })
                let spans = try await stack.heard(zone, upTo: 3)
                #expect(spans == [1...1, 2...3])
            }
        }
    }
}
