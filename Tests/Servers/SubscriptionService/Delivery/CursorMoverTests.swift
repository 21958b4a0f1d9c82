import Foundation
import PostgresClient
import RequestServing
import ServiceRuntime
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The mover with a real database.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(1)))
struct CursorMoverTests {
    @Test func everyLaneLearnsOfItsOwnCursors() async throws {
        try await withMover { mover in
            let lanes = (0..<3).map { _ in BatchQueue<ShardInput>() }
            let moves = lanes.map { _ in CursorTable.Move(incarnation: UUID(), from: 0, to: 2) }
            for (lane, move) in zip(lanes, moves) { mover.move([move], tell: lane) }
            for (lane, move) in zip(lanes, moves) { #expect(await lane.nextMoved() == [move.incarnation]) }
        }
    }

    @Test func aCursorThatStandsElsewhereStays() async throws {
        try await withMover { mover in
            let (lane, incarnation, other) = (BatchQueue<ShardInput>(), UUID(), UUID())
            mover.move([CursorTable.Move(incarnation: incarnation, from: 0, to: 2)], tell: lane)
            #expect(await lane.nextMoved() == [incarnation])
            mover.move(
                [
                    CursorTable.Move(incarnation: incarnation, from: 1, to: 3),
                    CursorTable.Move(incarnation: other, from: 0, to: 1),
                ], tell: lane)
            #expect(await lane.nextMoved() == [other])
        }
    }

    /// One request is made before and one after a lost connection. Both are in one transaction, because the mover
    /// starts only after both.
    @Test func aZoneThatIsAskedAboutTwiceIsAnsweredOnce() async throws {
        let (lane, incarnation) = (BatchQueue<ShardInput>(), UUID())
        try await withMover(asking: { mover in
            mover.move([CursorTable.Move(incarnation: incarnation, from: 0, to: 2)], tell: lane)
            mover.move([CursorTable.Move(incarnation: incarnation, from: 0, to: 3)], tell: lane)
        }) { _ in
            lane.finish()
            var reported: [Set<UUID>] = []
            // Both are answered, and the answers may arrive one by one.
            while let moved = await lane.nextMoved() { reported.append(moved) }
            #expect(reported.filter { !$0.isEmpty } == [[incarnation]])
        }
    }

    @Test func aRowThatCannotBeMovedHoldsUpNoOther() async throws {
        try await withTestPool { pool in
            _ = try await pool.withConnection {
                try await $0.query("alter table subscription.cursor add check (delivered <> 13)")
            }
            let (lane, bad, good) = (BatchQueue<ShardInput>(), UUID(), UUID())
            try await withMover(pool) { mover in
                let wrong = CursorTable.Move(incarnation: bad, from: 0, to: 13)
                mover.move([wrong, CursorTable.Move(incarnation: good, from: 0, to: 2)], tell: lane)
                lane.finish()
                var (moved, unmoved) = (Set<UUID>(), [CursorTable.Move]())
                while let inputs = await lane.next() {
                    for input in inputs {
                        if case .moved(_, let done) = input { moved.formUnion(done) }
                        if case .unmoved(let move) = input { unmoved.append(move) }
                    }
                }
                #expect(moved == [good])
                #expect(unmoved == [wrong])
            }
        }
    }

    private func withMover(
        asking: (CursorMover) -> Void = { _ in }, _ body: @escaping (CursorMover) async throws -> Void
    ) async throws {
        try await withTestPool { try await withMover($0, asking: asking, body) }
    }

    private func withMover(
        _ pool: PostgresPool, asking: (CursorMover) -> Void = { _ in },
        _ body: @escaping (CursorMover) async throws -> Void
    ) async throws {
        let mover = CursorMover(
            table: CursorTable(pool: pool),
            retry: DatabaseRetry(logger: testLogger, metrics: RequestMetrics(ServiceMetrics())))
        asking(mover)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await mover.run() }
            defer { mover.finish() }
            try await body(mover)
        }
    }
}

extension BatchQueue<ShardInput> {
    /// Returns the zones whose cursors were moved according to the next answers; nil if there are no more.
    fileprivate func nextMoved() async -> Set<UUID>? {
        await next()?.reduce(into: Set<UUID>()) { moved, input in
            if case .moved(_, let done) = input { moved.formUnion(done) }
        }
    }
}
