import CloudKitWire
import ServiceMessages
import TestGenerators
import Testing

@testable import CommandLineSession
@testable import FakeServices
@testable import LoadGenerator

@Suite struct SequenceCheckTests {
    private func check(
        _ ranges: [ClosedRange<Int64>], fromFirstHeard: Bool = false
    ) -> (verdicts: [SequenceCheck.Verdict], missing: Int) {
        var check = SequenceCheck(fromFirstHeard: fromFirstHeard)
        let verdicts = ranges.map { check.note($0) }
        return (verdicts, check.missing)
    }

    @Test(
        arguments: [
            ([1...1, 2...5, 6...6], [.news, .news, .news], 0),
            // Repeats of one change, of several changes in one notification, and of all.
            ([1...2, 3...3, 3...3, 1...3, 4...4], [.news, .news, .repeated, .repeated, .news], 0),
            // Changes that are never reported, at the beginning and in the middle.
            ([3...4], [.news], 2), ([1...1, 5...6, 8...8], [.news, .news, .news], 4),
            // Changes that are reported late, in parts.
            ([1...1, 5...6, 2...2, 3...4, 7...7], [.news, .news, .outOfOrder, .outOfOrder, .news], 0),
            ([1...1, 9...9, 4...5], [.news, .news, .outOfOrder], 5),
            ([1...1, 9...9, 4...5, 4...5], [.news, .news, .outOfOrder, .repeated], 5),
            // A notification whose first half is already known.
            ([1...3, 2...5], [.news, .outOfOrder], 0),
        ] as [([ClosedRange<Int64>], [SequenceCheck.Verdict], Int)])
    func notificationsAreJudgedByWhereTheyBegin(
        ranges: [ClosedRange<Int64>], verdicts: [SequenceCheck.Verdict], missing: Int
    ) {
        let result = check(ranges)
        #expect(result.verdicts == verdicts)
        #expect(result.missing == missing)
    }

    @Test(
        arguments: [
            ([4...5, 6...6], [.news, .news], 0), ([4...5, 8...8], [.news, .news], 2),
            ([4...5, 3...3, 3...3, 6...6], [.news, .outOfOrder, .repeated, .news], 0),
        ] as [([ClosedRange<Int64>], [SequenceCheck.Verdict], Int)])
    func aLateListenerMissesNothingBeforeTheFirstChangeItReceivesAndEverythingLeftOutAfterIt(
        ranges: [ClosedRange<Int64>], verdicts: [SequenceCheck.Verdict], missing: Int
    ) {
        let result = check(ranges, fromFirstHeard: true)
        #expect(result.verdicts == verdicts)
        #expect(result.missing == missing)
    }

    @Test func inAnyOrderNothingIsMissingWhenEverythingArrivedAndEachChangeIsNewOnce() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<200 {
            var ranges: [ClosedRange<Int64>] = []
            var next: Int64 = 1
            while ranges.count < 8 {
                let end = next + Int64.random(in: 0...3, using: &random)
                ranges.append(next...end)
                next = end + 1
            }
            let result = check((ranges + ranges).shuffled(using: &random))
            #expect(result.missing == 0)
            #expect(result.verdicts.filter { $0 != .repeated }.count == ranges.count)
        }
    }
}

@Suite struct HeardIDsTests {
    @Test func aReceivedIDIsKnownAndAVeryOldRepeatIsNotCountedAgainstTheService() {
        var ids = HeardIDs(limit: 10)
        for number in 1...100 {
            let isKnown = ids.note("\(number)", upTo: Int64(number))
            #expect(!isKnown)
        }
        let answers = [("100", 100), ("91", 91), ("other", 95), ("other", 95), ("other still", 5)].map { id, seq in
            ids.note(id, upTo: Int64(seq))
        }
        #expect(answers == [true, true, false, true, true])
    }
}

@Suite struct HearingLedgerTests {
    private let names = LoadNames(run: "w", zonePrefix: "z")
    private let start = ContinuousClock.now

    private func operation(_ index: Int, _ kind: ChangedRecord.Kind = .created) -> HearingLedger.Operation {
        HearingLedger.Operation(record: LoadNames.Record(slot: 0, index: index), kind: kind)
    }

    private func notification(
        _ seq: Int64, _ index: Int, _ kind: ChangedRecord.Kind = .created
    ) throws -> ZoneNotification {
        let name = names.record(LoadNames.Record(slot: 0, index: index))
        return try .made(zone: "z-0", from: seq, to: seq, records: [(name, kind.rawValue)])
    }

