internal import AssetStorage
internal import CloudKitModel
internal import Logging
internal import ServiceMessages

/// Keeps the holders of blobs consistent with the records, because usage and quotas are counted per holder.
///
/// A database becomes a holder in the transaction that gives it a receipt. It stops being a holder when its receipts
/// have expired and the record service reports that none of its records uses the content. The record service is asked
/// soon after an event reports that a change dropped the content, and whenever the sweep compares the content. The
/// comparison also adds databases that use the content but are not holders yet, which is possible if the use began
/// before holders were introduced.
struct HolderReconciler: Sendable {
    /// The number of sweeps after which unchanged content is compared again.
    private static let restInSweeps = 6
    private static let pageSize = 200

    let sweepInterval: Duration
    let table: BlobTable
    let uses: BlobUses

    /// Compares holders with records for the content that a change dropped. If the record service does not answer, a
    /// later sweep makes the comparison.
    ///
    /// - Throws: `PostgresError`, or `BAD_REQUEST` if the event is malformed.
    func handle(_ event: ChangeEvent) async throws {
        guard let records = try event.changedRecords() else { return }
        let dropped = Set(records.flatMap(\.droppedAssets).compactMap { AssetChecksum($0) })
        let scope = AssetScope(event.address)
        let blobs = try await table.expiredHolds(of: Array(dropped), by: scope)
        guard !blobs.isEmpty else { return }
        do {
            try await compare(blobs, in: scope.container, rest: sweepInterval * Self.restInSweeps)
        } catch is BlobUses.Unknown {}
    }

    /// Compares holders with records for the blobs that are due, beginning with the blob that has been due the longest.
    ///
    /// - Parameter limit: the maximum number of blobs. The more blobs there are, the longer each waits for its next
    ///   comparison, so that all of them are compared in turn.
    /// - Throws: `PostgresError`, or ``BlobUses/Unknown`` if the record service does not answer.
    func runOnce(limit: Int = 20_000) async throws {
        let rounds = Int(try await table.strayShare().blobs) * 2 / max(1, limit)
        let rest = sweepInterval * max(Self.restInSweeps, rounds)
        for _ in 0..<max(1, limit / Self.pageSize) {
            let page = try await table.countable(limit: Self.pageSize)
            for (container, blobs) in Dictionary(grouping: page, by: \.container) {
                try await compare(blobs.map(\.id), in: container, rest: rest)
            }
            guard page.count == Self.pageSize else { return }
        }
    }

    private func compare(_ blobs: [BlobID], in container: String, rest: Duration) async throws {
        // Databases that get a receipt after this time remain holders, regardless of the record service's answer.
        let began = try await table.now()
        var found: Set<BlobHolder> = []
        for environment in EnvironmentName.allCases {
            found.formUnion(try await uses.holders(of: blobs, in: container, environment: environment))
        }
        try await table.count(
            blobs, in: container, heldBy: Array(found), asOf: began, margin: BlobHolder.receiptMargin, rest: rest)
    }
}
