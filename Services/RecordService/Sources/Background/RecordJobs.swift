internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// The background jobs of the record service.
struct RecordJobs: Sendable {
    /// Partitions are created hours ahead.
    private static let partitionPeriod = Duration.seconds(300)
    /// The time between two looks at the table of jobs.
    private static let jobPeriod = Duration.seconds(5)
    private static let purgePeriod = Duration.seconds(60)
    /// The maximal number of connections that the jobs use.
    static let connections = 6

    /// The number of pieces of work in one run: a transaction each.
    private static let pieces = 100

    let partitions: TimePartitions
    let reclaimer: Reclaimer
    let cascades: CascadeJob
    let purger: TombstonePurger
    let indexes: IndexBuilder
    let watch: StoreWatch
    let logger: Logger

    /// The jobs with their periods.
    var all: [PeriodicJobs.Job] {
        [
            PeriodicJobs.Job("partitions", every: Self.partitionPeriod) { try await partitions.runOnce() },
            PeriodicJobs.Job("cascades", every: Self.jobPeriod) {
                for _ in 0..<Self.pieces where try await !cascades.runOnce() { break }
            },
            PeriodicJobs.Job("reclaiming", every: Self.jobPeriod) {
                for _ in 0..<Self.pieces where try await !reclaimer.runOnce() { break }
            },
            PeriodicJobs.Job("purging", every: Self.purgePeriod) { try await purge() },
            // A build may take hours. If the service ends before it does, an instance starts it again.
            PeriodicJobs.Job("indexes", every: Self.jobPeriod) { while try await indexes.runOnce() {} },
            watch.job,
        ]
    }

    /// Purges what is due in every environment. A failure in one does not affect the others.
    private func purge() async throws {
        for environment in try await purger.environments() {
            do {
                for _ in 0..<Self.pieces where try await !purger.runOnce(in: environment) { break }
            } catch let error as PostgresError where !error.isConnectionFailure {
                // Its container may have been deleted meanwhile, or the lock of a zone was not granted.
                logger.warning(
                    "tombstones could not be purged; the next run will retry",
                    metadata: ["environment": "\(environment.rawValue)", "error": "\(error)"])
            }
        }
    }
}
