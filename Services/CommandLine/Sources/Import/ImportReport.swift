import CloudKitWire
import CommandLineSession

/// The result of an import, as `zonda import` prints it.
struct ImportReport: Sendable {
    /// How many failures are shown with their text.
    static let shownFailures = 10

    /// Operations in the file that were sent or refused.
    var lines = 0
    /// Records that were made or changed.
    var saved = 0
    /// Records that were deleted.
    var deleted = 0
    /// Zones that were made, or were there.
    var zones = 0
    /// Contents of assets that were uploaded, because the store did not have them.
    var uploaded = 0
    /// Their bytes.
    var uploadedBytes: Int64 = 0
    /// Lines that failed.
    private(set) var failed = 0
    /// Requests that were sent again under the same message id.
    var retried = 0
    /// Bytes of the operations that were answered.
    var bytes = 0
    /// From the first line to the last answer.
    var elapsed: Duration = .zero
    /// Failures by code.
    private(set) var errors: [String: Int] = [:]
    /// The first failures, each with the number of its line.
    private(set) var firstFailures: [(line: Int, failure: RequestFailure)] = []

    /// Counts a line that failed.
    mutating func note(_ failure: RequestFailure, line: Int) {
        failed += 1
        errors[failure.code, default: 0] += 1
        if firstFailures.count < Self.shownFailures { firstFailures.append((line, failure)) }
    }

    /// Operations that succeeded.
    var succeeded: Int { saved + deleted }

    /// Operations that succeeded, a second.
    var perSecond: Double {
        elapsed > .zero ? (Double(succeeded) / elapsed.seconds).rounded(places: 1) : 0
    }

    /// `1,234 saved, 2 deleted, 0 failed in 3.4 s (360/s)`.
    var line: String {
        "\(saved.grouped) saved, " + (deleted > 0 ? "\(deleted.grouped) deleted, " : "") + "\(failed.grouped) failed"
            + (uploaded > 0 ? ", \(uploaded.grouped) assets uploaded" : "")
            + " in \(elapsed.seconds.rounded(places: 1)) s (\(Int(perSecond).grouped)/s)"
    }

    /// One object.
    var json: JSONValue {
        [
            "lines": .int(Int64(lines)), "saved": .int(Int64(saved)), "deleted": .int(Int64(deleted)),
            "zones": .int(Int64(zones)), "uploaded": .int(Int64(uploaded)), "uploadedBytes": .int(uploadedBytes),
            "failed": .int(Int64(failed)), "retried": .int(Int64(retried)), "bytes": .int(Int64(bytes)),
            "seconds": .double(elapsed.seconds.rounded(places: 3)), "perSecond": .double(perSecond),
            "errors": .object(having: errors.sorted { $0.key < $1.key }.map { ($0, .int(Int64($1))) }),
        ]
    }
}
