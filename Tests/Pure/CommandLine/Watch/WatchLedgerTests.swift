import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct WatchLedgerTests {
    private func notification(_ seq: Int64, _ incarnation: String = "i", _ subscriptionID: String? = nil) throws
        -> ZoneNotification
    {
        try .made(
            zone: "Notes", incarnation: incarnation, from: seq, to: seq, records: [], subscriptionID: subscriptionID)
    }

    @Test func repeatsAreKnownByZoneIncarnationAndThoseOfASubscriptionSeparately() throws {
        var ledger = WatchLedger(tokens: ["Notes": "t0"])
        let seen: [(Int64, String, String?, Bool)] = [
            (1, "i", nil, true), (2, "i", nil, true), (2, "i", nil, false), (1, "i", nil, false),
            (1, "i", "s", true), (1, "i", "s", false), (1, "j", nil, true), (3, "i", nil, true),
        ]
        for (seq, incarnation, subscription, isNews) in seen {
            let admitted = ledger.admit(try notification(seq, incarnation, subscription))
            #expect(admitted == isNews, "\(seq) \(incarnation)")
        }
    }

    @Test func theTokenIsThatOfTheLastNotificationAndOfWatchedZonesOnly() throws {
        var ledger = WatchLedger(tokens: ["Notes": "t0", "New": nil])
        _ = ledger.admit(try notification(4))
        _ = ledger.admit(try notification(3))
        #expect(ledger.token(of: "Notes") == "t4")
        #expect(ledger.token(of: "New") == nil)
        ledger.move("Other", to: "x")
        #expect(ledger.zones == ["New", "Notes"])
    }
}
