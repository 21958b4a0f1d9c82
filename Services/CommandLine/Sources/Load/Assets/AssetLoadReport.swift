import CloudKitWire

/// The result of a load of assets.
struct AssetLoadReport: LoadOutcome {
    /// What the slots counted, and the verification found.
    var counts: AssetLoadCounts
    /// From the first step to the end of the last.
    var elapsed: Duration
    /// Records that were fetched at the end; nil without a verification.
    var verified: Int?
    /// Records that could not be verified.
    var unverified = 0
    var peakMemory = PeakMemory()

    /// Whether something was stored, everything fetched was right, and everything to be verified was.
    var isGood: Bool { counts.uploads > 0 && counts.wrongBytes == 0 && counts.missing == 0 && unverified == 0 }

    private func perSecond(_ count: Double, places: Int = 1) -> Double {
        elapsed > .zero ? (count / elapsed.seconds).rounded(places: places) : 0
    }
    private var perSecond: Double { perSecond(Double(counts.operations)) }
    private var uploadMBPerSecond: Double { perSecond(Double(counts.uploadedBytes) / 1e6, places: 2) }
    private var downloadMBPerSecond: Double { perSecond(Double(counts.downloadedBytes) / 1e6, places: 2) }

    var json: JSONValue {
        var members: [(String, JSONValue?)] = [
            ("uploads", .count(counts.uploads)),
            ("duplicates", .count(counts.duplicates)),
            ("saves", .count(counts.saves)),
            ("replacements", .count(counts.replacements)),
            ("deletions", .count(counts.deletions)),
            ("downloads", .count(counts.downloads)),
            ("uploadedBytes", .int(counts.uploadedBytes)),
            ("downloadedBytes", .int(counts.downloadedBytes)),
            ("wrongBytes", .count(counts.wrongBytes)),
            ("missing", .count(counts.missing)),
            ("failed", .count(counts.failed)),
            ("perSecond", .double(perSecond)),
            ("uploadMBPerSecond", .double(uploadMBPerSecond)),
            ("downloadMBPerSecond", .double(downloadMBPerSecond)),
        ]
        members += counts.latencies.members
        members += [
            ("errors", counts.errors.json),
            ("verified", .count(verified)),
            ("unverified", .count(unverified)),
            ("seconds", .double(elapsed.seconds.rounded(places: 3))),
            ("peakBytes", peakMemory.json),
        ]
        return .object(having: members)
    }

    var lines: [String] {
        var table = TextTable()
        table.add(
            "operations",
            "\(counts.operations.grouped) in \(elapsed.seconds.rounded(places: 1)) s (\(Int(perSecond).grouped)/s)")
        table.add(
            "uploads",
            "\(counts.uploads.grouped) (\(counts.duplicates.grouped) of known contents), \(uploadMBPerSecond) MB/s")
        table.add("downloads", "\(counts.downloads.grouped), \(downloadMBPerSecond) MB/s")
        table.add(
            "records",
            "\(counts.saves.grouped) saved, \(counts.replacements.grouped) replaced, \(counts.deletions.grouped) deleted"
        )
        counts.latencies.add(to: &table)
        table.add("failed", counts.failed.grouped)
        counts.errors.add(to: &table)
        table.add("wrong bytes", counts.wrongBytes.grouped)
        table.add("missing", counts.missing.grouped)
        if let verified { table.add("verified", "\(verified.grouped) records") }
        if unverified > 0 { table.add("not verified", unverified.grouped) }
        peakMemory.add(to: &table)
        return table.lines
    }
}
