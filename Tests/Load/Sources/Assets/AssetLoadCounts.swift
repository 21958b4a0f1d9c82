import CommandLineSession

/// The counts of all slots of an asset load.
struct AssetLoadCounts: Sendable {
    /// The number of acknowledged uploads.
    var uploads = 0
    /// The number of uploads of contents that had been used before.
    var duplicates = 0
    /// The number of records that were created with an asset.
    var saves = 0
    /// The number of records whose asset was replaced.
    var replacements = 0
    /// The number of records that were created with the asset of another record, without another upload.
    var rereferences = 0
    /// The number of deleted records.
    var deletions = 0
    /// The number of downloads with the right bytes.
    var downloads = 0
    /// The number of uploaded bytes.
    var uploadedBytes: Int64 = 0
    /// The number of downloaded bytes.
    var downloadedBytes: Int64 = 0
    /// The number of assets that differ from the last saved ones.
    var wrongBytes = 0
    /// The number of assets that should exist but do not.
    var missing = 0
    /// The number of steps that were refused or never answered.
    var failed = 0
    /// The number of failures by code.
    var errors = ErrorCounts()
    /// The durations of the steps (an upload with its save, a deletion, a download), including repeats.
    var latencies = LatencyHistogram()

    /// The number of acknowledged steps.
    var operations: Int { uploads + saves + replacements + rereferences + deletions + downloads }

    /// Counts a failed step.
    mutating func note(_ failure: RequestFailure) {
        failed += 1
        errors.note(failure.code)
    }
}
