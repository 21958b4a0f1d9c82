internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle

/// What has to be done now and then: partitions made and dropped, large deletions brought to their end, deleted zones
/// reclaimed, old tombstones purged.
struct Maintenance: Service {
    /// Between two looks for jobs.
    private static let interval = Duration.seconds(5)

    /// Between two looks at the partitions, which are made hours ahead.
    private static let partitionInterval = Duration.seconds(300)

    /// Pieces of one kind of work in a round, so that none holds up the others.
    private static let pieces = 100

    let partitions: TimePartitions
    let reclaimer: Reclaimer
    let cascades: CascadeJob
    let purger: TombstonePurger
    let logger: Logger

    /// Until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Partitions by themselves: the other work may take longer than they are made ahead.
            await withDiscardingTaskGroup { group in
                group.addTask { await keepPartitions() }
                group.addTask { await keepHouse() }
            }
        }
    }

    private func keepPartitions() async {
        while !Task.isCancelled {
            await attempt("partitions") { try await partitions.runOnce() }
            try? await Task.sleep(for: Self.partitionInterval)
        }
    }

    private func keepHouse() async {
        var round = 0
        while !Task.isCancelled {
            round += 1
            await attempt("cascades") { for _ in 0..<Self.pieces where try await !cascades.runOnce() { break } }
            await attempt("reclaiming") { for _ in 0..<Self.pieces where try await !reclaimer.runOnce() { break } }
            if round % 12 == 1 { await attempt("purging") { try await purge() } }
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Does one kind of work; when it fails, the others go on.
    private func attempt(_ work: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            // The service ends; what was begun was rolled back.
            guard !Task.isCancelled else { return }
            logger.warning(
                "maintenance failed; it is tried again", metadata: ["work": "\(work)", "error": "\(error)"])
        }
    }

    /// What is due in every environment, once a minute. One that fails stands in no other's way.
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
