import ServiceMessages
import Testing

@testable import CommandLineSession
@testable import LoadGenerator

@Suite struct MatchLedgerTests {
    private let start = ContinuousClock.now
    private let place = MatchPlan.Place(database: 0, zone: 0)

    /// Returns the ledger of a subscription to all changes in a zone. It was sent after two changes of each of two
    /// writers were answered, and answered after three had been sent.
    private func ledger(_ kind: MatchedSubscription.Kind = .query) -> MatchLedger {
        var ledger = MatchLedger(MatchedSubscription(id: "s", kind: kind, user: 0, database: 0, zone: 0))
        ledger.isSending(after: [2, 2])
        ledger.isAnswered(before: [3, 3])
        return ledger
    }

    private func facts(zone: Int = 0) -> MatchFacts {
        MatchFacts(
            place: MatchPlan.Place(database: 0, zone: zone), kind: .created, recordType: "T", word: "", number: 0)
    }

    private func change(_ number: Int, _ writer: Int = 0) -> MatchChange { MatchChange(writer: writer, number: number) }

    private func message(
        _ seq: Int64, _ numbers: [Int], id: String? = nil, writer: Int = 0, fate: WriterProgress.Fate = .done,
        zone: Int = 0, incarnation: String = "i"
    ) -> MatchLedger.Message {
        MatchLedger.Message(
            id: id ?? "\(incarnation)-\(seq)", incarnation: incarnation, toSeq: seq,
            changes: numbers.map { (change($0, writer), facts(zone: zone), fate) })
    }

    @Test func aNotificationAfterItsAnswerHasThatLatencyAndOneBeforeHasNone() {
        var ledger = ledger()
        #expect(ledger.done(change(3), facts(), at: start) == nil)
        #expect(ledger.awaited == 1)
        #expect(ledger.hear(message(1, [3]), at: start + .milliseconds(5)) == [.milliseconds(5)])
        #expect(ledger.hear(message(2, [4], fate: .underWay), at: start).isEmpty)
        #expect(ledger.done(change(4), facts(), at: start + .seconds(1)) == .zero)
        #expect(ledger.awaited == 0)
        #expect(ledger.findings == MatchFindings(expected: 2, received: 2))
    }

    @Test func aMatchingChangeSentAfterTheSubscriptionWasAnsweredIsLostWithoutANotification() {
        var ledger = ledger()
        for number in 3..<6 { _ = ledger.done(change(number), facts(), at: start) }
        _ = ledger.hear(message(2, [4]), at: start)
        #expect(ledger.findings == MatchFindings(expected: 3, received: 1, lost: 2))
    }

    @Test func aChangeThatDoesNotMatchOrHasNoAnswerNeedsNoNotification() {
        var ledger = ledger()
        _ = ledger.done(change(3), facts(zone: 1), at: start)
        #expect(ledger.findings == MatchFindings())
    }

    @Test func aChangeDuringTheSaveOfTheSubscriptionMayBeReportedAndOneAnsweredBeforeMustNotBe() {
        var ledger = ledger()
        _ = ledger.done(change(2), facts(), at: start)
        #expect(ledger.findings == MatchFindings())
        _ = ledger.hear(message(1, [2]), at: start)
        #expect(ledger.findings == MatchFindings(received: 1))
        _ = ledger.hear(message(2, [1], writer: 1), at: start)
        #expect(ledger.findings == MatchFindings(received: 1, foreign: 1))
    }

    @Test(arguments: [(WriterProgress.Fate.done, 1), (.unsent, 0)])
    func aNotificationWithoutAMatchASentChangeOrAnAcceptedSubscriptionIsForeign(fate: WriterProgress.Fate, zone: Int) {
        var ledger = ledger()
        _ = ledger.hear(message(1, [5], fate: fate, zone: zone), at: start)
        #expect(ledger.findings == MatchFindings(foreign: 1))
        var refused = self.ledger()
        refused.isRefused()
        _ = refused.hear(message(1, [5]), at: start)
        #expect(refused.findings.foreign == 1)
    }

    @Test func aSubscriptionOfUnknownOutcomeMayReportAnyLaterChangeAndNeedNot() {
        var ledger = MatchLedger(MatchedSubscription(id: "s", kind: .query, user: 0, database: 0, zone: 0))
        ledger.isSending(after: [2, 2])
        for number in 3..<5 { _ = ledger.done(change(number), facts(), at: start) }
        _ = ledger.hear(message(1, [3]), at: start)
        #expect(ledger.findings == MatchFindings(received: 1))
        #expect(!ledger.isSaved)
    }

    @Test func aRepeatIsKnownByItsIDAndThatOfAQueryUnderAnotherIDIsNot() {
        var ledger = ledger()
        _ = ledger.done(change(3), facts(), at: start)
        for id in ["a", "a", "b", "b"] { _ = ledger.hear(message(1, [3], id: id), at: start) }
        #expect(ledger.findings == MatchFindings(expected: 1, received: 1, repeats: 2, unknownRepeats: 1))
    }

    @Test func aZonesMessageMayRepeatEarlierChangesAsItsNumbersShow() {
        var ledger = ledger(.zone)
        for number in 3..<6 { _ = ledger.done(change(number), facts(), at: start) }
        _ = ledger.hear(message(1, [3]), at: start)
        _ = ledger.hear(message(3, [3, 4, 5]), at: start)
        _ = ledger.hear(message(2, [4], id: "again"), at: start)
        #expect(ledger.findings == MatchFindings(expected: 3, received: 3, repeats: 2))
    }

