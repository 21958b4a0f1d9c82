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

/// Events that are late or lost, with real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct ShardLaneGapTests {
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

    @Test func whatWaitsBehindAGapDoesNotFillThePrefetch() async throws {
        try await LaneStack.with { stack in
            let (zone, other) = (TestZone("Notes"), TestZone("Other"))
            stack.record.fail(zone.incarnation, times: 1_000_000)
            try await stack.withLane {
                try await stack.commit(zone.event(1...1), isLost: true)
                // These are more events than the lane may hold.
                for seq: Int64 in 2...300 { try await stack.commit(zone.event(seq...seq)) }
                try await stack.commit(other.event(1...1))
                _ = try await stack.heard(other, upTo: 1)
                stack.record.fail(zone.incarnation, times: 0)
                // The log is read in pages of two events.
                let spans = try await stack.heard(zone, upTo: 300, within: .seconds(50))
                #expect(spans == (1...300).map { $0...$0 })
            }
        }
    }
}
