internal import Metrics
internal import PostgresClient
internal import RecordStorage
internal import ServiceRuntime

/// The metrics of the background jobs of the whole deployment. `deploy/docs/metrics.md` lists them.
struct JobMeters: Sendable {
    private let jobs: JobTable
    private let meters: [(kind: JobTable.Kind, count: Meter, age: Meter)]

    /// Registers the metrics in `metrics`.
    init(pool: PostgresPool, metrics: ServiceMetrics) {
        jobs = JobTable(pool: pool)
        meters = JobTable.Kind.allCases.map { kind in
            let labels: KeyValuePairs = ["kind": kind.rawValue]
            return (kind, metrics.gauge(Self.count, labels), metrics.gauge(Self.age, labels))
        }
    }

    /// Counts the jobs once.
    ///
    /// - Throws: `PostgresError`.
    func runOnce() async throws {
        let stock = try await jobs.stock()
        for meter in meters {
            meter.count.set(stock[meter.kind]?.count ?? 0)
            meter.age.set(stock[meter.kind]?.age ?? 0)
        }
    }
}

extension JobMeters {
    static let count = MetricFamily.gauge("zonda_record_jobs", "Unfinished background jobs of the whole deployment.")
    static let age = MetricFamily.gauge(
        "zonda_record_job_age_seconds", "Time since the oldest unfinished background job was created.")
}
