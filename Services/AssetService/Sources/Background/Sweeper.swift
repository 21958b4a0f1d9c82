internal import CoreMetrics
internal import Foundation
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceRuntime

/// Makes good what was lost: events of changes, alarms, files of uploads that were cut off or whose rows were never
/// written. Everything it does is safe to do twice.
struct Sweeper: Sendable {
    /// Rows looked at in one go.
    private static let pageSize = 500
    /// Held by the instance that sweeps.
    static let lock = PostgresAdvisoryLock("zonda assets: sweep")
    /// An alarm may be that late before it counts as lost.
    static let alarmDelay = Duration.seconds(10)
    /// Before the first round, so that a start is not the busiest moment.
    private static let firstDelay = Duration.seconds(5)

    /// Between two rounds.
    let interval: Duration
    /// A file without a row that is so old is taken for nobody's. An upload under way has its row within half of that
    /// (``AssetUploader``).
    var orphanAge = Duration.seconds(3600)
    /// How long an upload waits to be resumed.
    var resumeLife: Duration
    /// Blobs that each part of a round looks at; the next round goes on from there.
    var roundLimit = 20_000
    let identity: StoreIdentity
    let pool: PostgresPool
    let table: BlobTable
    let store: any BlobStore
    let condemner: Condemner
    let deleter: Deleter
    let holders: HolderCount
    let reconciler: Reconciler
    let metrics: AssetMetrics
    let logger: Logger

    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("sweep", every: interval, after: min(interval, Self.firstDelay)) { try await runOnce() }
    }

    /// One round, unless another instance is at it.
    ///
    /// - Throws: `PostgresError` when the lock cannot be asked for.
    func runOnce() async throws {
        _ = try await pool.withConnection { connection in
            try await connection.withAdvisoryLock(Self.lock) { await sweep() }
        }
    }

    /// Its parts do not wait for each other: one that fails is logged and comes again with the next round.
    private func sweep() async {
        await part("abandoned uploads") { _ = try await store.removeAbandonedUploads() }
        await part("uploads that were not resumed") {
            _ = try await store.partials?.removeExpired(life: resumeLife)
        }
        do {
            try await identity.confirmOwn()
        } catch {
            // A service that ends cancels what is under way.
            guard !Task.isCancelled else { return }
            logger.error("nothing is removed from the store", metadata: ["error": "\(error)"])
            return
        }
        await part("unused blobs") { try await condemnUnused() }
        await part("overdue blobs") { try await deleteOverdue() }
        await part("holders") { try await holders.runOnce(limit: roundLimit) }
        await part("reconciliation") { try await reconciler.runOnce(orphanAge: orphanAge, limit: roundLimit) }
        metrics.sweeps.increment()
    }

    private func part(_ name: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is BlobUses.Unknown {
            // It was logged there.
        } catch {
            logger.warning("a part of the sweep failed", metadata: ["part": "\(name)", "error": "\(error)"])
        }
    }

    private func condemnUnused() async throws {
        var last = try await table.place(of: .candidates)
        for _ in 0..<max(1, roundLimit / Self.pageSize) {
            let page = try await table.candidates(after: last, limit: Self.pageSize)
            for (container, blobs) in Dictionary(grouping: page, by: \.container) {
                try await condemner.condemnUnused(of: blobs.map(\.id), in: container)
            }
            last = page.count == Self.pageSize ? page[page.count - 1].id : BlobID(rawValue: 0)
            try await table.keep(last, as: .candidates)
            if page.count < Self.pageSize { return }
        }
    }

    /// A blob that was looked at is deleted or lives again: each page is another one.
    private func deleteOverdue() async throws {
        for _ in 0..<max(1, roundLimit / Self.pageSize) {
            let page = try await table.overdue(by: Self.alarmDelay, limit: Self.pageSize)
            for blob in page { try await deleter.delete(blob) }
            guard page.count == Self.pageSize else { return }
        }
    }
}
