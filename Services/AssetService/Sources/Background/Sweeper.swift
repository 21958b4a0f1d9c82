internal import AssetStorage
internal import BlobStorage
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceRuntime

/// Makes up for lost change events and deletion jobs, and removes the files of uploads that were interrupted or whose
/// rows were not written. Safe to repeat.
struct Sweeper: Sendable {
    /// The maximum number of rows that one query returns.
    private static let pageSize = 500
    /// The lock that the sweeping instance holds.
    static let lock = PostgresAdvisoryLock("zonda assets: sweep")
    /// The pause before the first round, which keeps that round from coinciding with the start of the service.
    private static let firstDelay = Duration.seconds(5)

    /// The time between rounds.
    let interval: Duration
    /// The age at which a file without a row is treated as an orphan. An upload writes its row within half of this time
    /// (``AssetUploader``).
    var orphanAge = Duration.seconds(3600)
    /// How long an upload can be resumed.
    var resumeLife: Duration
    /// The maximum number of blobs in each part of a round. The next round continues where this one ends.
    var roundLimit = 20_000
    let ownership: StoreOwnership
    let pool: PostgresPool
    let table: BlobTable
    let store: any BlobStore
    let marker: UnusedBlobMarker
    let deleter: Deleter
    let holders: HolderReconciler
    let reconciler: Reconciler
    let metrics: AssetMetrics
    let logger: Logger

    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("sweep", every: interval, after: min(interval, Self.firstDelay)) { try await runOnce() }
    }

    /// Runs one round, unless another instance is running one.
    ///
    /// - Throws: `PostgresError` if the lock cannot be requested.
    func runOnce() async throws {
        _ = try await pool.withConnection { connection in
            try await connection.withAdvisoryLock(Self.lock) { await sweep() }
        }
    }

    /// Runs the parts of a round. They are independent: a part that fails is logged, and runs again in the next round.
    private func sweep() async {
        await part("abandoned uploads") { _ = try await store.removeAbandonedUploads() }
        await part("uploads that were not resumed") {
            _ = try await store.partials?.removeExpired(life: resumeLife)
        }
        do {
            try await ownership.confirm()
        } catch {
            // The round is cancelled because the service is stopping.
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
            // `BlobUses` has logged the failure.
        } catch {
            logger.warning("a part of the sweep failed", metadata: ["part": "\(name)", "error": "\(error)"])
        }
    }

    private func condemnUnused() async throws {
        var last = try await table.place(of: .candidates)
        for _ in 0..<max(1, roundLimit / Self.pageSize) {
            let page = try await table.candidates(after: last, limit: Self.pageSize)
            for (container, blobs) in Dictionary(grouping: page, by: \.container) {
                try await marker.condemnUnused(of: blobs.map(\.id), in: container)
            }
            last = page.count == Self.pageSize ? page[page.count - 1].id : BlobID(rawValue: 0)
            try await table.keep(last, as: .candidates)
            if page.count < Self.pageSize { return }
        }
    }

    /// Deletes overdue blobs. Each blob of a page is deleted or becomes live again, so the next page contains other
    /// blobs.
    private func deleteOverdue() async throws {
        for _ in 0..<max(1, roundLimit / Self.pageSize) {
            let page = try await table.overdue(by: DeletionJob.lateAfter, limit: Self.pageSize)
            for blob in page { try await deleter.delete(blob) }
            guard page.count == Self.pageSize else { return }
        }
    }
}
