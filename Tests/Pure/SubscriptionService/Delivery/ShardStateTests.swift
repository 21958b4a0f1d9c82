import Foundation
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

struct ShardStateTests {
    private let incarnation = UUID()

    @Test func aCursorThatIsNotKnownIsReadBeforeItIsMoved() {
        var state = ShardState()
        deliver(upTo: 3, &state)
        #expect(state.takeMoves() == [])
        state.zones[incarnation]?.isCursorKnown = true
        #expect(state.takeMoves() == [CursorTable.Move(incarnation: incarnation, from: 0, to: 3)])
        // The changes are delivered one at a time.
        deliver(upTo: 4, &state)
        #expect(state.takeMoves() == [])
    }

    @Test func whileAZoneRestsItsCursorStays() {
        var state = ShardState()
        deliver(upTo: 3, &state)
        state.use(incarnation) { ($0.isCursorKnown, $0.isBackingOff) = (true, true) }
        #expect(state.takeMoves() == [])
        state.use(incarnation) { $0.isBackingOff = false }
        #expect(state.takeMoves().count == 1)
    }

    @Test func costlyZonesShareHalfOfThePrefetch() {
        var state = ShardState()
        #expect(state.maxHeld(prefetch: 200) == ShardLane.maxHeld)
        for _ in 0..<25 { state.enqueueCostly(UUID()) }
        #expect(state.maxHeld(prefetch: 200) == 4)
        for _ in 0..<200 { state.enqueueCostly(UUID()) }
        #expect(state.maxHeld(prefetch: 200) == 1)
    }

    @Test func pausedZonesHaveAShareOfThePrefetch() throws {
        var state = ShardState()
        for _ in 0..<25 { try addCostly(&state, isPaused: true) }
        let turn = state.beginDelivery()?.number
        #expect(turn == nil)
        #expect(state.maxHeld(prefetch: 200) == 4)
    }

    @Test func turnsThatNotifyParticipantsLetOthersBegin() throws {
        var state = ShardState()
        for _ in 0..<6 { try addCostly(&state) }
        let first = try begin(&state)
        let early = state.beginDelivery()?.number
        #expect(early == nil)
        state.beginParticipants(first.number)
        for _ in 0..<3 {
            let turn = try begin(&state)
            #expect(turn.delivery.includesParticipants)
            state.beginParticipants(turn.number)
        }
        // The other two only notify their owners, and then wait.
        var announced: Set<UUID> = []
        for _ in 0..<2 {
            let turn = try begin(&state)
            #expect(!turn.delivery.includesParticipants)
            announced.insert(turn.delivery.incarnation)
            var progress = turn.delivery.progress
            progress.announced = 1
            _ = state.endDelivery(turn.number, of: turn.delivery.incarnation)
            state.zones[turn.delivery.incarnation]?.progress = progress
        }
        #expect(announced.count == 2)
        let excess = state.beginDelivery()?.number
        #expect(excess == nil)
        state.zones[first.delivery.incarnation]?.sequencer.deliver(upTo: 1)
        _ = state.endDelivery(first.number, of: first.delivery.incarnation)
        let next = try begin(&state)
        #expect(next.delivery.includesParticipants && announced.contains(next.delivery.incarnation))
    }

    private func begin(_ state: inout ShardState) throws -> (number: Int, delivery: SeparateDelivery) {
        let turn = state.beginDelivery()
        return try #require(turn)
    }

    /// Adds a zone of another user with a change, and queues it.
    private func addCostly(_ state: inout ShardState, isPaused: Bool = false) throws {
        let change = try TestZone().change(1...1)
        state.use(change.incarnation) { zone in
            zone.sequencer.offer(change)
            (zone.isCursorKnown, zone.isCostly, zone.isBackingOff) = (true, true, isPaused)
        }
        state.enqueueCostly(change.incarnation)
    }

    private func deliver(upTo seq: Int64, _ state: inout ShardState) {
        state.use(incarnation) { $0.sequencer.deliver(upTo: seq) }
        state.behind.insert(incarnation)
    }
}
