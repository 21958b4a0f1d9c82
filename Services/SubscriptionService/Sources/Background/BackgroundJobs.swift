internal import AMQPClient
internal import Logging
internal import RequestServing
internal import ServiceLifecycle
internal import SubscriptionStorage

/// The periodic jobs of the service.
struct BackgroundJobs: Service {
    /// The interval at which this instance announces itself. The other instances ignore an instance that has not
    /// announced itself for ten seconds.
    private static let heartbeat = Duration.seconds(2)
    /// The interval at which delivery statistics are written.
    private static let journalPeriod = Duration.seconds(1)
    /// The interval at which partitions are created and dropped. They are created hours before they are needed.
    private static let partitionPeriod = Duration.seconds(300)
    /// The interval at which expired clients are removed.
    private static let clientPeriod = Duration.seconds(30)

    let membership: Membership
    let moments: MomentCheck
    let sweep: Sweep
    let partitions: TimePartitions
    let journal: DeliveryJournal
    let firings: FiringTable
    let clients: ExpiredClients
    let changes: AMQPConsumer
    /// The interval between sweeps.
    let period: Duration
    let clock: any Clock<Duration>
    let logger: Logger

    /// Runs the jobs until graceful shutdown.
    func run() async throws {
        try await PeriodicJobs(jobs, clock: clock, logger: logger).run()
        try? await journal.runOnce()
        try? await membership.leave()
    }

    private var jobs: [PeriodicJobs.Job] {
        [
            // An instance without a connection to the broker must not get a share of the shards.
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
