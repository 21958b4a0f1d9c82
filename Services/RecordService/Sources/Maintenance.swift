internal import Logging
internal import ServiceLifecycle

/// What has to be done now and then: partitions made and dropped, deleted zones reclaimed.
struct Maintenance: Service {
    /// Between two looks for jobs. Partitions are made hours ahead; a look at them as often costs two catalogue reads.
    private static let interval = Duration.seconds(5)

    let partitions: TimePartitions
    let reclaimer: ZoneReclaimer
    let logger: Logger

    /// Until graceful shutdown.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var round = 0
            while !Task.isCancelled {
                do {
                    if round.isMultiple(of: 60) { try await partitions.runOnce() }
                    while try await reclaimer.runOnce(), !Task.isCancelled {}
                    round += 1
                } catch {
                    logger.warning("maintenance failed; it is tried again", metadata: ["error": "\(error)"])
                }
                try await Task.sleep(for: Self.interval)
            }
        }
    }
}
