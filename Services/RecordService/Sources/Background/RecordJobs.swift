internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// The background jobs of the record service.
struct RecordJobs: Sendable {
    /// The time between checks of the partitions, which are created hours in advance.
    private static let partitionPeriod = Duration.seconds(300)
    /// The time between reads of the job table.
    private static let jobPeriod = Duration.seconds(5)
    private static let purgePeriod = Duration.seconds(60)
    /// The time between counts of the unfinished jobs.
    private static let countPeriod = Duration.seconds(10)
    /// The maximum number of connections that the jobs use.
    static let connections = 8

    /// The maximum number of steps in one run. Each step is a transaction.
    private static let pieces = 100

    let partitions: TimePartitions
    let reclaimer: Reclaimer
    let cascades: CascadeJob
    let moves: ShareMoveJob
    let purger: TombstonePurger
    let indexes: IndexBuilder
    let watch: StoreWatch
    let meters: JobMeters
    let logger: Logger

    /// The jobs with their periods.
    var all: [PeriodicJobs.Job] {
        [
            PeriodicJobs.Job("partitions", every: Self.partitionPeriod) { try await partitions.runOnce() },
            PeriodicJobs.Job("cascades", every: Self.jobPeriod) {
                for _ in 0..<Self.pieces where try await !cascades.runOnce() { break }
            },
            PeriodicJobs.Job("share moves", every: Self.jobPeriod) {
                for _ in 0..<Self.pieces where try await !moves.runOnce() { break }
            },
            PeriodicJobs.Job("reclaiming", every: Self.jobPeriod) {
                for _ in 0..<Self.pieces where try await !reclaimer.runOnce() { break }
            },
            PeriodicJobs.Job("purging", every: Self.purgePeriod) { try await purge() },
            // A build can take hours. If the service stops before a build is finished, another instance starts the
            // build again.
            PeriodicJobs.Job("indexes", every: Self.jobPeriod) { while try await indexes.runOnce() {} },
            watch.job,
            PeriodicJobs.Job("job counts", every: Self.countPeriod) { try await meters.runOnce() },
        ]
    }

    /// Purges the tombstones, departures and ended shares that are due for removal, in every environment. A failure in
    /// one environment does not affect the others.
    private func purge() async throws {
        for environment in try await purger.environments() {
            do {
                for _ in 0..<Self.pieces where try await !purger.runOnce(in: environment) { break }
            } catch let error as PostgresError where !error.isConnectionFailure {
                // The container might have been deleted in the meantime, or a zone lock might not have been granted in
                // time.
                logger.warning(
                    "tombstones could not be purged; the next run will retry",
                    metadata: ["environment": "\(environment.rawValue)", "error": "\(error)"])
            }
        }
    }
}
