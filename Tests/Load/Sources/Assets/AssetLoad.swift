import CommandLineSession

/// Runs an asset load: creates the zones, runs the slots, and verifies all assets.
struct AssetLoad: Sendable {
    private let plan: AssetLoadPlan
    private let producers: [any Requester]
    private let transfer: AssetTransfer
    private let container: String
    private let progress: @Sendable (String) -> Void

    /// Creates a load that uses `producers`, one for each producer of the plan.
    ///
    /// - Parameters:
    ///   - container: the container whose contents are counted at the end (``AssetLoadPlan/drain``).
    ///   - progress: called with a line once per second.
    init(
        plan: AssetLoadPlan, producers: [any Requester], transfer: AssetTransfer, container: String = "",
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.plan = plan
        self.producers = producers
        self.transfer = transfer
        self.container = container
        self.progress = progress
    }

    /// Runs the load.
    ///
    /// - Throws: the failure to create the zones. All other failures are in the report.
    func run() async throws(RequestFailure) -> AssetLoadReport {
        try await LoadZones(requester: producers[0], names: plan.names, count: plan.zones).make(progress)
        let start = ContinuousClock.now
        let tally = Tally(AssetLoadCounts())
        let contents = AssetContents(seed: plan.seed, sizeBytes: plan.sizeBytes)
        let line = LoadProgress("operations", since: start, of: plan.duration, tell: progress)
        let ledgers = await LoadSlots.run(plan.slots) {
            let (done, failed) = tally.read { ($0.operations, $0.failed) }
            line.show(done: done, failed: failed)
        } _: { [self] slot in
            await AssetSlot(
                slot, plan: plan, requester: producers[slot / plan.inFlight], transfer: transfer, contents: contents,
                tally: tally
            ).run(from: start)
        }
        var report = AssetLoadReport(counts: tally.now, elapsed: start.duration(to: .now))
        if plan.verifies { await verify(ledgers, &report) }
        if let limit = plan.drain {
            let drain = AssetDrain(plan: plan, producers: producers, container: container, progress: progress)
            report.left = await drain.run(ledgers.map(\.count), contents, within: limit)
        }
        return report
    }

    /// The verdicts on a slot's records.
    private struct Findings: Sendable {
        var verified = 0
        var missing = 0
        var wrong = 0
        var errors = ErrorCounts()
        var unverified = 0
    }

    private func verify(_ ledgers: [AssetLedger], _ report: inout AssetLoadReport) async {
        let checked = Tally(0)
        let total = ledgers.reduce(0) { $0 + $1.count }
        let found = await LoadSlots.run(plan.slots) { [progress] in
            let checked = checked.now
            progress(
                ProgressBar.line(
                    fraction: Double(checked) / Double(max(total, 1)), "verified \(checked.grouped) records"))
        } _: { [self] slot in
            await findings(ledgers[slot], slot: slot, checked)
        }
        report.verified = found.reduce(0) { $0 + $1.verified }
        for findings in found {
            report.counts.missing += findings.missing
            report.counts.wrongBytes += findings.wrong
            report.counts.errors += findings.errors
            report.unverified += findings.unverified
        }
    }

    private func findings(_ ledger: AssetLedger, slot: Int, _ checked: Tally<Int>) async -> Findings {
        let reader = AssetReader(
            requester: producers[slot / plan.inFlight], transfer: transfer, limit: plan.requestLimit)
        var findings = Findings()
        for record in 0..<ledger.count {
            do throws(RequestFailure) {
                let place = plan.place(ofRecord: record, slot: slot)
                switch try await reader.read(place, ledger.expectation(of: record)) {
                case .good: findings.verified += 1
                case .missing: findings.missing += 1
                case .wrong: findings.wrong += 1
                }
            } catch {
                findings.unverified += 1
                findings.errors.note(error.code)
            }
            checked.update { $0 += 1 }
        }
        return findings
    }
}
