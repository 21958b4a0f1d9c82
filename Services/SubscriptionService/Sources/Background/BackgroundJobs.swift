internal import AMQPClient
internal import Logging
internal import RequestServing
internal import ServiceLifecycle
internal import SubscriptionStorage

/// What is done again and again beside the work: this instance says that it lives, the log is swept, partitions are
/// made and dropped, clients that have expired are removed.
struct BackgroundJobs: Service {
    /// Between two signs of life; an instance that was not heard of for ten seconds is not counted on.
    private static let heartbeat = Duration.seconds(2)
    /// Between two writings of what became of notifications.
    private static let journalPeriod = Duration.seconds(1)
    /// Partitions are made hours ahead.
    private static let partitionPeriod = Duration.seconds(300)
    /// Between two looks for clients that have expired.
    private static let clientPeriod = Duration.seconds(30)

    let membership: Membership
    let moments: MomentCheck
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
        try await PeriodicJobs(jobs, clock: clock, logger: logger).run()
        try? await journal.runOnce()
        try? await membership.leave()
    }

    private var jobs: [PeriodicJobs.Job] {
        [
            // An instance that is cut off from the broker must not be counted on.
            PeriodicJobs.Job("heartbeat", every: Self.heartbeat) {
                if changes.isConnected { try await membership.runOnce() }
            },
            PeriodicJobs.Job("sweep", every: period) {
                try await moments.runOnce()
                try await sweep.runOnce()
            },
            PeriodicJobs.Job("journal", every: Self.journalPeriod) { try await journal.runOnce() },
            PeriodicJobs.Job("fired subscriptions", every: period) { try await firings.removeFired() },
            PeriodicJobs.Job("partitions", every: Self.partitionPeriod) { try await partitions.runOnce() },
            PeriodicJobs.Job("expired clients", every: Self.clientPeriod) { try await clients.runOnce() },
        ]
    }
}
