import CommandLineSession
import ServiceMessages

/// Sends a file of web-services operations in batches, with several requests in progress at a time. Two operations on
/// the same record are never in progress at the same time.
///
/// A record can precede the records that it refers to. An operation that is refused because such a record does not
/// exist is added to ``DeferredLines`` and sent again after all other lines. This is repeated as long as further
/// operations succeed.
///
/// The task that calls ``run(_:)`` owns all state; the requests run concurrently.
struct Importer: Sendable {
    /// The parameters of an import.
    struct Plan: Sendable {
        /// The zone for all records; nil to use the zone that each line specifies.
        var zone: String?
        /// The user who owns the zones; nil for the owner of the database.
        var owner: String?
        /// The number of operations in a request.
        var batchCount = 100
        /// The maximum number of requests in progress.
        var inFlight = 8
        /// The maximum time for which a request is retried before its lines fail.
        var requestLimit: Duration = .seconds(60)
    }

    /// The maximum size of a body with several lines, in bytes.
    private static let maxBatchBytes = 4 << 20
    /// The error code for a save that refers to a nonexistent record, and for the deletion of a record that another
    /// record refers to.
    private static let deferredCode = "VALIDATING_REFERENCE_ERROR"

    private let plan: Plan
    private let requester: any Requester
    private let sender: ImportSender
    private let progress: @Sendable (ImportReport, _ fraction: Double?) -> Void
    private let reject: @Sendable (ImportLine, RequestFailure) throws -> Void

    /// Creates an importer.
    ///
    /// - Parameters:
    ///   - assets: provides receipts for assets; nil to send assets unchanged.
    ///   - progress: called after every answer.
    ///   - reject: called with every failed line.
    init(
        plan: Plan, requester: any Requester, assets: ImportAssets? = nil,
        progress: @escaping @Sendable (ImportReport, _ fraction: Double?) -> Void = { _, _ in },
        reject: @escaping @Sendable (ImportLine, RequestFailure) throws -> Void = { _, _ in }
    ) {
        self.plan = plan
        self.requester = requester
        sender = ImportSender(limit: plan.requestLimit, requester: requester, assets: assets, owner: plan.owner)
        self.progress = progress
        self.reject = reject
    }

    /// The state shared by all rounds of an import.
    private struct Run: ~Copyable {
        let start = ContinuousClock.now
        var report = ImportReport()
        var deferred: DeferredLines
        /// Whether operations that might succeed later are deferred.
        var defers = true
    }

    /// Sends every line of `lines`.
    ///
    /// - Returns: the report.
    /// - Throws: `LineReader.Fault`, any error that `reject` throws, or a failure that would also affect all other
    ///   requests, for example because access is denied.
    func run(_ lines: inout LineReader) async throws -> ImportReport {
        var run = Run(deferred: try DeferredLines())
        try await round(&lines, ImportSource(zone: plan.zone), &run)
        while run.deferred.count > 0 {
            let succeeded = run.report.succeeded
            var again = try run.deferred.takeAll()
            try await round(&again, ImportSource(zone: plan.zone, isNumbered: true), &run)
            // The last round reports the failures of the operations that could not succeed.
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

    /// Reads lines until enough of them can be taken.
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
