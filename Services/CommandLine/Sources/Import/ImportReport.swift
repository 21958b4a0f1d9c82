import CloudKitWire
import CommandLineSession

/// The result of an import, as `zonda import` prints it.
struct ImportReport: Sendable {
    /// The maximum number of failures that are printed.
    static let shownFailures = 10

    /// The number of operations that succeeded or failed.
    var lines = 0
    /// The number of saved records.
    var saved = 0
    /// The number of deleted records.
    var deleted = 0
    /// The number of zones that were created or already existed.
    var zones = 0
    /// The number of files that were uploaded because the store did not contain them.
    var uploaded = 0
    /// The total size of the uploaded files, in bytes.
    var uploadedBytes: Int64 = 0
    /// The number of failed lines.
    private(set) var failed = 0
    /// The number of times that a request was retried with the same message id.
    var retried = 0
    /// The total size of all answered operations, in bytes.
    var bytes = 0
    /// The duration from the first line to the last answer.
    var elapsed: Duration = .zero
    /// The number of failures, keyed by code.
    private(set) var errors: [String: Int] = [:]
    /// The first failures, each with the number of its line.
    private(set) var firstFailures: [(line: Int, failure: RequestFailure)] = []

    /// Counts a failed line.
    mutating func note(_ failure: RequestFailure, line: Int) {
        failed += 1
        errors[failure.code, default: 0] += 1
        if firstFailures.count < Self.shownFailures { firstFailures.append((line, failure)) }
    }

    /// The number of operations that succeeded.
    var succeeded: Int { saved + deleted }

    /// The number of operations that succeeded per second.
    var perSecond: Double {
        elapsed > .zero ? (Double(succeeded) / elapsed.seconds).rounded(places: 1) : 0
    }

    /// The report as a line: `1,234 saved, 2 deleted, 0 failed in 3.4 s (360/s)`.
    var line: String {
        "\(saved.grouped) saved, " + (deleted > 0 ? "\(deleted.grouped) deleted, " : "") + "\(failed.grouped) failed"
            + (uploaded > 0 ? ", \(uploaded.grouped) assets uploaded" : "")
            + " in \(elapsed.seconds.rounded(places: 1)) s (\(Int(perSecond).grouped)/s)"
    }

    /// The report as one JSON object.
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
