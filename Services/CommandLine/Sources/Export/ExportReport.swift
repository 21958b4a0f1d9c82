import CloudKitWire
import CommandLineSession

/// The result of an export, as `zonda export` tells it.
struct ExportReport: Sendable {
    /// How many failures are shown with their text.
    static let shownFailures = 10

    /// Zones that were walked.
    var zones = 0
    /// Lines of records; one that changed meanwhile has several.
    var records = 0
    /// Lines of records that were deleted meanwhile.
    var deleted = 0
    /// Contents that were fetched, and their bytes.
    var assets = 0
    var assetBytes: Int64 = 0
    /// Contents that could not be fetched.
    private(set) var failed = 0
    /// The first failures.
    private(set) var firstFailures: [RequestFailure] = []
    /// Bytes of the lines.
    var bytes = 0
    /// From the first page to the last line.
    var elapsed: Duration = .zero

    /// Counts a content that could not be fetched.
    mutating func note(_ failure: RequestFailure) {
        failed += 1
        if firstFailures.count < Self.shownFailures { firstFailures.append(failure) }
    }

    /// Lines a second.
    var perSecond: Double {
        elapsed > .zero ? (Double(records + deleted) / elapsed.seconds).rounded(places: 1) : 0
    }

    /// `1,234 records of 2 zones, 56,789 bytes, 3 assets in 3.4 s (360/s)`.
    var line: String {
        "\(records.grouped) records of \(zones.grouped) zones, \(bytes.grouped) bytes"
            + (assets > 0 ? ", \(assets.grouped) assets of \(assetBytes.grouped) bytes" : "")
            + (failed > 0 ? ", \(failed.grouped) assets failed" : "")
            + " in \(elapsed.seconds.rounded(places: 1)) s (\(Int(perSecond).grouped)/s)"
    }

    /// One object.
    var json: JSONValue {
        [
            "zones": .int(Int64(zones)), "records": .int(Int64(records)), "deleted": .int(Int64(deleted)),
            "assets": .int(Int64(assets)), "assetBytes": .int(assetBytes), "failed": .int(Int64(failed)),
            "bytes": .int(Int64(bytes)), "seconds": .double(elapsed.seconds.rounded(places: 3)),
            "perSecond": .double(perSecond),
        ]
    }
}
