import AMQPClient
import CommandLineSession

/// Runs a subscription load: creates the zones, starts the watchers, saves subscriptions, runs the producers, and waits
/// for the notifications of all acknowledged operations.
struct WatchedLoad: Sendable {
    private let plan: WatchedPlan
    private let producers: [any Requester]
    private let watchers: LoadWatchers
    private let configuration: AMQPConfiguration
    private let progress: @Sendable (String) -> Void

    /// Creates a load that uses `producers`, one for each producer of the plan.
    ///
    /// - Parameters:
    ///   - database: the database of the zones.
    ///   - configuration: the broker of the watchers.
    ///   - progress: called with a line once per second.
    init(
        plan: WatchedPlan, producers: [any Requester], database: WatchedDatabase, configuration: AMQPConfiguration,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.plan = plan
        self.producers = producers
        self.configuration = configuration
        self.progress = progress
        watchers = LoadWatchers(plan, database: database)
    }

    /// Runs the load.
    ///
    /// - Throws: the failure to create the zones or to consume. All other failures are in the report.
    func run() async throws -> WatchedReport {
        try await LoadZones(requester: producers[0], names: plan.names, count: plan.zones).make(progress)
        return try await watchers.listening(configuration, connections: plan.producers) {
            try await SavedSubscriptions(requester: producers[0], subscriptions: watchers.subscriptions)
                .saved(progress) { await measure() }
        }
    }

    /// Runs the producers while the watchers consume, and waits for the last notifications.
    private func measure() async -> WatchedReport {
        let clock = ContinuousClock()
        let start = clock.now
        let tally = Tally(WatchedCounts())
        await save(from: start, tally)
        let end = clock.now
        progress("waiting for the last notifications")
        let isSettled = await watchers.settle(within: plan.settle)
        var counts = tally.now
        if watchers.malformedCount > 0 {
            counts.errors.note("NOTIFICATION_MALFORMED", count: watchers.malformedCount)
        }
        return WatchedReport(
            counts: counts, findings: watchers.findings, subscriptions: watchers.subscriptions.count,
            latencies: watchers.histogram, elapsed: end - start, settledAfter: isSettled ? clock.now - end : nil)
    }

    private func save(from start: ContinuousClock.Instant, _ tally: Tally<WatchedCounts>) async {
        let line = LoadProgress("operations", since: start, of: plan.duration, tell: progress)
        _ = await LoadSlots.run(plan.slots) {
            let (done, failed) = tally.read { ($0.acknowledged, $0.failed) }
            line.show(done: done, failed: failed)
        } _: { [self] slot in
            await WatchedSlot(
                slot, plan: plan, requester: producers[slot / plan.inFlight], watchers: watchers, tally: tally
            ).run(from: start)
        }
    }
}
