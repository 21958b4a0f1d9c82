internal import CloudKitWire
internal import Metrics
internal import RequestServing
internal import ServiceRuntime

/// The metrics of record writes. Their names are listed in `deploy/docs/metrics.md`.
struct RecordMetrics: Sendable {
    private let transactions: Counter
    private let requests: Counter
    private let changes: Counter
    private let locksMissed: Counter
    private let operations: Recorder
    private let seconds: Timer
    /// The number of transactions that were split because one of their requests could not be executed.
    let batchesIsolated: Counter
    /// The number of writes without a reply-to that were returned to the broker, to be delivered again later.
    let delayed: Counter

    /// Registers the metrics in `metrics`.
    init(_ metrics: ServiceMetrics) {
        transactions = metrics.counter(Self.transactions)
        requests = metrics.counter(Self.requests)
        changes = metrics.counter(Self.changes)
        locksMissed = metrics.counter(Self.locksMissed)
        operations = metrics.histogram(Self.operations)
        seconds = metrics.timer(Self.seconds)
        delayed = metrics.counter(Self.delayedWrites)
        batchesIsolated = metrics.counter(Self.isolated)
    }

    /// Counts a transaction for `requests` that was committed or had nothing to do.
    func count(_ result: WriteResult, of requests: [WriteRequest], took time: Duration) {
        transactions.increment()
        self.requests.increment(by: result.answered.count)
        changes.increment(by: result.effectiveOperations)
        locksMissed.increment(by: result.skipped.count)
        operations.record(requests.reduce(0) { $0 + $1.body.operations.count })
        seconds.record(duration: time)
    }
}

extension RecordMetrics {
    private static let transactions = MetricFamily.counter(
        "zonda_write_transactions_total", "Transactions that executed record writes.")
    private static let requests = MetricFamily.counter(
        "zonda_write_requests_total", "Record writes that were executed, refused or found to be repeated.")
    private static let changes = MetricFamily.counter("zonda_changes_total", "Records created, updated or deleted.")
    private static let locksMissed = MetricFamily.counter(
        "zonda_zone_locks_missed_total",
        "Zones skipped because another transaction held their lock; their writes wait for the next transaction.")
    private static let isolated = MetricFamily.counter(
        "zonda_batches_isolated_total",
        "Transactions that failed and whose requests were then executed one by one.")
    private static let delayedWrites = MetricFamily.counter(
        "zonda_writes_delayed_total",
        "Writes without a reply-to that were returned to the broker for later delivery, because their zone was locked.")
    private static let operations = MetricFamily.histogram(
        "zonda_write_batch_operations", "Operations in one write transaction.",
        buckets: [1, 2, 5, 10, 20, 50, 100, 200, 256, 500, 1000, 2000])
    private static let seconds = MetricFamily.histogram(
        "zonda_write_transaction_seconds", "Time from taking the requests of a write transaction to its commit.",
        buckets: .shortTimes)
}
