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

/// The cursors that a lane moves, with real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct ShardLaneCursorTests {
    /// The database of the record service is promoted without changes whose events have been sent. Their numbers are
    /// assigned again, even to changes whose events are lost.
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
                // The next change is neither lost nor repeated.
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

    /// The promotion happens while the cursor is being moved to the lost changes.
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
            // The event is acknowledged, so another instance does not receive it.
            let given = stack.metrics.value(of: SubscriptionMetrics.zonesGivenUp)
            try await stack.withLane {
                try await stack.commit(other.event(2...2))
                _ = try await stack.heard(other, upTo: 2)
            }
            #expect(stack.metrics.value(of: SubscriptionMetrics.zonesGivenUp) == given)
        }
    }

    /// The state after a restore of the database, or after a failover to a replica that lacked the last commits.
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
            // The update fails together with others, alone, and alone again. A sequence counts the attempts, because it
            // is not rolled back.
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
}
