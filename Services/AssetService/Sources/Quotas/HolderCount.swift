internal import CloudKitModel
internal import Logging
internal import ServiceMessages

/// Keeps who holds a content, which usage and quotas are counted by, true to the records.
///
/// A holder comes with the receipt, in the transaction that makes it. It goes when its receipts have expired and the
/// record service says that none of its database's records uses the content: soon after the event of the change that
/// dropped it, or when the sweep comes round to the content. A use without a holder, as all of those are that are older
/// than the holders, gets one then.
struct HolderCount: Sendable {
    /// How long after a receipt's end a save that it was good for may still be under way.
    static let margin = Duration.seconds(300)
    /// A content whose uses nobody changed is compared again after so many sweeps.
    private static let restInSweeps = 6
    private static let pageSize = 200
    private static let environments = [EnvironmentName.development, .production].map(\.rawValue)

    let sweepInterval: Duration
    let table: BlobTable
    let uses: BlobUses

    /// Compares what a change dropped.
    ///
    /// What the record service does not say now, the sweep asks again.
    ///
    /// - Throws: `BAD_REQUEST` when the event is malformed, `PostgresError`.
    func take(_ event: ChangeEvent) async throws {
        guard let records = try event.changedRecords() else { return }
        let dropped = Set(records.flatMap(\.droppedAssets).compactMap { AssetChecksum($0) })
        let scope = AssetScope(event.address)
        let blobs = try await table.expiredHolds(of: Array(dropped), by: scope)
        guard !blobs.isEmpty else { return }
        do {
            try await compare(blobs, in: scope.container, rest: sweepInterval * Self.restInSweeps)
        } catch is BlobUses.Unknown {}
    }

    /// Compares contents whose time has come, the longest due first.
    ///
    /// - Parameter limit: how many at most. Contents rest the longer the more there are, so that all of them come round.
    /// - Throws: ``BlobUses/Unknown`` when the record service does not say, `PostgresError`.
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
        // What is given a receipt after this moment is held, whatever the record service has said before.
        let began = try await table.now()
        var found: Set<BlobHolder> = []
        for environment in Self.environments {
            found.formUnion(try await uses.holders(of: blobs, in: container, environment: environment))
        }
        try await table.count(
            blobs, in: container, heldBy: Array(found), asOf: began, margin: Self.margin,
            rest: rest)
    }
}

/// A database that holds a blob.
struct BlobHolder: Sendable, Hashable {
    var blob: BlobID
    /// `development` or `production`.
    var environment: String
    /// `public` or `private`.
    var scope: String
    var owner: String
}
