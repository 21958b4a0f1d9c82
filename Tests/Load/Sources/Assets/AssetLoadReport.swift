import CloudKitWire
import CommandLineSession

/// The result of an asset load.
struct AssetLoadReport: LoadOutcome {
    /// The counts of the slots and of the verification.
    var counts: AssetLoadCounts
    var elapsed: Duration
    /// The number of verified records; nil if nothing was verified.
    var verified: Int?
    /// The number of records that could not be verified.
    var unverified = 0
    /// The number of contents that still existed at the end; nil without ``AssetLoadPlan/drain``.
    var left: Int?
    var peakMemory = PeakMemory()
    var outstanding = 0

    /// Whether contents were stored, all downloads had the right bytes, all records could be verified, and no content
    /// is left.
    var isGood: Bool {
        counts.uploads > 0 && counts.wrongBytes == 0 && counts.missing == 0 && unverified == 0 && left ?? 0 == 0
    }

    var latencies: LatencyHistogram { counts.latencies }
    var errors: ErrorCounts { counts.errors }
    var failed: Int { counts.failed }

    private var perSecond: Double { perSecond(Double(counts.operations)) }
    private var uploadMBPerSecond: Double { perSecond(Double(counts.uploadedBytes) / 1e6, places: 2) }
    private var downloadMBPerSecond: Double { perSecond(Double(counts.downloadedBytes) / 1e6, places: 2) }

    var json: JSONValue {
        json(
            [
                ("uploads", .count(counts.uploads)),
                ("duplicates", .count(counts.duplicates)),
                ("saves", .count(counts.saves)),
                ("replacements", .count(counts.replacements)),
                ("rereferences", .count(counts.rereferences)),
                ("deletions", .count(counts.deletions)),
                ("downloads", .count(counts.downloads)),
                ("uploadedBytes", .int(counts.uploadedBytes)),
                ("downloadedBytes", .int(counts.downloadedBytes)),
                ("wrongBytes", .count(counts.wrongBytes)),
                ("missing", .count(counts.missing)),
                ("failed", .count(failed)),
                ("perSecond", .double(perSecond)),
                ("uploadMBPerSecond", .double(uploadMBPerSecond)),
                ("downloadMBPerSecond", .double(downloadMBPerSecond)),
            ], [("verified", .count(verified)), ("unverified", .count(unverified)), ("left", .count(left))])
    }

    var lines: [String] {
        lines { table in
            table.add(
                "operations",
                "\(counts.operations.grouped) in \(elapsed.seconds.rounded(places: 1)) s (\(Int(perSecond).grouped)/s)")
            table.add(
                "uploads",
                "\(counts.uploads.grouped) (\(counts.duplicates.grouped) of known contents), \(uploadMBPerSecond) MB/s")
            table.add("downloads", "\(counts.downloads.grouped), \(downloadMBPerSecond) MB/s")
            table.add(
                "records",
                "\(counts.saves.grouped) saved, \(counts.replacements.grouped) replaced, "
                    + "\(counts.rereferences.grouped) referred to again, \(counts.deletions.grouped) deleted")
        } _: { table in
            table.add("wrong bytes", counts.wrongBytes.grouped)
            table.add("missing", counts.missing.grouped)
            if let verified { table.add("verified", "\(verified.grouped) records") }
            if unverified > 0 { table.add("not verified", unverified.grouped) }
            if let left { table.add("still there", left.grouped) }
        }
    }
}
