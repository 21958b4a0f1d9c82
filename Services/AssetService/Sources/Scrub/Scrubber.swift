internal import AssetStorage
internal import RequestServing

/// Verifies stored bytes in the background at a limited rate, beginning with the least recently verified blob. The time
/// of a blob's last verification is in its row, so a restarted instance continues where it stopped. Several instances
/// verify different blobs, each at the full rate.
struct Scrubber: Sendable {
    /// The number of bytes that is added to the size of each blob. This limits the rate of statements if the blobs are
    /// small.
    private static let bytesPerBlob = 64 * 1024
    /// The maximum time between verifications of a blob in quarantine, whose file might have been restored.
    private static let maxDamagedInterval = Duration.seconds(3600)
    /// The limits on the time between rounds.
    private static let maxRest = Duration.seconds(60)
    private static let minRest = Duration.seconds(1)

    /// The rate in bytes per second; 0 disables verification.
    let rate: Int
    /// The time between verifications of a blob.
    let interval: Duration
    /// The maximum size of a blob in bytes. It determines the maximum duration of a verification.
    let maxAssetBytes: Int64
    let table: BlobTable
    let verifier: BlobVerifier

    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("scrub", every: min(max(interval / 10, Self.minRest), Self.maxRest)) { try await runOnce() }
    }

    /// Verifies all blobs that are due.
    ///
    /// - Throws: any error that ``BlobVerifier/verify(_:pace:)`` throws; `CancellationError`.
    func runOnce() async throws {
        guard rate > 0 else { return }
        var pacer = Pacer(rate: rate)
        let lease = Duration.seconds(60 + 2 * maxAssetBytes / Int64(rate))
        while let blob = try await table.takeForScrub(
            interval: interval, damagedInterval: min(interval, Self.maxDamagedInterval), lease: min(lease, interval))
        {
            try await pacer.wait(for: Self.bytesPerBlob)
            try await verifier.verify(blob) { try await pacer.wait(for: $0) }
        }
    }
}
