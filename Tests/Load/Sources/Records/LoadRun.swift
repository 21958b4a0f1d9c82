import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Runs a record load: creates the zones and the shares, runs the producers, and verifies all records.
struct LoadRun: Sendable {
    private let plan: LoadPlan
    private let producers: [LoadUsers]
    private let tallies: [Tally<RecordLoadCounts>]
    private let progress: @Sendable (String) -> Void

    /// Creates a load.
    ///
    /// - Parameters:
    ///   - producers: the users of each producer of the plan.
    ///   - progress: called with a line once per second.
    init(plan: LoadPlan, producers: [LoadUsers], progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.plan = plan
        self.producers = producers
        self.progress = progress
        tallies = producers.map { _ in Tally(RecordLoadCounts()) }
    }

    /// Runs the load.
    ///
    /// - Throws: the failure to create the zones and the shares. All other failures are in the report.
    func run() async throws(RequestFailure) -> LoadReport {
        let users = producers[0]
        try await LoadZones(requester: users.owner, names: plan.names, count: plan.places.zones).make(progress)
        try await LoadShares(users: users, names: plan.names, places: plan.places).make(progress)
        let clock = ContinuousClock()
        let start = clock.now
        let copies = SharedCopies(plan.verifies ? producers : [], plan: plan)
        async let followed = copies.follow()
        let ledgers = await load(from: start)
        var report = LoadReport(counts: RecordLoadCounts(), elapsed: start.duration(to: clock.now))
        for tally in tallies { report.counts += tally.now }
        copies.end()
        let held = await followed
        if plan.verifies {
            let start = clock.now
            let verified = await LoadVerification(plan: plan, producers: producers, progress: progress)
                .run(ledgers, held)
            report.findings = verified.findings
            report.unverified = verified.unverified
            report.counts.errors += verified.errors
            report.verification = start.duration(to: clock.now)
        }
        progress("")
        return report
    }

    private func load(from start: ContinuousClock.Instant) async -> [RecordLedger] {
        let runID = UInt64.random(in: .min ... .max)
        let line = LoadProgress("operations", since: start, of: plan.duration, tell: progress)
        return await LoadSlots.run(plan.slots) { [tallies] in
            let done = tallies.map { tally in tally.read { ($0.acknowledged + $0.reads, $0.failed) } }
            line.show(done: done.reduce(0) { $0 + $1.0 }, failed: done.reduce(0) { $0 + $1.1 })
        } _: { [self] slot in
            let producer = slot / plan.inFlight
            return await LoadSlot(
                slot, plan: plan, users: producers[producer], tally: tallies[producer], runID: runID
            ).run(from: start)
        }
    }
}
