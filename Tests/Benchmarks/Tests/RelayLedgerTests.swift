import AMQPClient
import ServiceLimits
import Testing

@Suite struct RelayLedgerTests {
    private let start = ContinuousClock.now

    @Test func aTimeCountsFromTheConfirmForEachWatcher() throws {
        var ledger = RelayLedger()
        ledger.confirm(0, .success(()), at: start)
        ledger.receive(0, at: start + .milliseconds(2))
        ledger.receive(0, at: start + .milliseconds(5))
        let latencies = try ledger.latencies()
        #expect(latencies.milliseconds(atPercentile: 50) == 2)
        #expect(latencies.milliseconds(atPercentile: 99) == 5)
    }

    @Test func whatComesBeforeItsConfirmTookNoTime() throws {
        var ledger = RelayLedger()
        ledger.receive(0, at: start)
        ledger.confirm(0, .success(()), at: start + .milliseconds(1))
        let latencies = try ledger.latencies()
        #expect(latencies.milliseconds(atPercentile: 50) == 0)
    }

    @Test func itIsSettledWhenEverythingExpectedIsThere() {
        var ledger = RelayLedger()
        ledger.confirm(0, .success(()), at: start)
        ledger.receive(0, at: start)
        #expect(!ledger.isSettled)
        ledger.expect(events: 1, receipts: 2)
        #expect(!ledger.isSettled)
        ledger.receive(0, at: start)
        #expect(ledger.isSettled)
    }

    @Test func aRefusedEventEndsTheMeasurement() {
        var ledger = RelayLedger()
        ledger.confirm(0, .failure(AMQPError(.nacked, "no")), at: start)
        #expect(ledger.isSettled)
        #expect(throws: AMQPError.self) { try ledger.latencies() }
    }

    @Test func percentilesAreTimesThatOccurred() {
        let latencies = Latencies((1...200).reversed().map { .milliseconds($0) })
        #expect(latencies.milliseconds(atPercentile: 0) == 1)
        #expect(latencies.milliseconds(atPercentile: 50) == 100)
        #expect(latencies.milliseconds(atPercentile: 99) == 198)
        #expect(latencies.milliseconds(atPercentile: 100) == 200)
        #expect(Latencies([]).milliseconds(atPercentile: 50) == nil)
    }
}
