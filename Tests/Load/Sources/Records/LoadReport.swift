import CloudKitWire
import CommandLineSession

/// The result of a record load.
struct LoadReport: LoadOutcome {
    /// The counts of the producers.
    var counts: RecordLoadCounts
    var elapsed: Duration
    /// The findings of the verification; nil if nothing was verified.
    var findings: ZoneAudit.Findings?
    /// The number of records that could not be verified, because a zone could not be read.
    var unverified = 0
    /// The duration of the verification.
    var verification: Duration = .zero
    var peakMemory = PeakMemory()
    var outstanding = 0

    /// The number of successful operations and reads.
    var operations: Int { counts.acknowledged + counts.reads }
    /// ``operations`` per second.
    var perSecond: Double { perSecond(Double(operations)) }
    var latencies: LatencyHistogram { counts.latencies }
    var errors: ErrorCounts { counts.errors }
    var failed: Int { counts.failed }

    /// Whether no operation failed and the verification found no error.
    var isGood: Bool {
        let findings = findings ?? ZoneAudit.Findings()
        return counts.failed == 0 && counts.staleReads == 0 && unverified == 0 && findings.missing == 0
            && findings.stale == 0 && findings.repeated == 0 && findings.lost == 0 && findings.foreign == 0
    }

    /// The report as an object, with times in milliseconds and memory in bytes. If nothing was verified, the numbers of
    /// errors that the verification finds are null.
    var json: JSONValue {
        json(
            [
                ("acknowledged", .count(counts.acknowledged)),
                ("failed", .count(failed)),
                ("missing", .count(findings?.missing)),
                ("stale", .count(findings?.stale)),
                ("repeated", .count(findings?.repeated)),
                ("lost", .count(findings?.lost)),
                ("foreign", .count(findings?.foreign)),
                ("perSecond", .double(perSecond)),
            ],
            [
                ("operations", .count(operations)),
                ("reads", .count(counts.reads)),
                ("staleReads", .count(counts.staleReads)),
                ("retried", .count(counts.retried)),
                ("checked", .count(findings?.checked)),
                ("unverified", .count(unverified)),
                ("verificationSeconds", .double(verification.seconds.rounded(places: 3))),
            ])
    }

    /// The report as text.
    var lines: [String] {
        lines { table in
            table.add(
                "operations",
                "\(operations.grouped) (\(counts.acknowledged.grouped) acknowledged writes, "
                    + "\(counts.reads.grouped) reads) in \(elapsed.seconds.rounded(places: 1)) s")
            table.add("per second", "\(Int(perSecond.rounded()).grouped)")
        } _: { table in
            if counts.retried > 0 { table.add("sent again", counts.retried.grouped) }
            if counts.staleReads > 0 { table.add("stale reads", counts.staleReads.grouped) }
            guard let findings else { return }
            table.add("verified", "\(findings.checked.grouped) records in \(verification.seconds.rounded(places: 1)) s")
            table.add("missing", findings.missing.grouped)
            table.add("stale", findings.stale.grouped)
            table.add("repeated in feed", findings.repeated.grouped)
            table.add("lost by participants", findings.lost.grouped)
            table.add("foreign to participants", findings.foreign.grouped)
            if unverified > 0 { table.add("not verified", unverified.grouped) }
        }
    }
}
