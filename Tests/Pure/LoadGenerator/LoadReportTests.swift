import CloudKitWire
import Testing

@testable import CommandLineSession
@testable import LoadGenerator

@Suite struct LoadReportTests {
    private func report() -> LoadReport {
        var counts = RecordLoadCounts()
        counts.acknowledged = 800
        counts.reads = 200
        for milliseconds in 1...1000 { counts.latencies.record(.milliseconds(milliseconds)) }
        return LoadReport(counts: counts, elapsed: .seconds(2))
    }

    @Test func percentilesAreInMillisecondsToThreeDigits() {
        let json = report().json
        for (key, expected) in [("p50", 500.0), ("p90", 900), ("p99", 990), ("p999", 999)] {
            let value = json[key]?.double ?? 0
            #expect(abs(value - expected) <= expected * 0.002, "\(key) \(value)")
        }
    }

    @Test func theObjectHasEveryPromisedKey() {
        var report = report()
        report.findings = ZoneAudit.Findings(missing: 1, stale: 2, repeated: 3, checked: 4)
        report.counts.errors.note("CONFLICT", count: 5)
        report.peakMemory.bytes = [("http://127.0.0.1:9101", 1024), ("http://127.0.0.1:9102", nil)]
        let json = report.json
        #expect(json["acknowledged"]?.int == 800)
        #expect(json["operations"]?.int == 1000)
        #expect(json["perSecond"]?.double == 500)
        #expect(json["failed"]?.int == 0)
        #expect(json["missing"]?.int == 1)
        #expect(json["stale"]?.int == 2)
        #expect(json["errors"]?["CONFLICT"]?.int == 5)
        #expect(json["peakBytes"]?["http://127.0.0.1:9101"]?.int == 1024)
        #expect(json["peakBytes"]?["http://127.0.0.1:9102"]?.isNull == true)
    }

    @Test func withoutVerificationNothingIsReportedAboutMissingRecords() {
        #expect(report().json["missing"]?.isNull == true)
        #expect(report().isGood)
    }

    @Test func eachFindingFailsTheRun() {
        let bad: [(inout LoadReport) -> Void] = [
            { $0.counts.failed = 1 }, { $0.counts.staleReads = 1 }, { $0.unverified = 1 },
            { $0.findings = ZoneAudit.Findings(missing: 1) }, { $0.findings = ZoneAudit.Findings(stale: 1) },
            { $0.findings = ZoneAudit.Findings(repeated: 1) }, { $0.findings = ZoneAudit.Findings(lost: 1) },
            { $0.findings = ZoneAudit.Findings(foreign: 1) },
        ]
        for change in bad {
            var report = report()
            change(&report)
            #expect(!report.isGood)
        }
    }

    @Test func histogramsOfSeveralProducersAddUp() {
        var one = LatencyHistogram()
        var other = LatencyHistogram()
        #expect(one.milliseconds(atPercentile: 50) == nil)
        for _ in 0..<90 { one.record(.milliseconds(1)) }
        for _ in 0..<10 { other.record(.seconds(3600)) }
        one.add(other)
        #expect(one.count == 100)
        #expect(one.milliseconds(atPercentile: 50) == 1)
        #expect(one.milliseconds(atPercentile: 99) ?? 0 >= 599_000)
    }
}
