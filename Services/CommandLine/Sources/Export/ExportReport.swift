import CloudKitWire
import CommandLineSession

/// The result of an export, as `zonda export` prints it.
struct ExportReport: Sendable {
    /// The maximum number of failures that are printed.
    static let shownFailures = 10

    /// The number of exported zones.
    var zones = 0
    /// The number of lines that save records. A record that changed during the export has several lines.
    var records = 0
    /// The number of lines that delete records. These records were deleted during the export.
    var deleted = 0
    /// The number of shares that were left out.
    var shares = 0
    /// The number of downloaded files.
    var assets = 0
    /// The total size of the downloaded files, in bytes.
    var assetBytes: Int64 = 0
    /// The number of failed downloads.
    private(set) var failed = 0
    /// The first failures.
    private(set) var firstFailures: [RequestFailure] = []
    /// The total size of all lines, in bytes.
    var bytes = 0
    /// The duration from the first page to the last line.
    var elapsed: Duration = .zero

    /// Counts a failed download.
    mutating func note(_ failure: RequestFailure) {
        failed += 1
        if firstFailures.count < Self.shownFailures { firstFailures.append(failure) }
    }

    /// The number of lines per second.
    var perSecond: Double {
        elapsed > .zero ? (Double(records + deleted) / elapsed.seconds).rounded(places: 1) : 0
    }

    /// The report as a line:
    /// `1,234 records from 2 zones, 56,789 bytes, 3 assets totaling 4,321 bytes in 3.4 s (360/s)`.
    var line: String {
        "\(records.grouped) records from \(zones.grouped) zones, \(bytes.grouped) bytes"
            + (assets > 0 ? ", \(assets.grouped) assets totaling \(assetBytes.grouped) bytes" : "")
            + (shares > 0 ? ", \(shares.grouped) shares left out" : "")
            + (failed > 0 ? ", \(failed.grouped) assets failed" : "")
            + " in \(elapsed.seconds.rounded(places: 1)) s (\(Int(perSecond).grouped)/s)"
    }

    /// The report as one JSON object.
    var json: JSONValue {
        [
            "zones": .int(Int64(zones)), "records": .int(Int64(records)), "deleted": .int(Int64(deleted)),
            "shares": .int(Int64(shares)),
            "assets": .int(Int64(assets)), "assetBytes": .int(assetBytes), "failed": .int(Int64(failed)),
            "bytes": .int(Int64(bytes)), "seconds": .double(elapsed.seconds.rounded(places: 3)),
            "perSecond": .double(perSecond),
        ]
    }
}
