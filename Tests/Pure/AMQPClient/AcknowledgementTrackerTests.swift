import TestGenerators
import Testing

@testable import AMQPClient

@Suite struct AcknowledgementTrackerTests {
    private func tracker(prefetch: UInt16, delivered: ClosedRange<UInt64>) -> AcknowledgementTracker {
        var tracker = AcknowledgementTracker(prefetch: prefetch)
        for tag in delivered {
            tracker.deliver(tag)
        }
        return tracker
    }

    @Test func unbrokenRunTakesOneFrame() {
        var tracker = tracker(prefetch: 100, delivered: 1...5)
        for tag in [3, 1, 2] as [UInt64] {
            tracker.finish(tag)
        }
        #expect(tracker.flush() == [Acknowledgement(tag: 3, multiple: true)])
        #expect(tracker.flush() == [])
        #expect(tracker.unfinishedCount == 2)
    }

    @Test func singleDeliveryIsAcknowledgedSingly() {
        var tracker = tracker(prefetch: 1, delivered: 1...1)
        tracker.finish(1)
        #expect(tracker.flush() == [Acknowledgement(tag: 1, multiple: false)])
    }

    @Test func nothingIsAcknowledgedBeyondAGap() {
        var tracker = tracker(prefetch: 100, delivered: 1...10)
        for tag in 2...10 as ClosedRange<UInt64> {
            tracker.finish(tag)
        }
        #expect(tracker.flush() == [])
        #expect(tracker.hasFinished)
        tracker.finish(1)
        #expect(tracker.flush() == [Acknowledgement(tag: 10, multiple: true)])
        #expect(!tracker.hasFinished)
    }

    @Test func stragglersThatFillAQuarterOfTheWindowGoSingly() {
        var tracker = tracker(prefetch: 8, delivered: 1...4)
        tracker.finish(3)
        #expect(tracker.flush() == [])
        tracker.finish(4)
        #expect(
            tracker.flush() == [Acknowledgement(tag: 3, multiple: false), Acknowledgement(tag: 4, multiple: false)])
        tracker.deliver(5)
        tracker.finish(1)
        tracker.finish(2)
        tracker.finish(5)
        #expect(tracker.flush() == [Acknowledgement(tag: 5, multiple: true)])
    }

    @Test func stragglersGoWhenAskedFor() {
        var tracker = tracker(prefetch: 1000, delivered: 1...3)
        tracker.finish(3)
        #expect(tracker.flush(includingStragglers: true) == [Acknowledgement(tag: 3, multiple: false)])
        #expect(tracker.unfinishedCount == 2)
    }

    @Test func repeatedAndUnknownTagsAreRefused() {
        var tracker = tracker(prefetch: 4, delivered: 1...2)
        let firstTime = tracker.finish(2)
        let secondTime = tracker.finish(2)
        let unknown = tracker.finish(3)
        let zero = tracker.finish(0)
        #expect(firstTime)
        #expect(!secondTime && !unknown && !zero)
        let removed = tracker.remove(2)
        #expect(!removed)
    }

    @Test func rejectedDeliveryDoesNotBreakTheRun() {
        var tracker = tracker(prefetch: 100, delivered: 1...3)
        let removed = tracker.remove(2)
        #expect(removed)
        tracker.finish(1)
        tracker.finish(3)
        #expect(tracker.flush() == [Acknowledgement(tag: 3, multiple: true)])
        #expect(tracker.unfinishedCount == 0)
    }

    /// Simulates a broker with random work. In any order, each delivery is acknowledged exactly once, and never before
    /// it is finished.
    @Test(arguments: [1, 2, 7, 100] as [UInt16], 0..<20 as Range<UInt64>)
    func everyDeliveryIsAcknowledgedOnceAndOnlyWhenFinished(prefetch: UInt16, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tracker = AcknowledgementTracker(prefetch: prefetch)
        var unacknowledged: Set<UInt64> = []
        var finished: Set<UInt64> = []
        var next: UInt64 = 1
        while next <= 500 || !unacknowledged.isEmpty {
            while next <= 500, unacknowledged.count < Int(prefetch) {
                tracker.deliver(next)
                unacknowledged.insert(next)
                next += 1
            }
            if let tag = unacknowledged.subtracting(finished).randomElement(using: &random) {
                let isHeld = tracker.finish(tag)
                #expect(isHeld)
                finished.insert(tag)
            }
            for acknowledgement in tracker.flush(includingStragglers: Bool.random(using: &random)) {
                let covered = unacknowledged.filter {
                    acknowledgement.multiple ? $0 <= acknowledgement.tag : $0 == acknowledgement.tag
                }
                #expect(!covered.isEmpty)
                #expect(covered.isSubset(of: finished))
                unacknowledged.subtract(covered)
            }
        }
        #expect(tracker.unfinishedCount == 0)
    }
}