    @Test func aZonesMessageReportsAWholeTransactionWithARecordOfTheWatchedType() {
        var subscription = MatchedSubscription(id: "s", kind: .zone, user: 0, database: 0, zone: 0, recordType: "T")
        for (type, isForeign) in [("T", false), ("Other", true)] {
            subscription.recordType = type
            var ledger = MatchLedger(subscription)
            ledger.isSending(after: [0, 0])
            ledger.isAnswered(before: [0, 0])
            var other = facts()
            other.recordType = "Third"
            let message = MatchLedger.Message(
                id: "i", incarnation: "i", toSeq: 2,
                changes: [(change(3), facts(), .done), (change(4), other, .done)])
            _ = ledger.done(change(3), facts(), at: start)
            _ = ledger.hear(message, at: start)
            let findings =
                isForeign ? MatchFindings(foreign: 2) : MatchFindings(expected: 1, received: 1)
            #expect(ledger.findings == findings)
        }
    }

    @Test func aNewChangeAfterALaterOneOfTheSameZoneIncarnationIsDisorder() {
        var ledger = ledger()
        for number in 3..<6 { _ = ledger.done(change(number), facts(), at: start) }
        _ = ledger.hear(message(2, [4]), at: start)
        _ = ledger.hear(message(1, [3]), at: start)
        #expect(ledger.findings.disordered == 1)
        _ = ledger.hear(message(1, [5], incarnation: "j"), at: start)
        #expect(ledger.findings == MatchFindings(expected: 3, received: 3, disordered: 1))
    }

    @Test func changesByUnknownWritersAreSkippedAndHaveTheirPlaceInTheOrder() {
        var ledger = ledger(.zone)
        _ = ledger.done(change(3), facts(), at: start)
        let other = MatchLedger.Message(id: "o", incarnation: "i", toSeq: 9, changes: [nil])
        _ = ledger.hear(other, at: start)
        #expect(ledger.findings == MatchFindings(expected: 1, lost: 1))
        _ = ledger.hear(message(8, [3]), at: start)
        #expect(ledger.findings == MatchFindings(expected: 1, received: 1, disordered: 1))
    }

    @Test func aChangeOfUnknownOutcomeIsExpectedOnceItIsFoundDoneAndForeignOnceItIsFoundNotDone() {
        var ledger = ledger()
        _ = ledger.hear(message(1, [3], fate: .unknown), at: start)
        #expect(ledger.done(change(3), facts(), at: nil) == nil)
        #expect(ledger.findings == MatchFindings(expected: 1, received: 1))
        _ = ledger.hear(message(2, [4], fate: .unknown), at: start)
        ledger.undone(change(4))
        #expect(ledger.findings == MatchFindings(expected: 1, received: 1, foreign: 1))
        _ = ledger.done(change(5), facts(), at: nil)
        #expect(ledger.findings.lost == 1)
        #expect(ledger.hear(message(3, [5]), at: start).isEmpty)
        #expect(ledger.findings.lost == 0)
    }

    @Test func aSubscriptionThatFiresOnceReportsTheFirstChangeOfEachZoneAndNoOther() {
        var ledger = ledger(.once)
        #expect(ledger.findings == MatchFindings())
        for number in 3..<6 { _ = ledger.done(change(number), facts(), at: start) }
        #expect(ledger.findings == MatchFindings(expected: 1, lost: 1))
        #expect(ledger.awaited == 1)
        _ = ledger.hear(message(1, [3]), at: start)
        _ = ledger.hear(message(1, [3]), at: start)
        #expect(ledger.findings == MatchFindings(expected: 1, received: 1, repeats: 1))
        #expect(ledger.hasFired && ledger.awaited == 0)
        _ = ledger.hear(message(2, [4]), at: start)
        #expect(ledger.findings.firedOnceTwice == 1)
    }

    @Test func aSubscriptionThatFiresOnceMayNotSkipAWritersChangeButAnotherZonesMayComeFirst() {
        var ledger = ledger(.once)
        for number in 3..<6 { for writer in 0..<2 { _ = ledger.done(change(number, writer), facts(), at: start) } }
        var skipping = ledger
        _ = skipping.hear(message(2, [4]), at: start)
        #expect(skipping.findings == MatchFindings(expected: 1, received: 1, lost: 1))
        _ = ledger.hear(message(1, [3], writer: 1), at: start)
        #expect(ledger.findings == MatchFindings(expected: 1, received: 1))
    }

    @Test func aSubscriptionThatFiresOnceMayFireForAChangeDuringItsSaveAndForNoEarlierOrOtherChange() {
        var ledger = ledger(.once)
        _ = ledger.hear(message(1, [1]), at: start)
        _ = ledger.hear(message(2, [5], zone: 1), at: start)
        #expect(ledger.findings == MatchFindings(foreign: 2))
        _ = ledger.hear(message(3, [2]), at: start)
        _ = ledger.done(change(3), facts(), at: start)
        #expect(ledger.findings == MatchFindings(expected: 1, received: 1, foreign: 2))
    }
}
