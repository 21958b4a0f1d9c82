internal import AssetStorage
internal import BlobStorage
internal import CoreMetrics
internal import Logging

/// Compares files, rows and uses with one another, as part of the sweep.
///
/// - A file without a row is moved to the trash if it still has no row after the grace period, and is deleted from the
///   trash after another grace period. If there are too many such files, none of them is moved, because the database is
///   then more likely to be wrong than the files.
/// - A blob whose file is missing or has a different size is quarantined. If the missing file is in the trash, it is
///   recovered instead. Each round checks a limited number of rows and files, and stores the places from which the next
///   round continues.
/// - A condemned blob that a record uses becomes live again. Its deletion would be refused anyway; this avoids the
///   attempt.
/// - A use without a blob is impossible because of the foreign key. Operators can use `assets.reconcile` to check
///   whether the foreign key exists.
struct Reconciler: Sendable {
    private static let pageSize = 500
    private static let pagesPerRound = 10
    /// If at most this many files have no row, they are removed regardless of ``maxStrayPercent``.
    private static let usualStrays: Int64 = 100
    /// The number of files whose sizes are read concurrently.
    private static let width = 8

    /// How long a file without a row stays in place, and then how long it stays in the trash.
    let grace: Duration
    /// The maximum percentage of files without a row. If it is exceeded, none of these files is removed.
    var maxStrayPercent = 1
    let store: any BlobStore
    let table: BlobTable
    let uses: BlobUses
    let verifier: BlobVerifier
    let metrics: AssetMetrics
    let logger: Logger

    /// Runs one round.
    ///
    /// - Parameters:
    ///   - orphanAge: the minimum age of files that are compared.
    ///   - limit: the maximum number of files and the maximum number of condemned blobs to check.
    /// - Throws: `PostgresError`, ``BlobStoreError``, `SettingError` if the store belongs to another database.
    func runOnce(orphanAge: Duration, limit: Int = 20_000) async throws {
        var round = ReconciliationRound()
        try await removeStrays(of: &round, orphanAge: orphanAge, limit: limit)
        _ = try await store.emptyTrash(olderThan: grace)
        try await checkRows(of: &round)
        do {
            round.revived = try await reviveUsed(limit: limit)
        } catch is BlobUses.Unknown {
            // `BlobUses` has logged the failure.
        }
        try await table.end(round)
    }

    private func reviveUsed(limit: Int) async throws -> Int64 {
        var (last, revived) = (try await table.place(of: .condemned), Int64(0))
        for _ in 0..<max(1, limit / Self.pageSize) {
            let page = try await table.condemned(after: last, limit: Self.pageSize)
            for (container, blobs) in Dictionary(grouping: page, by: \.container) {
                let used = try await uses.used(among: blobs.map(\.id), in: container)
                guard !used.isEmpty else { continue }
                let count = try await table.revive(used.sorted { $0.rawValue < $1.rawValue })
                metrics.revived.increment(by: count)
                revived += Int64(count)
            }
            last = page.count == Self.pageSize ? page[page.count - 1].id : BlobID(rawValue: 0)
            try await table.keep(last, as: .condemned)
            if page.count < Self.pageSize { break }
        }
        return revived
    }

    private func removeStrays(of round: inout ReconciliationRound, orphanAge: Duration, limit: Int) async throws {
        var (place, began) = try await table.fileWalk()
        repeat {
            let page = try await store.page(after: place, olderThan: orphanAge)
            round.files += Int64(page.keys.count)
            for start in stride(from: 0, to: page.keys.count, by: Self.pageSize) {
                try await removeStrays(among: Array(page.keys[start...].prefix(Self.pageSize)), &round)
            }
            place = page.next
            try await table.keepFileWalk(place)
        } while place != nil && round.files < limit
        guard place == nil else { return }
        try await table.forgetStrays(notSeenSince: began)
    }

    private func removeStrays(among keys: [BlobKey], _ round: inout ReconciliationRound) async throws {
        let known = try await table.known(keys.map(\.generation))
        let unknown = keys.filter { !known.contains($0.generation) }
        guard !unknown.isEmpty else { return }
        round.strays += Int64(unknown.count)
        let confirmed = try await table.noteStrays(unknown, confirmedAfter: grace)
        guard !confirmed.isEmpty, try await mayRemove() else { return }
        for key in confirmed {
            logger.notice("a file without a row is moved to the trash", metadata: ["key": "\(key)"])
            try await store.discard(key)
            try await table.forgetStray(key)
            metrics.straysRemoved.increment()
            round.removed += 1
        }
    }

    /// Whether files without a row may be removed. If there are many, the restore of an old database is a more likely
    /// cause than a crash.
    private func mayRemove() async throws -> Bool {
        let (strays, blobs) = try await table.strayShare()
        let most = max(Self.usualStrays, (blobs + strays) / 100 * Int64(maxStrayPercent))
        guard strays > most, maxStrayPercent < 100 else { return true }
        logger.error(
            "too many files have no row; none of them is removed",
            metadata: ["files": "\(strays)", "blobs": "\(blobs)", "setting": "asset.maxStrayPercent"])
        return false
    }

    private func checkRows(of round: inout ReconciliationRound) async throws {
        round.walkedTo = try await table.walkedTo()
        for _ in 0..<Self.pagesPerRound {
            let page = try await table.page(after: round.walkedTo, limit: Self.pageSize)
            for start in stride(from: 0, to: page.count, by: Self.width) {
                let blobs = page[start..<min(start + Self.width, page.count)]
                for (blob, damage) in try await damage(of: Array(blobs)) {
                    if damage == .missing, try await store.recover(blob.key) {
                        logger.notice("a file was recovered from the trash", metadata: ["key": "\(blob.key)"])
                        continue
                    }
                    try await verifier.quarantine(blob, damage)
                    round.missing += 1
                }
            }
            round.rowsChecked += Int64(page.count)
            round.walkedTo = page.count == Self.pageSize ? page[page.count - 1].id : BlobID(rawValue: 0)
            if page.count < Self.pageSize { return }
        }
    }

    /// Returns the blobs whose files are missing or have a different size. The result might include a blob that is
    /// deleted while the sizes are being read.
    private func damage(of blobs: [StoredBlob]) async throws -> [(StoredBlob, StoredBlob.Damage.Kind)] {
        try await withThrowingTaskGroup(of: (StoredBlob, Int64?).self) { [store] group in
            for blob in blobs where blob.damage == nil {
                group.addTask { (blob, try await store.size(of: blob.key)) }
            }
            return try await group.reduce(into: []) { found, item in
                let (blob, size) = item
                if size != blob.size { found.append((blob, size == nil ? .missing : .corrupt)) }
            }
        }
    }
}
