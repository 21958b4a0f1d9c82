import CloudKitWire
import ServiceMessages

/// Runs a load: makes the zones, lets the producers ask, and reads everything back.
struct LoadRun: Sendable {
    private static let zonesPerRequest = 50
    private static let setupLimit: Duration = .seconds(60)

    private let plan: LoadPlan
    private let producers: [any Requester]
    private let tallies: [LoadTally]
    private let progress: @Sendable (String) -> Void

    /// A load over `producers`, as many as the plan has.
    ///
    /// - Parameter progress: is told a line once a second.
    init(plan: LoadPlan, producers: [any Requester], progress: @escaping @Sendable (String) -> Void = { _ in }) {
        self.plan = plan
        self.producers = producers
        self.progress = progress
        tallies = producers.map { _ in LoadTally() }
    }

    /// Runs it.
    ///
    /// - Throws: the failure to make the zones. Failures under load are in the report.
    func run() async throws(RequestFailure) -> LoadReport {
        try await makeZones()
        let clock = ContinuousClock()
        let start = clock.now
        let ledgers = await load(from: start)
        var report = LoadReport(counts: LoadTally.Counts(), elapsed: start.duration(to: clock.now))
        for tally in tallies { report.counts += tally.now }
        if plan.verifies {
            let start = clock.now
            await verify(ledgers, &report)
            report.verification = start.duration(to: clock.now)
        }
        progress("")
        return report
    }

    private func makeZones() async throws(RequestFailure) {
        for first in stride(from: 0, to: plan.zones, by: Self.zonesPerRequest) {
            progress("making zones: \(first) of \(plan.zones)")
            let zones = first..<min(first + Self.zonesPerRequest, plan.zones)
            let answer = try await producers[0].ask(
                .zonesModify, ZoneRequests.modify(.create, zones.map { plan.names.zone($0) }),
                limit: Self.setupLimit)
            for zone in answer["zones"]?.array ?? [] {
                if let refusal = RequestFailure.Refusal(zone) { throw .refused(refusal) }
            }
        }
    }

    private func load(from start: ContinuousClock.Instant) async -> [RecordLedger] {
        let runID = UInt64.random(in: .min ... .max)
        return await withTaskGroup(of: (slot: Int, ledger: RecordLedger)?.self) { group in
            for slot in 0..<plan.slots {
                let producer = slot / plan.inFlight
                let place = LoadSlot(
                    slot, plan: plan, requester: producers[producer], tally: tallies[producer], runID: runID)
                group.addTask { (slot, await place.run(from: start)) }
            }
            group.addTask { await reportProgress(from: start) }
            var ledgers = Array(repeating: RecordLedger(zoneCount: 0), count: plan.slots)
            var running = plan.slots
            for await finished in group {
                guard let finished else { continue }
                ledgers[finished.slot] = finished.ledger
                running -= 1
                if running == 0 { group.cancelAll() }
            }
            return ledgers
        }
    }

    /// Tells how far the load is, once a second until cancelled.
    private func reportProgress(from start: ContinuousClock.Instant) async -> (slot: Int, ledger: RecordLedger)? {
        let clock = ContinuousClock()
        var last = 0
        var tick = start
        while true {
            tick += .seconds(1)
            do { try await clock.sleep(until: tick) } catch { return nil }
            let (operations, failed) = tallies.reduce(into: (0, 0)) { sum, tally in
                let answered = tally.answered
                sum = (sum.0 + answered.operations, sum.1 + answered.failed)
            }
            progress(
                ProgressBar.line(
                    fraction: start.duration(to: clock.now) / plan.duration,
                    "\(operations.grouped) operations  \((operations - last).grouped)/s"
                        + (failed > 0 ? "  \(failed.grouped) failed" : "")))
            last = operations
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
                    report.counts.errors[failure.code, default: 0] += 1
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
