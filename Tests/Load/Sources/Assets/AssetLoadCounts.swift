import CommandLineSession

/// What the slots of a load of assets have done so far.
struct AssetLoadCounts: Sendable {
    /// Contents that were uploaded and acknowledged.
    var uploads = 0
    /// Uploads of a content that had been used before.
    var duplicates = 0
    /// Records that were made with an asset.
    var saves = 0
    /// Records whose asset was replaced.
    var replacements = 0
    /// Records that were made with the asset of another one, whose bytes did not travel again.
    var rereferences = 0
    /// Records that were deleted.
    var deletions = 0
    /// Assets that were fetched and were right.
    var downloads = 0
    /// Bytes of the uploads.
    var uploadedBytes: Int64 = 0
    /// Bytes of the downloads.
    var downloadedBytes: Int64 = 0
    /// Assets that were not what the record should hold.
    var wrongBytes = 0
    /// Assets that should be there and were not.
    var missing = 0
    /// Steps that were refused or never answered.
    var failed = 0
    /// Failures by code.
    var errors = ErrorCounts()
    /// The time of each step (an upload with its save, a deletion, a download), repeats included.
    var latencies = LatencyHistogram()

    /// Everything that was acknowledged.
    var operations: Int { uploads + saves + replacements + rereferences + deletions + downloads }

    /// Counts a step that failed.
    mutating func note(_ failure: RequestFailure) {
        failed += 1
        errors.note(failure.code)
    }
}
