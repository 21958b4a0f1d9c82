import Testing

@testable import AMQPClient

@Suite struct ConfirmTrackerTests {
    private func tracker(_ count: Int) -> ConfirmTracker<Int> {
        var tracker = ConfirmTracker<Int>()
        for number in 0..<count {
            let tag = tracker.append(number + 1)
            #expect(tag == UInt64(number + 1))
        }
        return tracker
    }

    @Test func singleConfirmsInAnyOrderGiveEachElementOnce() {
        var tracker = tracker(4)
        var settled: [Int] = []
        for tag in [3, 1, 4, 2] as [UInt64] {
            settled += tracker.settle(tag, multiple: false)
        }
        #expect(settled == [3, 1, 4, 2])
        #expect(tracker.count == 0)
    }

    @Test func multipleSettlesEverythingUpToTheTagThatWasNotSettledBefore() {
        var tracker = tracker(5)
        #expect(tracker.settle(2, multiple: false) == [2])
        #expect(tracker.settle(4, multiple: true) == [1, 3, 4])
        #expect(tracker.count == 1)
        #expect(tracker.append(6) == 6)
        #expect(tracker.settle(6, multiple: true) == [5, 6])
    }

    @Test func unknownAndRepeatedTagsSettleNothing() {
        var tracker = tracker(2)
        #expect(tracker.settle(3, multiple: true) == [])
        #expect(tracker.settle(0, multiple: false) == [])
        #expect(tracker.settle(1, multiple: false) == [1])
        #expect(tracker.settle(1, multiple: false) == [])
        #expect(tracker.settle(1, multiple: true) == [])
        #expect(tracker.count == 1)
    }

    @Test func resetGivesTheRestInOrderAndStartsAtTagOne() {
        var tracker = tracker(4)
        _ = tracker.settle(2, multiple: false)
        #expect(tracker.reset() == [1, 3, 4])
        #expect(tracker.count == 0)
        #expect(tracker.append(9) == 1)
    }

    @Test func firstFollowsTheOrderOfPublishing() {
        var tracker = tracker(6)
        _ = tracker.settle(2, multiple: false)
        #expect(tracker.first { $0.isMultiple(of: 2) } == 4)
        #expect(tracker.first { $0 > 6 } == nil)
    }
}
