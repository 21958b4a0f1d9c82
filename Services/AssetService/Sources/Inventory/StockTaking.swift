internal import CoreMetrics
internal import RequestServing

/// Counts now and then what is stored and what is to be deleted, for the metrics. Every instance does, and all of them
/// show the same numbers.
struct StockTaking: Sendable {
    /// Between two counts, when the sweep is not more frequent.
    private static let maxInterval = Duration.seconds(60)
    /// A count reads every row: it rests this many times as long as it took, so that however many there are it takes no
    /// more than a fiftieth of one connection.
    private static let restPerWork = 50

    let interval: Duration
    let table: BlobTable
    let store: any BlobStore
    let metrics: AssetMetrics

    /// Counts as often as the sweep comes round, or every minute.
    init(
        sweepInterval: Duration, table: BlobTable, store: any BlobStore, metrics: AssetMetrics
    ) {
        interval = min(sweepInterval, Self.maxInterval)
        self.table = table
        self.store = store
        self.metrics = metrics
    }

    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("stock", pause: { max(interval, $0 * Self.restPerWork) }) { try await runOnce() }
    }

    /// One count.
    ///
    /// - Throws: `PostgresError`.
    func runOnce() async throws {
        let stock = try await table.stock(lateAfter: Sweeper.alarmDelay)
        metrics.blobs.set(stock.blobs)
        metrics.blobBytes.set(stock.bytes)
        metrics.jobsWaiting.set(stock.waiting)
        metrics.jobsDue.set(stock.due)
        metrics.jobsLate.set(stock.late)
        metrics.quarantinedBlobs.set(stock.damaged)
        metrics.unverifiedSeconds.set(Double(stock.unverified) / 1000)
        metrics.strays.set(stock.strays)
        metrics.storeFree.set(await store.freeBytes().map(Double.init) ?? .nan)
    }
}