    @Test func aNotificationAfterItsAnswerHasThatLatencyAndOneBeforeHasNone() throws {
        var ledger = HearingLedger()
        #expect(ledger.acknowledge(operation(0), at: start) == nil)
        #expect(ledger.awaited == 1)
        #expect(
            ledger.hear(try notification(1, 0), names: names, at: start + .milliseconds(5)) == [.milliseconds(5)])
        #expect(ledger.awaited == 0)
        #expect(ledger.hear(try notification(2, 1), names: names, at: start).isEmpty)
        #expect(ledger.awaited == 0)
        #expect(ledger.acknowledge(operation(1), at: start + .seconds(1)) == .zero)
        #expect(ledger.findings == HearingLedger.Findings(notifications: 2))
    }

    @Test func anOperationThatIsNeverReportedIsLostOnceAlthoughItsNumberIsLeftOutToo() throws {
        var ledger = HearingLedger()
        for index in 0..<3 { _ = ledger.acknowledge(operation(index), at: start) }
        _ = ledger.hear(try notification(1, 0), names: names, at: start)
        _ = ledger.hear(try notification(3, 2), names: names, at: start)
        #expect(ledger.findings == HearingLedger.Findings(notifications: 2, lost: 1))
    }

    @Test func theLastOperationIsMissedAlthoughNothingFollowsAndSoIsOneOfAnotherKind() throws {
        var ledger = HearingLedger()
        _ = ledger.acknowledge(operation(0), at: start)
        _ = ledger.acknowledge(operation(0, .deleted), at: start)
        _ = ledger.hear(try notification(1, 0), names: names, at: start)
        #expect(ledger.findings.lost == 1)
        _ = ledger.hear(try notification(2, 0, .deleted), names: names, at: start)
        #expect(ledger.findings.lost == 0)
    }

    @Test func repeatsAndDisorderAreCountedSeparatelyAndARepeatSettlesNothingTwice() throws {
        var ledger = HearingLedger()
        for index in 0..<2 { _ = ledger.acknowledge(operation(index), at: start) }
        for (seq, index) in [(2, 1), (1, 0), (1, 0), (2, 1)] as [(Int64, Int)] {
            _ = ledger.hear(try notification(seq, index), names: names, at: start)
        }
        #expect(ledger.findings == HearingLedger.Findings(notifications: 2, repeated: 2, outOfOrder: 1))
        #expect(ledger.awaited == 0)
    }

    @Test func aRepeatUnderAnotherIDIsUnknownWithinItsZoneIncarnation() throws {
        var ledger = HearingLedger()
        for id in ["a", "a", "b", "b"] {
            var repeated = try notification(1, 0)
            repeated.id = id
            _ = ledger.hear(repeated, names: names, at: start)
        }
        #expect(ledger.findings == HearingLedger.Findings(notifications: 1, repeated: 3, unknownRepeats: 1))
        var other = try notification(1, 1)
        (other.id, other.incarnation) = ("c", "j")
        _ = ledger.hear(other, names: names, at: start)
        #expect(ledger.findings.unknownRepeats == 1)
    }

    @Test func aSubscriberBeginsWithItsFirstChangeButMustReceiveEveryOperation() throws {
        var ledger = HearingLedger(fromFirstHeard: true)
        _ = ledger.acknowledge(operation(0), at: start)
        _ = ledger.hear(try notification(7, 0), names: names, at: start)
        #expect(ledger.findings == HearingLedger.Findings(notifications: 1))
        _ = ledger.acknowledge(operation(1), at: start)
        #expect(ledger.findings.lost == 1)
    }

    @Test func aThirdOfTheWatchersAreSubscribersUpToTheLimitEachWithIDsOfItsOwn() {
        let plan = WatchedPlan()
        #expect((0..<9).filter(plan.isSubscriber) == [2, 5, 8])
        #expect((0..<2000).count(where: plan.isSubscriber) == 200)
        let ids = (0..<20).flatMap { watcher in
            plan.zones(ofWatcher: watcher).map { plan.subscriptionID(ofWatcher: watcher, zone: $0) }
        }
        #expect(Set(ids).count == 60)
    }

    @Test func everyWatcherHasAWatchedZoneAndZonesAreSpreadOverTheWatchers() {
        var plan = WatchedPlan()
        #expect(Set((0..<plan.watchers).flatMap { plan.zones(ofWatcher: $0) }).count == plan.zones)
        plan.zones = 2
        #expect(plan.zones(ofWatcher: 7).sorted() == [0, 1])
        #expect(WatchedPlan().names.zonePrefix != plan.names.zonePrefix)
    }
}
