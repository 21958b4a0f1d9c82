internal import RequestServing

/// Verifies stored bytes in the background: the blob whose bytes were verified longest ago comes first, at a bounded
/// rate. When each was verified is in its row, so a restart goes on where the end was; several instances take different
/// blobs, and each has the whole rate.
struct Scrubber: Sendable {
    /// What a blob costs beside its bytes, in bytes: it bounds the statements for many small ones.
    private static let costPerBlob = 64 * 1024
    /// A quarantined blob may have been brought back by other means.
    private static let maxDamagedInterval = Duration.seconds(3600)
    /// Between two looks for blobs whose time has come.
    private static let maxRest = Duration.seconds(60)
    private static let minRest = Duration.seconds(1)

    /// Bytes per second; 0: nothing is verified.
    let rate: Int
    /// How often each blob is verified.
    let interval: Duration
    /// The largest blob, from which it follows how long verifying one takes at most.
    let maxAssetBytes: Int64
    let table: BlobTable
    let examiner: Examiner

    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("scrub", every: min(max(interval / 10, Self.minRest), Self.maxRest)) { try await runOnce() }
    }

    /// Verifies all blobs whose time has come, at the rate.
    ///
    /// - Throws: as ``Examiner/examine(_:pace:)``; `CancellationError`.
    func runOnce() async throws {
        guard rate > 0 else { return }
        var pace = Pace(rate: rate)
        let lease = Duration.seconds(60 + 2 * maxAssetBytes / Int64(rate))
        while let blob = try await table.takeForScrub(
            interval: interval, damagedInterval: min(interval, Self.maxDamagedInterval), lease: min(lease, interval))
        {
            try await pace.take(Self.costPerBlob)
            try await examiner.examine(blob) { try await pace.take($0) }
        }
    }
}
