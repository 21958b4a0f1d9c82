internal import CoreMetrics
internal import Logging

/// Compares files, rows and uses with each other, in both directions, as a part of the sweep.
///
/// - A file without a row is removed when it is old and was seen twice, at least a sweep apart.
/// - A row without its file, or whose file has another length, is quarantined. The rows are walked a bounded piece a
///   round; where the walk is, is remembered.
/// - A condemned blob that a record uses lives again; its deletion would be refused, but it need not be tried.
/// - A use without a blob cannot be: that the foreign key is there is looked up when somebody asks.
struct Reconciler: Sendable {
    private static let pageSize = 500
    private static let pagesPerRound = 10
    /// Files that are asked for at once.
    private static let width = 8

    let sweepInterval: Duration
    let store: any BlobStore
    let table: BlobTable
    let uses: BlobUses
    let examiner: Examiner
    let metrics: AssetMetrics
    let logger: Logger

    /// One round.
    ///
    /// - Parameter orphanAge: how old a file without a row must be.
    /// - Throws: `PostgresError`, ``BlobStoreError``, `SettingError` when the store is another one.
    func runOnce(orphanAge: Duration) async throws {
        var round = StockRound()
        try await removeStrays(of: &round, orphanAge: orphanAge)
        try await checkRows(of: &round)
        do {
            round.revived = try await reviveUsed()
        } catch is BlobUses.Unknown {
            // It was logged there.
        }
        try await table.end(round)
    }

    private func reviveUsed() async throws -> Int64 {
        var (last, revived) = (BlobID(rawValue: 0), Int64(0))
        while true {
            let page = try await table.condemned(after: last, limit: Self.pageSize)
            for (container, blobs) in Dictionary(grouping: page, by: \.container) {
                let used = try await uses.used(among: blobs.map(\.id), in: container)
                guard !used.isEmpty else { continue }
                let count = try await table.revive(used.sorted { $0.rawValue < $1.rawValue })
                metrics.revived.increment(by: count)
                revived += Int64(count)
            }
            guard page.count == Self.pageSize, let end = page.last else { return revived }
            last = end.id
        }
    }

    private func removeStrays(of round: inout StockRound, orphanAge: Duration) async throws {
        let began = try await table.now()
        var (files, strays, removed) = (Int64(0), Int64(0), Int64(0))
        try await store.forEachPage(olderThan: orphanAge) { keys in
            files += Int64(keys.count)
            let known = try await table.known(keys.map(\.generation))
            let unknown = keys.filter { !known.contains($0.generation) }
            guard !unknown.isEmpty else { return }
            strays += Int64(unknown.count)
            for key in try await table.noteStrays(unknown, confirmedAfter: sweepInterval) {
                logger.notice("a file without a row is removed", metadata: ["key": "\(key)"])
                try await store.remove(key)
                try await table.forgetStray(key)
                metrics.straysRemoved.increment()
                removed += 1
            }
        }
        try await table.forgetStrays(notSeenSince: began)
        (round.files, round.strays, round.removed) = (files, strays, removed)
    }

    private func checkRows(of round: inout StockRound) async throws {
        round.walkedTo = try await table.walkedTo()
        for _ in 0..<Self.pagesPerRound {
            let page = try await table.page(after: round.walkedTo, limit: Self.pageSize)
            for start in stride(from: 0, to: page.count, by: Self.width) {
                let blobs = page[start..<min(start + Self.width, page.count)]
                for (blob, damage) in try await damage(of: Array(blobs)) {
                    try await examiner.quarantine(blob, damage)
                    round.missing += 1
                }
            }
            round.rowsChecked += Int64(page.count)
            round.walkedTo = page.count == Self.pageSize ? page[page.count - 1].id : BlobID(rawValue: 0)
            if page.count < Self.pageSize { return }
        }
    }

    /// Those of the blobs, which are few, whose files are not there or have another length. A blob that is deleted
    /// meanwhile may be among them.
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
