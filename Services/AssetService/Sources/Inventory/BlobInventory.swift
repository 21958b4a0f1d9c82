internal import AssetStorage
internal import BlobStorage
internal import CoreMetrics
internal import RequestServing

/// Periodically counts the stored blobs and the blobs to be deleted, for the metrics. Every instance performs the
/// counts, and all instances report the same numbers.
struct BlobInventory: Sendable {
    /// The maximum time between counts, unless counting takes too long.
    private static let maxInterval = Duration.seconds(60)
    /// A count reads every row. The pause after a count is this many times as long as the count itself, so that
    /// counting uses at most a fiftieth of one connection's time.
    private static let restPerWork = 50

    let interval: Duration
    let table: BlobTable
    let store: any BlobStore
    let metrics: AssetMetrics

    /// Creates an inventory that counts once per sweep interval, but at least once a minute.
    init(sweepInterval: Duration, table: BlobTable, store: any BlobStore, metrics: AssetMetrics) {
        interval = min(sweepInterval, Self.maxInterval)
        self.table = table
        self.store = store
        self.metrics = metrics
    }

    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("stock", pause: { max(interval, $0 * Self.restPerWork) }) { try await runOnce() }
    }

    /// Performs one count.
    ///
    /// - Throws: `PostgresError`.
    func runOnce() async throws {
        let counts = try await table.counts(lateAfter: DeletionJob.lateAfter)
        metrics.blobs.set(counts.blobs)
        metrics.blobBytes.set(counts.bytes)
        metrics.jobsWaiting.set(counts.waiting)
        metrics.jobsDue.set(counts.due)
        metrics.jobsLate.set(counts.late)
        metrics.quarantinedBlobs.set(counts.damaged)
        metrics.unverifiedSeconds.set(Double(counts.unverified) / 1000)
        metrics.strays.set(counts.strays)
        metrics.storeFree.set(await store.freeBytes().map(Double.init) ?? .nan)
    }
}
