import CloudKitWire

/// The result of a load of records.
struct LoadReport: LoadOutcome {
    /// What the producers counted.
    var counts: RecordLoadCounts
    /// From the first request to the last answer.
    var elapsed: Duration
    /// What the verification found; nil if there was none.
    var findings: ZoneAudit.Findings?
    /// Records whose verification failed, because a zone could not be read.
    var unverified = 0
    /// How long the verification took.
    var verification: Duration = .zero
    var peakMemory = PeakMemory()

    /// Operations and reads that were answered well.
    var operations: Int { counts.acknowledged + counts.reads }
    /// ``operations`` a second.
    var perSecond: Double { elapsed > .zero ? (Double(operations) / elapsed.seconds).rounded(places: 1) : 0 }

    /// Whether nothing failed and the verification found nothing.
    var isGood: Bool {
        let findings = findings ?? ZoneAudit.Findings()
        return counts.failed == 0 && counts.staleReads == 0 && unverified == 0 && findings.missing == 0
            && findings.stale == 0 && findings.repeated == 0
    }

    /// One object; times in milliseconds, memory in bytes. `missing`, `stale` and `repeated` are null without a
    /// verification.
    var json: JSONValue {
        var members: [(String, JSONValue?)] = [
            ("acknowledged", .count(counts.acknowledged)),
            ("failed", .count(counts.failed)),
            ("missing", .count(findings?.missing)),
            ("stale", .count(findings?.stale)),
            ("repeated", .count(findings?.repeated)),
            ("perSecond", .double(perSecond)),
        ]
        members += counts.latencies.members
        members += [
            ("errors", counts.errors.json),
            ("operations", .count(operations)),
            ("reads", .count(counts.reads)),
            ("staleReads", .count(counts.staleReads)),
            ("retried", .count(counts.retried)),
            ("seconds", .double(elapsed.seconds.rounded(places: 3))),
            ("checked", .count(findings?.checked)),
            ("unverified", .count(unverified)),
            ("verificationSeconds", .double(verification.seconds.rounded(places: 3))),
            ("peakBytes", peakMemory.json),
        ]
        return .object(having: members)
    }

    /// The same for people.
    var lines: [String] {
        var table = TextTable()
        table.add(
            "operations",
            "\(operations.grouped) (\(counts.acknowledged.grouped) acknowledged writes, "
                + "\(counts.reads.grouped) reads) in \(elapsed.seconds.rounded(places: 1)) s")
        table.add("per second", "\(Int(perSecond.rounded()).grouped)")
        counts.latencies.add(to: &table)
        table.add("failed", counts.failed.grouped)
        counts.errors.add(to: &table)
        if counts.retried > 0 { table.add("sent again", counts.retried.grouped) }
        if counts.staleReads > 0 { table.add("stale reads", counts.staleReads.grouped) }
        if let findings {
            table.add("verified", "\(findings.checked.grouped) records in \(verification.seconds.rounded(places: 1)) s")
            table.add("missing", findings.missing.grouped)
            table.add("stale", findings.stale.grouped)
            table.add("repeated in feed", findings.repeated.grouped)
            if unverified > 0 { table.add("not verified", unverified.grouped) }
        }
        peakMemory.add(to: &table)
        return table.lines
    }
}
