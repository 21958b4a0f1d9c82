import AMQPClient
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The sweep with a real database. The messages that it publishes are collected.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(1)))
struct SweepTests {
    /// The parts of a sweep, and the messages that it published.
    private final class Bench: Sendable {
        let pool: PostgresPool
        let record = FakeRecordService()
        let published = Mutex<[AMQPMessage]>([])
        let isRefusing = Mutex(false)

        init(_ pool: PostgresPool) { self.pool = pool }

        /// Runs a sweep, and returns the messages that it published.
        func sweep() async throws -> [AMQPMessage] {
            published.withLock { $0 = [] }
            try await Sweep(
                table: SweepTable(pool: pool), cursors: CursorTable(pool: pool),
                log: ChangeLogClient(call: record.call),
                send: { messages in
                    if self.isRefusing.withLock({ $0 }) {
                        return messages.map { _ in .failure(AMQPError(.nacked, "ordered")) }
                    }
                    self.published.withLock { $0 += messages }
                    return messages.map { _ in .success(()) }
                }, metrics: SubscriptionMetrics(ServiceMetrics()), period: .zero
            ).runOnce()
            return published.withLock { $0 }
        }

        func deliver(_ zone: TestZone, upTo seq: Int64) async throws {
            _ = try await CursorTable(pool: pool).move([
                CursorTable.Move(incarnation: zone.incarnation, from: 0, to: seq)
            ])
        }
    }

    private func withBench(_ body: (Bench) async throws -> Void) async throws {
        try await withTestPool { pool in
            let bench = Bench(pool)
            // The first two sweeps determine the beginning.
            for _ in 0..<2 { _ = try await bench.sweep() }
            try await body(bench)
        }
    }

    @Test func aChangeUnderTheNumberOfALostOneIsPutBack() async throws {
        try await withBench { bench in
            let (zone, time) = (TestZone("Notes"), Int64(1_700_000_000_000))
            _ = try await CursorTable(pool: bench.pool).move([
                CursorTable.Move(incarnation: zone.incarnation, from: 0, to: 9, at: time)
            ])
            bench.record.commit(zone.event(4...4, at: time))
            bench.record.commit(zone.event(5...5, at: time + 1))
            _ = try await bench.sweep()
            let found = try await bench.sweep()
            #expect(found.count == 1)
            let body = try JSONValue(parsing: try #require(found.first).body)
            #expect(body["toSeq"] == 5)
        }
    }

    @Test func aChangeThatDoesNotArriveIsPutBackOnceAsTheLastOfItsZone() async throws {
        try await withBench { bench in
            let (zone, other) = (TestZone("Notes"), TestZone("Other"))
            for seq: Int64 in 1...4 { bench.record.commit(zone.event(seq...seq)) }
            bench.record.commit(other.event(1...2))
            try await bench.deliver(other, upTo: 2)
            // The event was committed after the last sweep, so it may still arrive.
            let early = try await bench.sweep()
            #expect(early.isEmpty)
            let found = try await bench.sweep()
            #expect(found.count == 1)
            let message = try #require(found.first)
            #expect(message.exchange == "")
            #expect(message.routingKey == Queue.subscriptionChanges(RoutingKey.shard(of: zone.address)))
            let change = try ZoneChange(JSONValue(parsing: message.body))
            #expect(change.toSeq == 4)
            #expect(change.records == nil)
            let late = try await bench.sweep()
            #expect(late.isEmpty)
        }
    }

    @Test func whatCouldNotBePutBackIsFoundAgain() async throws {
        try await withBench { bench in
            bench.record.commit(TestZone().event(1...1))
            _ = try await bench.sweep()
            bench.isRefusing.withLock { $0 = true }
            await #expect(throws: AMQPError.self) { try await bench.sweep() }
            bench.isRefusing.withLock { $0 = false }
            let found = try await bench.sweep()
            #expect(found.count == 1)
        }
    }

    @Test func nothingIsFoundOfTheTimeBeforeTheFirstSweep() async throws {
        try await withTestPool { pool in
            let bench = Bench(pool)
            bench.record.commit(TestZone().event(1...1))
            for _ in 0..<4 {
                let found = try await bench.sweep()
                #expect(found.isEmpty)
            }
        }
    }
}
