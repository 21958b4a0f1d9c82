import CommandLineSession
import ServiceMessages

/// Sends a file of web-services operations, many at a time and several requests in flight, never two operations on
/// one record.
///
/// A record may come before those that it refers to: what is refused for their absence waits in ``DeferredLines`` and is
/// sent again after the rest, as long as that helps.
///
/// Everything that changes belongs to the one task in `run()`; the requests run beside it.
struct Importer: Sendable {
    /// How an import is done.
    struct Plan: Sendable {
        /// The zone that all records go into; nil: the one that each line names.
        var zone: String?
        /// Operations in one request.
        var batchCount = 100
        /// Requests under way.
        var inFlight = 8
        /// How long one request is repeated before its lines count as failed.
        var requestLimit: Duration = .seconds(60)
    }

    /// The longest body that is built of several lines.
    private static let maxBatchBytes = 4 << 20
    /// Refused because a record that it refers to is not there, or because one that refers to it is.
    private static let deferredCode = "VALIDATING_REFERENCE_ERROR"

    private let plan: Plan
    private let requester: any Requester
    private let sender: ImportSender
    private let progress: @Sendable (ImportReport, _ fraction: Double?) -> Void
    private let reject: @Sendable (ImportLine, RequestFailure) throws -> Void

    /// An import.
    ///
    /// - Parameters:
    ///   - assets: where the receipts of assets come from; nil sends assets as they are.
    ///   - progress: is told of every answer.
    ///   - reject: is given every line that failed.
    init(
        plan: Plan, requester: any Requester, assets: ImportAssets? = nil,
        progress: @escaping @Sendable (ImportReport, _ fraction: Double?) -> Void = { _, _ in },
        reject: @escaping @Sendable (ImportLine, RequestFailure) throws -> Void = { _, _ in }
    ) {
        self.plan = plan
        self.requester = requester
        sender = ImportSender(limit: plan.requestLimit, requester: requester, assets: assets)
        self.progress = progress
        self.reject = reject
    }

    /// What all rounds of an import share.
    private struct Run: ~Copyable {
        let start = ContinuousClock.now
        var report = ImportReport()
        var deferred: DeferredLines
        /// Whether what may succeed later waits for it.
        var defers = true
    }

    /// Sends every line of `lines`.
    ///
    /// - Returns: what became of them.
    /// - Throws: a fault of the file, what `reject` throws, and the failure of a request that all others would share
    ///   (no such zone, no access).
    func run(_ lines: inout LineReader) async throws -> ImportReport {
        var run = Run(deferred: try DeferredLines())
        try await round(&lines, ImportSource(zone: plan.zone), &run)
        while run.deferred.count > 0 {
            let succeeded = run.report.succeeded
            var again = try run.deferred.takeAll()
            try await round(&again, ImportSource(zone: plan.zone, isNumbered: true), &run)
            // The last round is for those that nothing helps: their failures are told.
            run.defers = run.report.succeeded > succeeded
        }
        run.report.elapsed = ContinuousClock.now - run.start
        return run.report
    }

    private func round(_ lines: inout LineReader, _ source: ImportSource, _ run: inout Run) async throws {
        var gate = ImportGate()
        var source = source
        try await withThrowingTaskGroup(of: ImportBatch.self) { group in
            var running = 0
            while true {
                try await fill(&gate, from: &source, &lines, &run)
                let batch =
                    running < plan.inFlight ? gate.take(plan.batchCount, maxBytes: Self.maxBatchBytes) : []
                if !batch.isEmpty {
                    running += 1
                    group.addTask { try await sender.send(batch) }
                    continue
                }
                guard running > 0, let done = try await group.next() else { break }
                running -= 1
                try settle(done, &gate, &run)
                progress(run.report, lines.totalBytes.map { Double(lines.readBytes) / Double(max($0, 1)) })
            }
        }
    }

    /// Reads lines until there are enough of them to go on with.
    private func fill(
        _ gate: inout ImportGate, from source: inout ImportSource, _ lines: inout LineReader, _ run: inout Run
    ) async throws {
        while gate.heldCount < 2 * plan.batchCount * plan.inFlight, gate.readyCount < plan.batchCount,
            let item = try await source.next(from: &lines)
        {
            switch item {
            case .fault(let line, let failure):
                try fail(line, failure, &run.report)
            case .zone(let name):
                try await requester.makeZone(name, limit: plan.requestLimit)
                run.report.zones += 1
            case .line(let line) where run.deferred.contains(line):
                try run.deferred.append(line)
            case .line(let line) where gate.admits(line):
                gate.offer(line)
            case .line(let line):
                source.putBack(line)
                return
            }
        }
    }

    private func settle(_ done: ImportBatch, _ gate: inout ImportGate, _ run: inout Run) throws {
        run.report.retried += done.retried
        run.report.uploaded += done.uploads.count
        run.report.uploadedBytes += done.uploads.reduce(0, +)
        for (line, outcome) in done.items {
            if case .failed(let failure) = outcome, run.defers, failure.code == Self.deferredCode {
                try run.deferred.append(line)
                for later in gate.withdraw(behind: line) { try run.deferred.append(later) }
                continue
            }
            gate.finish(line)
            run.report.bytes += line.bytes.count
            switch outcome {
            case .saved: run.report.saved += 1
            case .deleted: run.report.deleted += 1
            case .failed(let failure):
                try fail(line, failure, &run.report)
                continue
            }
            run.report.lines += 1
        }
        run.report.elapsed = ContinuousClock.now - run.start
    }

    private func fail(_ line: ImportLine, _ failure: RequestFailure, _ report: inout ImportReport) throws {
        report.lines += 1
        report.note(failure, line: line.number)
        try reject(line, failure)
    }
}
