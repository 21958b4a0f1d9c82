internal import AMQPClient
internal import Logging
internal import RequestServing
internal import ServiceLifecycle

/// What is done again and again beside the work: this instance says that it lives, the log is swept, partitions are
/// made and dropped, clients that have expired are removed.
struct Rounds: Service {
    /// Between two signs of life; an instance that was not heard of for ten seconds is not counted on.
    private static let heartbeat = Duration.seconds(2)
    /// Between two writings of what became of notifications.
    private static let journalPeriod = Duration.seconds(1)
    /// Partitions are made hours ahead.
    private static let partitionPeriod = Duration.seconds(300)
    /// Between two looks for clients that have expired.
    private static let clientPeriod = Duration.seconds(30)

    let membership: Membership
    let moments: MomentTable
    let sweep: Sweep
    let partitions: TimePartitions
    let journal: DeliveryJournal
    let firings: FiringTable
    let clients: ExpiredClients
    let changes: AMQPConsumer
    /// The time between two sweeps.
    let period: Duration
    let clock: any Clock<Duration>
    let logger: Logger

    /// Until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    // An instance that is cut off from the broker must not be counted on.
                    await every(Self.heartbeat, "the sign of life") {
                        if changes.isConnected { try await membership.runOnce() }
                    }
                }
                group.addTask {
                    await every(period, "the sweep") {
                        try await moments.runOnce()
                        try await sweep.runOnce()
                    }
                }
                group.addTask { await every(Self.journalPeriod, "the journal") { try await journal.runOnce() } }
                group.addTask { await every(period, "what has fired") { try await firings.removeFired() } }
                group.addTask { await every(Self.partitionPeriod, "partitions") { try await partitions.runOnce() } }
                group.addTask { await every(Self.clientPeriod, "expired clients") { try await clients.runOnce() } }
            }
        }
        try? await journal.runOnce()
        try? await membership.leave()
    }

    private func every(_ period: Duration, _ what: String, _ work: () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await work()
            } catch  where !Task.isCancelled {
                logger.warning(
                    "a round failed; it is tried again", metadata: ["round": "\(what)", "error": "\(error)"])
            } catch {}
            try? await clock.sleep(for: period)
        }
    }
}
