import CloudKitWire
import ServiceMessages

/// Sends a file of web-services operations, many at a time and several requests in flight, never two operations on
/// one record name.
///
/// Everything that changes belongs to the one task in `run()`; the requests run beside it.
struct Importer: Sendable {
    /// How an import is done.
    struct Plan: Sendable {
        /// The zone that all records go into.
        var zone: String
        /// Operations in one request.
        var batchCount = 100
        /// Requests under way.
        var inFlight = 8
        /// How long one request is repeated before its lines count as failed.
        var requestLimit: Duration = .seconds(60)
    }

    /// The longest body that is built of several lines.
    private static let maxBatchBytes = 4 << 20

    private let plan: Plan
    private let requester: any Requester
    private let progress: @Sendable (ImportReport, _ fraction: Double?) -> Void
    private let reject: @Sendable (ImportLine, RequestFailure) throws -> Void

    /// An import.
    ///
    /// - Parameters:
    ///   - progress: is told of every answer.
    ///   - reject: is given every line that failed.
    init(
        plan: Plan, requester: any Requester,
        progress: @escaping @Sendable (ImportReport, _ fraction: Double?) -> Void = { _, _ in },
        reject: @escaping @Sendable (ImportLine, RequestFailure) throws -> Void = { _, _ in }
    ) {
        self.plan = plan
        self.requester = requester
        self.progress = progress
        self.reject = reject
    }

    /// Sends every line of `lines`.
    ///
    /// - Returns: what became of them.
    /// - Throws: a fault of the file, what `reject` throws, and the failure of a request that all others would share
    ///   (no such zone, no access).
    func run(_ lines: inout LineReader) async throws -> ImportReport {
        let start = ContinuousClock.now
        var report = ImportReport()
        var gate = ImportGate()
        var source = ImportSource()
        try await withThrowingTaskGroup(of: Batch.self) { group in
            var running = 0
            while true {
                while gate.heldCount < 2 * plan.batchCount * plan.inFlight,
                    gate.readyCount < plan.batchCount, !source.isAtEnd
                {
                    try await source.offerNext(from: &lines, to: &gate) { line, failure in
                        report.lines += 1
                        report.note(failure, line: line.number)
                        try reject(line, failure)
                    }
                }
                let batch =
                    running < plan.inFlight ? gate.take(plan.batchCount, maxBytes: Self.maxBatchBytes) : []
                if !batch.isEmpty {
                    running += 1
                    group.addTask { try await send(batch) }
                    continue
                }
                guard running > 0, let done = try await group.next() else { break }
                running -= 1
                gate.finish(done.lines)
                report.retried += done.retried
                for (line, outcome) in zip(done.lines, done.outcomes) {
                    report.lines += 1
                    report.bytes += line.bytes.count
                    switch outcome {
                    case .saved: report.saved += 1
                    case .deleted: report.deleted += 1
                    case .failed(let failure):
                        report.note(failure, line: line.number)
                        try reject(line, failure)
                    }
                }
                report.elapsed = ContinuousClock.now - start
                progress(report, lines.totalBytes.map { Double(lines.readBytes) / Double(max($0, 1)) })
            }
        }
        report.elapsed = ContinuousClock.now - start
        return report
    }

    /// What became of one line.
    private enum Outcome {
        case saved
        case deleted
        case failed(RequestFailure)
    }

    /// Lines that were sent together, each with its outcome.
    private struct Batch {
        var lines: [ImportLine]
        var outcomes: [Outcome]
        var retried: Int
    }

    /// Sends lines as one request. A request that is refused as a whole because of one of its lines is sent again
    /// in two halves, until the bad line stands alone.
    private func send(_ lines: [ImportLine]) async throws(RequestFailure) -> Batch {
        do throws(RequestFailure) {
            let answer = try await requester.ask(
                Request(.recordsModify, body: body(lines)), limit: plan.requestLimit)
            let items = try answer.json()["records"]?.array ?? []
            return Batch(
                lines: lines, outcomes: lines.indices.map { Self.outcome($0 < items.count ? items[$0] : nil) },
                retried: answer.attempts - 1)
        } catch {
            if case .refused(let refusal) = error {
                if Self.hopelessCodes.contains(refusal.code) { throw error }
                if refusal.code == "BAD_REQUEST", lines.count > 1 {
                    let first = try await send(Array(lines[..<(lines.count / 2)]))
                    let second = try await send(Array(lines[(lines.count / 2)...]))
                    return Batch(
                        lines: lines, outcomes: first.outcomes + second.outcomes,
                        retried: first.retried + second.retried)
                }
            }
            return Batch(lines: lines, outcomes: lines.map { _ in .failed(error) }, retried: 0)
        }
    }

    /// Codes that every other request of the import would get too.
    private static let hopelessCodes: Set<String> = [
        "ZONE_NOT_FOUND", "ACCESS_DENIED", "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED",
    ]

    private static func outcome(_ item: JSONValue?) -> Outcome {
        guard let item else { return .failed(.unanswered(reason: "the answer has no item for this line")) }
        if let refusal = RequestFailure.Refusal(item) { return .failed(.refused(refusal)) }
        return item["deleted"]?.bool == true ? .deleted : .saved
    }

    /// The lines as they are, side by side. Not atomic: a line fails alone. No fields come back.
    private func body(_ lines: [ImportLine]) -> [UInt8] {
        var writer = WireWriter(capacity: lines.reduce(200) { $0 + $1.bytes.count + 1 })
        writer.beginObject()
        writer.key("zoneID")
        writer.value(["zoneName": .string(plan.zone)])
        writer.member("atomic", false)
        writer.key("desiredKeys")
        writer.value([])
        writer.key("operations")
        writer.beginArray()
        for line in lines { writer.raw(line.bytes) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
