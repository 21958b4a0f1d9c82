internal import Logging
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// The background jobs of the record service.
struct Maintenance: Sendable {
    /// Partitions are made hours ahead.
    private static let partitionPeriod = Duration.seconds(300)
    /// Between two looks at the table of jobs.
    private static let jobPeriod = Duration.seconds(5)
    private static let purgePeriod = Duration.seconds(60)
    /// Connections that the jobs use at most.
    static let connections = 6

    /// Pieces of work in one run: a transaction each.
    private static let pieces = 100

    let partitions: TimePartitions
    let reclaimer: Reclaimer
    let cascades: CascadeJob
    let purger: TombstonePurger
    let indexes: IndexBuilder
    let watch: StoreWatch
    let logger: Logger

    var jobs: [PeriodicJobs.Job] {
        [
            PeriodicJobs.Job("partitions", every: Self.partitionPeriod) { try await partitions.runOnce() },
            PeriodicJobs.Job("cascades", every: Self.jobPeriod) {
                for _ in 0..<Self.pieces where try await !cascades.runOnce() { break }
            },
            PeriodicJobs.Job("reclaiming", every: Self.jobPeriod) {
                for _ in 0..<Self.pieces where try await !reclaimer.runOnce() { break }
            },
            PeriodicJobs.Job("purging", every: Self.purgePeriod) { try await purge() },
            // An index may take hours. One that is not finished when the service ends is begun anew by an instance.
            PeriodicJobs.Job("indexes", every: Self.jobPeriod) { while try await indexes.runOnce() {} },
            watch.job,
        ]
    }

    /// Purges what is due in every environment. One that fails stands in no other's way.
    private func purge() async throws {
        for environment in try await purger.environments() {
            do {
                for _ in 0..<Self.pieces where try await !purger.runOnce(in: environment) { break }
            } catch let error as PostgresError where !error.isConnectionTrouble {
                // Its container may have gone meanwhile, or a zone's lock was not to be had.
                logger.warning(
                    "tombstones were not purged; it is tried again",
                    metadata: ["environment": "\(environment.rawValue)", "error": "\(error)"])
            }
        }
    }
}
