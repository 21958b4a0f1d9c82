import Foundation
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

    private func deliver(upTo seq: Int64, _ state: inout ShardState) {
        state.use(incarnation) { $0.sequencer.deliver(upTo: seq) }
        state.behind.insert(incarnation)
    }
}
