internal import Logging
internal import RequestServing
internal import ServiceLifecycle

/// What has to be done now and then: partitions made and dropped, deleted zones reclaimed, large
/// deletions brought to their end.
struct Maintenance: Service {
    /// Between two looks for jobs. Partitions are made hours ahead; a look at them as often costs two catalogue reads.
    private static let interval = Duration.seconds(5)

    let partitions: TimePartitions
    let reclaimer: Reclaimer
    let cascades: CascadeJob
    let logger: Logger

    /// Until graceful shutdown.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var round = 0
            while !Task.isCancelled {
                do {
                    if round.isMultiple(of: 60) { try await partitions.runOnce() }
                    round += 1
                    // A bounded number of pieces, so that a big zone does not hold up the partitions.
                    for _ in 0..<100 where try await !cascades.runOnce() { break }
                    for _ in 0..<100 where try await !reclaimer.runOnce() { break }
                } catch {
                    logger.warning("maintenance failed; it is tried again", metadata: ["error": "\(error)"])
                }
                try await Task.sleep(for: Self.interval)
            }
        }
    }
}
