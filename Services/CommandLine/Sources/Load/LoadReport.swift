import CloudKitWire

/// The result of a load, as `zonda load` prints it.
struct LoadReport: Sendable {
    /// What the producers counted.
    var counts: LoadTally.Counts
    /// From the first request to the last answer.
    var elapsed: Duration
    /// What the verification found; nil if there was none.
    var findings: ZoneAudit.Findings?
    /// Records whose verification failed, because a zone could not be read.
    var unverified = 0
    /// How long the verification took.
    var verification: Duration = .zero
    /// Peak resident memory by the address of each service's metrics; nil where none was told.
    var peakBytes: [(service: String, bytes: Int?)] = []

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

    private static let percentiles: [(name: String, value: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9),
    ]

    /// One object; times in milliseconds, memory in bytes. `missing`, `stale` and `repeated` are null without a
    /// verification.
    var json: JSONValue {
        var members: [(String, JSONValue?)] = [
            ("acknowledged", .int(Int64(counts.acknowledged))),
            ("failed", .int(Int64(counts.failed))),
            ("missing", Self.number(findings?.missing)),
            ("stale", Self.number(findings?.stale)),
            ("repeated", Self.number(findings?.repeated)),
            ("perSecond", .double(perSecond)),
        ]
        for (name, value) in Self.percentiles {
            members.append((name, counts.latencies.milliseconds(atPercentile: value).map { .double($0) } ?? .null))
        }
        members += [
            ("errors", .object(having: counts.errors.sorted { $0.key < $1.key }.map { ($0, .int(Int64($1))) })),
            ("operations", .int(Int64(operations))),
            ("reads", .int(Int64(counts.reads))),
            ("staleReads", .int(Int64(counts.staleReads))),
            ("retried", .int(Int64(counts.retried))),
            ("seconds", .double(elapsed.seconds.rounded(places: 3))),
            ("checked", Self.number(findings?.checked)),
            ("unverified", .int(Int64(unverified))),
            ("verificationSeconds", .double(verification.seconds.rounded(places: 3))),
            ("peakBytes", .object(having: peakBytes.map { ($0.service, Self.number($0.bytes)) })),
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
        let times = Self.percentiles.compactMap { name, value in
            counts.latencies.milliseconds(atPercentile: value).map { "\(name) \($0.rounded(places: 1))" }
        }
        if !times.isEmpty { table.add("latency, ms", times.joined(separator: "   ")) }
        table.add("failed", counts.failed.grouped)
        for (code, count) in counts.errors.sorted(by: { $0.key < $1.key }) { table.add("  \(code)", count.grouped) }
        if counts.retried > 0 { table.add("sent again", counts.retried.grouped) }
        if counts.staleReads > 0 { table.add("stale reads", counts.staleReads.grouped) }
        if let findings {
            table.add("verified", "\(findings.checked.grouped) records in \(verification.seconds.rounded(places: 1)) s")
            table.add("missing", findings.missing.grouped)
            table.add("stale", findings.stale.grouped)
            table.add("repeated in feed", findings.repeated.grouped)
            if unverified > 0 { table.add("not verified", unverified.grouped) }
        }
        for (service, bytes) in peakBytes {
            table.add("peak of \(service)", bytes.map { "\(($0 / 1_048_576).grouped) MiB" } ?? "unknown")
        }
        return table.lines
    }

    private static func number(_ value: Int?) -> JSONValue { value.map { .int(Int64($0)) } ?? .null }
}
