import CommandLineSession
import ServiceMessages

/// The verification of a load's records: what the owner sees in each zone, and what each participant sees in the zones
/// with shares.
struct LoadVerification: Sendable {
    /// The plan of the load.
    let plan: LoadPlan
    /// The users of each producer.
    let producers: [LoadUsers]
    /// Called with a line after each zone.
    let progress: @Sendable (String) -> Void

    /// The result of a verification.
    struct Result: Sendable {
        /// The errors that were found.
        var findings = ZoneAudit.Findings()
        /// The number of records that could not be verified, because a zone could not be read.
        var unverified = 0
        /// The codes of the failed requests.
        var errors = ErrorCounts()
    }

    private typealias Expectations = [LoadNames.Record: RecordLedger.Expectation]

    /// A part of the verification: the records that a user sees in a zone or, without a zone, in the user's copy.
    private struct Part: Sendable {
        var user: Int
        var zone: Int?
    }

    private struct PartResult: Sendable {
        var count: Int
        var findings: Swift.Result<ZoneAudit.Findings, RequestFailure>
    }

    /// Verifies all records.
    ///
    /// - Parameters:
    ///   - ledgers: the expected states, by slot.
    ///   - copies: the copies of the participants, which read the last changes first.
    func run(_ ledgers: [RecordLedger], _ copies: [SharedCopy]) async -> Result {
        let expected = expectations(ledgers)
        let parts = self.parts(copies)
        let workers = min(parts.count, producers.count * min(plan.inFlight, 4))
        var result = Result()
        var verified = 0
        await withTaskGroup(of: PartResult.self) { group in
            var next = 0
            func addNext() {
                guard next < parts.count else { return }
                let part = parts[next]
                next += 1
                group.addTask { await verify(part, expected, copies) }
            }
            for _ in 0..<workers { addNext() }
            for await found in group {
                switch found.findings {
                case .success(let findings): result.findings += findings
                case .failure(let failure):
                    result.unverified += max(1, found.count)
                    result.errors.note(failure.code)
                }
                verified += 1
                progress(
                    ProgressBar.line(
                        fraction: Double(verified) / Double(parts.count),
                        "verified \(result.findings.checked.grouped) records"))
                addNext()
            }
        }
        return result
    }

    /// Returns the expected states of the records of each place.
    private func expectations(_ ledgers: [RecordLedger]) -> [Expectations] {
        var expected = Array(repeating: Expectations(), count: plan.places.count)
        for (slot, ledger) in ledgers.enumerated() {
            for index in 0..<ledger.count {
                expected[ledger.place(of: index)][LoadNames.Record(slot: slot, index: index)] =
                    ledger.expectation(of: index)
            }
        }
        return expected
    }

    /// User 0 is the owner; the others are the participants.
    private func parts(_ copies: [SharedCopy]) -> [Part] {
        (0..<plan.places.zones).map { Part(user: 0, zone: $0) }
            + copies.indices.flatMap { number in
                plan.places.sharedZones.map { Part(user: number + 1, zone: $0) }
                    + [Part(user: number + 1, zone: nil)]
            }
    }

    private func verify(_ part: Part, _ expected: [Expectations], _ copies: [SharedCopy]) async -> PartResult {
        var (visible, hidden) = (Expectations(), Expectations())
        for (place, records) in expected.enumerated() {
            guard part.zone.map({ $0 == plan.places.zone(of: place) }) ?? true else { continue }
            if part.user == 0 || plan.places.share(of: place) != nil {
                visible.merge(records) { first, _ in first }
            } else {
                hidden.merge(records) { first, _ in first }
            }
        }
        do throws(RequestFailure) {
            guard let zone = part.zone else {
                var copy = copies[part.user - 1]
                try await copy.catchUp()
                return PartResult(count: visible.count, findings: .success(copy.findings(visible)))
            }
            let users = producers[(zone + part.user) % producers.count]
            let verifier = ZoneVerifier(
                requester: part.user == 0 ? users.owner : users.participants[part.user - 1].shared,
                names: plan.names, zone: zone, owner: part.user == 0 ? nil : users.ownerName,
                limit: plan.requestLimit)
            return PartResult(
                count: visible.count,
                findings: .success(try await verifier.findings(visible, hidden: Set(hidden.keys))))
        } catch {
            return PartResult(count: visible.count, findings: .failure(error))
        }
    }
}
