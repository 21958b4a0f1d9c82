import Synchronization

/// The outcomes of all hostile requests.
final class HostileVerdict: Sendable {
    /// A defect, and how to reproduce it.
    struct Failure: Sendable {
        var what: String
        var reproduction: String
    }

    private struct Counts {
        /// The counts of outcomes by kind, and by transport and operation.
        var byKind: [String: [String: Int]] = [:]
        var byOperation: [String: [String: Int]] = [:]
        var reasons: [String: Int] = [:]
        /// The requests that took longest until their outcome, the slowest first.
        var slowest: [(time: Duration, what: String)] = []
        var total = 0
        var failures: [Failure] = []
    }

    private let counts = Mutex(Counts())

    /// The number of requests.
    var total: Int { counts.withLock { $0.total } }
    /// The requests that were neither answered nor dead-lettered.
    var failures: [Failure] { counts.withLock { $0.failures } }

    /// Counts an outcome.
    func add(_ hostile: HostileCase, _ outcome: HostileOutcome, after time: Duration, reproduction: () -> String) {
        var failure: Failure?
        if case .failed(let what) = outcome { failure = Failure(what: what, reproduction: reproduction()) }
        counts.withLock { [failure] counts in
            counts.total += 1
            let kind = hostile.kind.rawValue
            counts.slowest.append((time, "\(hostile.number) \(hostile.operation) \(kind) at \(hostile.place)"))
            if counts.slowest.count > 100 {
                counts.slowest = Array(counts.slowest.sorted { $0.time > $1.time }.prefix(10))
            }
            counts.byKind[kind, default: [:]][outcome.word, default: 0] += 1
            counts.byOperation["\(hostile.transport) \(hostile.operation)", default: [:]][outcome.word, default: 0] += 1
            if case .deadLettered(let reason) = outcome { counts.reasons[reason, default: 0] += 1 }
            if let failure, counts.failures.count < 1000 { counts.failures.append(failure) }
        }
    }

    /// The counts by kind, by operation and by the reason of dead letters, as tables.
    var tables: String {
        counts.withLock { counts in
            let reasons = counts.reasons.mapValues { ["dead-lettered": $0] }
            let slowest = counts.slowest.sorted { $0.time > $1.time }.prefix(10)
                .map { "\(Int($0.time / .milliseconds(1))) ms: \($0.what)" }.joined(separator: "\n")
            return [
                ("kind", counts.byKind), ("operation", counts.byOperation), ("reason of dead letters", reasons),
            ].map { Self.table($0, $1) }.joined(separator: "\n") + "\nSlowest:\n\(slowest)\n"
        }
    }

    private static func table(_ title: String, _ rows: [String: [String: Int]]) -> String {
        let lines = rows.sorted { $0.key < $1.key }.map { name, outcomes in
            let parts = outcomes.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            return "| \(name) | \(outcomes.values.reduce(0, +)) | \(parts.joined(separator: ", ")) |"
        }
        return "| \(title) | requests | outcomes |\n| --- | ---: | --- |\n\(lines.joined(separator: "\n"))\n"
    }
}
