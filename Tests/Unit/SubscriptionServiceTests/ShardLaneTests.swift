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

/// A lane between a queue of events and the notifications, over real servers.
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

    @Test func anEventThatIsLostIsReadFromTheLog() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            try await stack.withLane {
                try await stack.commit(zone.event(1...1))
                for seq: Int64 in 2...6 { try await stack.commit(zone.event(seq...seq), isLost: true) }
                try await stack.commit(zone.event(7...8))
                let spans = try await stack.heard(zone, upTo: 8)
                #expect(spans == [1...1, 2...2, 3...3, 4...4, 5...5, 6...6, 7...8])
            }
        }
    }

    @Test func anEventThatIsOnlyLateIsWaitedFor() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            try await stack.withLane {
                try await stack.tell(zone.event(3...3))
                try await stack.tell(zone.event(2...2))
                try await stack.tell(zone.event(1...1))
                let spans = try await stack.heard(zone, upTo: 3)
                #expect(spans == [1...1, 2...2, 3...3])
                #expect(stack.record.questions(about: zone.incarnation) == 0)
            }
        }
    }

    @Test func anEventWithoutItsRecordsIsReadFromTheLog() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            stack.record.commit(zone.event(1...3))
            try await stack.withLane {
                try await stack.tell(zone.event(1...3, hasRecords: false))
                _ = try await stack.heard(zone, upTo: 3)
                let body = try #require(stack.notifications.elements.last?.body)
                #expect(try JSONValue(parsing: body)["records"]?.array?.count == 3)
            }
        }
    }

    @Test func mergedChangesOfTheLogSaySo() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            stack.record.commit(zone.event(1...4, isMerged: true))
            try await stack.withLane {
                try await stack.commit(zone.event(5...5))
                let spans = try await stack.heard(zone, upTo: 5)
                #expect(spans == [1...4, 5...5])
                let merged = try stack.notifications.elements.map { try JSONValue(parsing: $0.body)["merged"] }
                #expect(merged == [true, nil])
            }
        }
    }

    @Test func aFailedLogReadOfOneZoneDelaysNoOther() async throws {
        try await LaneStack.with { stack in
            let (zone, other) = (TestZone("Notes"), TestZone("Other"))
            stack.record.fail(zone.incarnation, times: 2)
            try await stack.withLane {
                try await stack.commit(zone.event(1...1), isLost: true)
                try await stack.commit(zone.event(2...2))
                try await stack.commit(other.event(1...1))
                _ = try await stack.heard(other, upTo: 1)
                #expect(stack.notifications.elements.spans(of: zone).isEmpty)
                let spans = try await stack.heard(zone, upTo: 2)
                #expect(spans == [1...1, 2...2])
                #expect(stack.record.questions(about: zone.incarnation) == 3)
            }
        }
    }

    /// The database of the record service is promoted without changes whose events have gone out; their numbers are given
    /// again, also for changes whose events are lost.
    @Test(arguments: [true, false]) func whatComesUnderNumbersOfLostChangesIsDelivered(isAnotherInstance: Bool)
        async throws
    {
        try await LaneStack.with { stack in
            let zone = TestZone()
            let (lost, late): (UInt64, UInt64) = (1_700_000_000, 1_700_000_060)
            func loseAndContinue() async throws {
                stack.record.lose(zone.incarnation, after: 2)
                try await stack.commit(zone.event(3...3, at: Int64(late) * 1000), isLost: true)
                try await stack.commit(zone.event(4...4, at: Int64(late + 1) * 1000))
                _ = try await stack.notifications.wait(for: "the new changes") { deliveries in
                    Set(deliveries.times(of: zone)).isSuperset(of: [late, late + 1]) ? true : nil
                }
                try await stack.waitUntilSettled(zone, at: 4)
                // What comes next is neither lost nor repeated.
                try await stack.commit(zone.event(5...5, at: Int64(late + 2) * 1000))
                let times = try await stack.notifications.wait(for: "the next one") { deliveries in
                    deliveries.times(of: zone).contains(late + 2) ? deliveries.times(of: zone) : nil
                }
                #expect(times.suffix(3) == [late, late + 1, late + 2])
            }
            try await stack.withLane {
                for seq: Int64 in 1...6 { try await stack.commit(zone.event(seq...seq, at: Int64(lost) * 1000 + seq)) }
                _ = try await stack.heard(zone, upTo: 6)
                try await stack.waitUntilSettled(zone, at: 6)
                if !isAnotherInstance { try await loseAndContinue() }
            }
            if isAnotherInstance { try await stack.withLane { try await loseAndContinue() } }
            let lowered = stack.metrics.value(of: SubscriptionMetrics.cursorsLowered)
            #expect(lowered == 1)
        }
    }

    /// The promotion comes while the cursor is moved to what is lost.
    @Test func whatComesUnderThoseNumbersWhileTheCursorIsMovedIsDelivered() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            let late: Int64 = 1_700_000_060_000
            let (isLocked, release) = (TestMailbox<Void>(), TestMailbox<Void>())
            try await stack.withLane {
                for seq: Int64 in 1...4 { try await stack.commit(zone.event(seq...seq)) }
                try await stack.waitUntilSettled(zone, at: 4)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await stack.pool.withTransaction { connection in
                            _ = try await connection.query(
                                "select from subscription.cursor where incarnation = $1 for update",
                                [.uuid(zone.incarnation)])
                            isLocked.add(())
                            _ = try await release.first("the new changes") { true }
                        }
                    }
                    _ = try await isLocked.first("the lock") { true }
                    for seq: Int64 in 5...7 { try await stack.commit(zone.event(seq...seq)) }
                    _ = try await stack.heard(zone, upTo: 7)
                    stack.record.lose(zone.incarnation, after: 4)
                    for seq: Int64 in 5...8 { try await stack.commit(zone.event(seq...seq, at: late + seq * 1000)) }
                    release.add(())
                    try await group.waitForAll()
                }
                _ = try await stack.notifications.wait(for: "the new changes") { deliveries in
                    let new = Set((5...8).map { UInt64(late / 1000 + $0) })
                    return Set(deliveries.times(of: zone)).isSuperset(of: new) ? true : nil
                }
                try await stack.waitUntilSettled(zone, at: 8)
            }
        }
    }

    @Test func changesOfAZoneThatIsGoneAreDiscarded() async throws {
        try await LaneStack.with { stack in
            let (zone, other) = (TestZone("Gone"), TestZone("Other"))
            let cursors = CursorTable(pool: stack.pool)
            _ = try await cursors.move([CursorTable.Move(incarnation: zone.incarnation, from: 0, to: 3)])
            try await stack.withLane {
                try await stack.tell(zone.event(5...5))
                _ = try await stack.log.first("the warning") { $0.contains("discarded") }
                try await stack.commit(other.event(1...1))
                _ = try await stack.heard(other, upTo: 1)
            }
            let left = try await cursors.read([zone.incarnation])
            #expect(left.isEmpty)
            // Acknowledged: another instance does not meet it.
            let given = stack.metrics.value(of: SubscriptionMetrics.zonesGivenUp)
            try await stack.withLane {
                try await stack.commit(other.event(2...2))
                _ = try await stack.heard(other, upTo: 2)
            }
            #expect(stack.metrics.value(of: SubscriptionMetrics.zonesGivenUp) == given)
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

    /// As after a restore of the database, or a failover to a replica that lacked the last commits.
    @Test func aCursorThatFellBackIsCaughtUpWith() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            try await stack.withLane {
                for seq: Int64 in 1...3 { try await stack.commit(zone.event(seq...seq)) }
                try await stack.waitUntilSettled(zone, at: 3)
                _ = try await stack.pool.withConnection {
                    try await $0.query("update subscription.cursor set previous = 0, delivered = 1")
                }
                try await stack.commit(zone.event(4...4))
                try await stack.waitUntilSettled(zone, at: 4)
            }
            #expect(stack.metrics.value(of: SubscriptionMetrics.cursorConflicts) == 1)
        }
    }

    @Test func aCursorThatCannotBeMovedIsTriedAgainAndNothingIsRepeated() async throws {
        try await LaneStack.with { stack in
            let zone = TestZone()
            // Together with others, alone, and alone once more; a sequence remembers what was rolled back.
            for statement: PostgresStatement in [
                "create sequence subscription.tries",
                """
                create function subscription.refuse() returns trigger language plpgsql as $do$ begin
                    if nextval('subscription.tries') <= 3 then raise exception 'ordered'; end if;
                    return new;
                end $do$
                """,
                """
                create trigger refuse before insert on subscription.cursor
                    for each row execute function subscription.refuse()
                """,
            ] {
                _ = try await stack.pool.withConnection { try await $0.query(statement) }
            }
            try await stack.withLane {
                try await stack.commit(zone.event(1...2))
                try await stack.waitUntilSettled(zone, at: 2)
            }
            #expect(stack.notifications.elements.spans(of: zone) == [1...2])
            #expect(stack.metrics.value(of: SubscriptionMetrics.cursorConflicts) == 0)
        }
    }

    @Test func whatWaitsBehindAGapDoesNotFillThePrefetch() async throws {
        try await LaneStack.with { stack in
            let (zone, other) = (TestZone("Notes"), TestZone("Other"))
            stack.record.fail(zone.incarnation, times: 1_000_000)
            try await stack.withLane {
                try await stack.commit(zone.event(1...1), isLost: true)
                // More than the lane may hold.
                for seq: Int64 in 2...300 { try await stack.commit(zone.event(seq...seq)) }
                try await stack.commit(other.event(1...1))
                _ = try await stack.heard(other, upTo: 1)
                stack.record.fail(zone.incarnation, times: 0)
                // Page by page of the log, each two events long.
                let spans = try await stack.heard(zone, upTo: 300, within: .seconds(50))
                #expect(spans == (1...300).map { $0...$0 })
            }
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

    /// Two instances take one zone's events in turn, which no broker would let them: each has half of them, and only
    /// the cursor and the log bring them together.
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
                // Repeats apart, in order: a number comes first after the one before it.
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
                // The others hear it, and the cursor moves on.
                _ = try await stack.heard(zone, upTo: 3)
                try await stack.waitUntilSettled(zone, at: 3)
            }
            #expect(stack.metrics.value(of: SubscriptionMetrics.refused) == 3)
        }
    }

    @Test func aSubscriptionIsToldOfWhatCameAfterItWasSaved() async throws {
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
                let told = try await stack.notifications.wait(for: "both subscriptions") { deliveries in
                    let users = deliveries.filter { $0.routingKey.hasPrefix("user.") }
                    return users.count == 2 ? users : nil
                }
                let bodies = try told.map { try JSONValue(parsing: $0.body) }
                #expect(bodies.map { $0["fromSeq"] } == [2, 2])
                #expect(Set(bodies.map { $0["ck"]?["fet"]?["sid"] }) == ["a", "b"])
                #expect(Set(bodies.map { $0["ck"]?["nid"] }).count == 1)
                #expect(bodies.first { $0["ck"]?["fet"]?["sid"] == "a" }?["aps"] == ["alert": "Look"])
                #expect(told.allSatisfy { $0.properties.headers.string(Header.client) == "device-7" })
                let spans = try await stack.heard(zone, upTo: 3)
                #expect(spans == [1...1, 2...3])
            }
        }
    }
}
