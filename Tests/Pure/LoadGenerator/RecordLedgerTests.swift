import Testing

@testable import CommandLineSession
@testable import LoadGenerator

@Suite struct RecordLedgerTests {
    @Test func numbersGrowOverAllRecordsOfASlot() {
        var ledger = RecordLedger(placeCount: 2)
        let first = ledger.beginNew(inPlace: 0)
        let second = ledger.beginNew(inPlace: 1)
        ledger.acknowledge(first)
        let again = ledger.beginAgain(inPlace: 0, offset: 5, count: 3)
        #expect(first.number < second.number)
        #expect(again.map(\.record) == [first.record])
        #expect(again[0].number > second.number)
        #expect(ledger.place(of: second.record) == 1)
    }

    @Test func onlyAcknowledgedRecordsAreWrittenOrReadAgain() {
        var ledger = RecordLedger(placeCount: 1)
        let write = ledger.beginNew(inPlace: 0)
        #expect(ledger.settledCount(inPlace: 0) == 0)
        ledger.acknowledge(write)
        #expect(ledger.settledCount(inPlace: 0) == 1)
        let again = ledger.beginAgain(inPlace: 0, offset: 0, count: 1)[0]
        ledger.lose(again)
        #expect(ledger.settledCount(inPlace: 0) == 0)
        #expect(ledger.pick(inPlace: 0, offset: 0, count: 1).isEmpty)
    }

    @Test func recordsPickedForOneRequestAreDistinct() {
        var ledger = RecordLedger(placeCount: 1)
        for _ in 0..<5 { ledger.acknowledge(ledger.beginNew(inPlace: 0)) }
        #expect(Set(ledger.pick(inPlace: 0, offset: 3, count: 5)).count == 5)
        #expect(ledger.pick(inPlace: 0, offset: 3, count: 9).count == 5)
    }

    @Test func aPlaceIsOfferedOnlyForRecordsThatCanBeReadAgain() {
        var ledger = RecordLedger(placeCount: 2)
        #expect(ledger.placeWithRecords(near: 5) == nil)
        let lost = ledger.beginNew(inPlace: 0)
        let kept = ledger.beginNew(inPlace: 1)
        ledger.lose(lost)
        ledger.acknowledge(kept)
        #expect(ledger.placeWithRecords(near: 0) == nil)
        #expect(ledger.placeWithRecords(near: 3) == 1)
    }

    @Test(
        arguments: [
            (7, 0, 7, RecordLedger.Verdict.good), (7, 0, 6, .stale), (7, 0, nil, .missing), (7, 0, 8, .stale),
            (7, 9, 7, .good), (7, 9, 9, .good), (7, 9, 6, .stale), (7, 9, nil, .missing),
            (0, 9, nil, .good), (0, 9, 9, .good), (0, 9, 3, .stale), (0, 0, nil, .good), (0, 0, 4, .stale),
        ] as [(UInt32, UInt32, UInt32?, RecordLedger.Verdict)])
    func aRecordFoundIsJudgedByWhatWasAcknowledged(
        acknowledged: UInt32, uncertain: UInt32, found: UInt32?, verdict: RecordLedger.Verdict
    ) {
        let expectation = RecordLedger.Expectation(acknowledged: acknowledged, uncertain: uncertain)
        #expect(expectation.verdict(found: found) == verdict)
    }
}

@Suite struct ZoneAuditTests {
    private let a = LoadNames.Record(slot: 0, index: 0)
    private let b = LoadNames.Record(slot: 0, index: 1)

    private func audit() -> ZoneAudit {
        ZoneAudit(expectations: [
            a: RecordLedger.Expectation(acknowledged: 5, uncertain: 0),
            b: RecordLedger.Expectation(acknowledged: 6, uncertain: 8),
        ])
    }

    @Test func lookupsAndAFeedThatAgreeWithTheAcknowledgementsAreNoFinding() {
        var audit = audit()
        audit.lookedUp(a, number: 5)
        audit.lookedUp(b, number: 6)
        audit.met(a, number: 5)
        audit.met(b, number: 8)
        audit.met(LoadNames.Record(slot: 9, index: 9), number: 1)
        #expect(audit.finish() == ZoneAudit.Findings(checked: 2))
    }

    @Test func aRecordMissingFromBothLookupAndFeedCountsOnce() {
        var audit = audit()
        audit.lookedUp(a, number: nil)
        audit.lookedUp(b, number: 6)
        audit.met(b, number: 6)
        #expect(audit.finish() == ZoneAudit.Findings(missing: 1, checked: 2))
    }

    @Test func aRecordThatTheFeedLacksIsMissingAlthoughTheLookupFindsIt() {
        var audit = audit()
        audit.lookedUp(a, number: 5)
        audit.met(b, number: 6)
        #expect(audit.finish().missing == 1)
    }

    @Test func aRecordTwiceInTheFeedIsRepeatedUnlessAWriteOfUnknownOutcomeMayHaveMovedIt() {
        var audit = audit()
        for _ in 0..<2 {
            audit.met(a, number: 5)
            audit.met(b, number: 6)
        }
        #expect(audit.finish().repeated == 1)
    }
}
