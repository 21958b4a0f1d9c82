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

/// Users are notified only of records that they may read. Uses real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct RightsCheckTests: SubscriptionSuite {
    let zone = TestZone("Notes")

    @Test func aUserThatMayNoLongerReadATypeGetsNoNotificationsOfIt() async throws {
        try await with([
            .watch("notes", filter: [:], on: ["create"]), .watch("tasks", type: "Task", filter: [:], on: ["create"]),
        ]) { stack, _ in
            try await stack.withLane {
                var events = [
                    zone.event([(.created, "a", [:])]), zone.event([(.created, "t", [:])], from: 2, type: "Task"),
                ]
                let later = stack.record.deny("Note")
                events += [
                    zone.event([(.created, "b", [:])], from: 3),
                    zone.event([(.created, "u", [:])], from: 4, type: "Task"),
                    zone.event([(.created, "c", [:])], from: 5),
                ]
                for index in events.indices { events[index].rights = index < 2 ? 1 : later }
                for event in events { try await stack.commit(event) }
                _ = try await stack.heard(zone, upTo: 5)
                #expect(heard(try await reported(stack, count: 3)) == ["notes a", "tasks t", "tasks u"])
            }
            // The rights are not requested again until they change again.
            let rights = try await stack.pool.withConnection {
                try await $0.query("select denied, rights from subscription.subscription order by subscription_id")
            }
            #expect(rights.map { $0.bool(0) } == [true, false])
            #expect(rights.map { $0.int64(1) } == [2, 2])
        }
    }

    /// A record service that is shutting down answers immediately. It is asked at intervals, and nothing is lost.
    @Test func rightsAreAskedForAtIntervalsUntilTheyAreKnown() async throws {
        try await with([.watch("notes", filter: [:], on: ["create"])]) { stack, _ in
            let clock = CountingClock()
            try await stack.withLane(rightsClock: clock) {
                stack.record.end(times: 5)
                var event = zone.event([(.created, "a", [:])])
                event.rights = 2
                try await stack.commit(event)
                #expect(heard(try await reported(stack, count: 1)) == ["notes a"])
                // After three answers, other zones continue before the fourth request.
                #expect(clock.sleeps == 4)
            }
        }
    }
}
