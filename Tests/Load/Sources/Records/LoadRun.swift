import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Runs a record load: creates the zones, runs the producers, and verifies all records.
struct LoadRun: Sendable {
    private let plan: LoadPlan
    private let producers: [any Requester]
    private let tallies: [Tally<RecordLoadCounts>]
    private let progress: @Sendable (String) -> Void

    /// Creates a load that uses `producers`, one for each producer of the plan.
    ///
    /// - Parameter progress: called with a line once per second.
    init(plan: LoadPlan, producers: [any Requester], progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.plan = plan
        self.producers = producers
        self.progress = progress
        tallies = producers.map { _ in Tally(RecordLoadCounts()) }
    }

    /// Runs the load.
    ///
    /// - Throws: the failure to create the zones. All other failures are in the report.
    func run() async throws(RequestFailure) -> LoadReport {
        try await LoadZones(requester: producers[0], names: plan.names, count: plan.zones).make(progress)
        let clock = ContinuousClock()
        let start = clock.now
        let ledgers = await load(from: start)
        var report = LoadReport(counts: RecordLoadCounts(), elapsed: start.duration(to: clock.now))
        for tally in tallies { report.counts += tally.now }
        if plan.verifies {
            let start = clock.now
            await verify(ledgers, &report)
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
                slot, plan: plan, requester: producers[producer], tally: tallies[producer], runID: runID
            ).run(from: start)
        }
    }

    private func verify(_ ledgers: [RecordLedger], _ report: inout LoadReport) async {
        var expectations = Array(repeating: [LoadNames.Record: RecordLedger.Expectation](), count: plan.zones)
        for (slot, ledger) in ledgers.enumerated() {
            for index in 0..<ledger.count {
                expectations[ledger.zone(of: index)][LoadNames.Record(slot: slot, index: index)] =
                    ledger.expectation(of: index)
            }
        }
        let (plan, producers, expected) = (plan, producers, expectations)
        let workers = min(plan.zones, producers.count * min(plan.inFlight, 4))
        var findings = ZoneAudit.Findings()
        var verifiedZones = 0
        await withTaskGroup(of: (zone: Int, Result<ZoneAudit.Findings, RequestFailure>).self) { group in
            var next = 0
            func addNext() {
                guard next < plan.zones else { return }
                let zone = next
                next += 1
                let verifier = ZoneVerifier(
                    requester: producers[zone % producers.count], names: plan.names, zone: zone,
                    limit: plan.requestLimit)
                group.addTask {
                    do throws(RequestFailure) {
                        return (zone, .success(try await verifier.findings(expected[zone])))
                    } catch {
                        return (zone, .failure(error))
                    }
                }
            }
            for _ in 0..<workers { addNext() }
            for await (zone, result) in group {
                switch result {
                case .success(let found): findings += found
                case .failure(let failure):
                    report.unverified += max(1, expected[zone].count)
                    report.counts.errors.note(failure.code)
                }
                verifiedZones += 1
                progress(
                    ProgressBar.line(
                        fraction: Double(verifiedZones) / Double(plan.zones),
                        "verified \(findings.checked.grouped) records"))
                addNext()
            }
        }
        report.findings = findings
    }
}
