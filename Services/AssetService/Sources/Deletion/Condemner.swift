internal import AMQPClient
internal import CloudKitModel
internal import CoreMetrics
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// Condemns what no record uses and no receipt names: its row gets a due time, and an alarm is set for then.
struct Condemner: Sendable {
    /// How long condemned content is kept.
    let grace: Duration
    let table: BlobTable
    let uses: BlobUses
    let publisher: AMQPPublisher
    let metrics: AssetMetrics

    /// Looks at what a change dropped.
    ///
    /// An event is only a hint that makes it quicker: what it does not name, and what cannot be asked now, the sweep
    /// comes to. So it is never held back for long.
    ///
    /// - Throws: `BAD_REQUEST` when the event is malformed, `PostgresError`.
    func take(_ event: ChangeEvent) async throws {
        guard let records = try event.changedRecords() else { return }
        let dropped = Set(records.flatMap(\.droppedAssets).compactMap { AssetChecksum($0) })
        let container = event.address.container
        let candidates = try await table.candidates(among: Array(dropped), in: container)
        guard !candidates.isEmpty else { return }
        do {
            try await condemnUnused(of: candidates, in: container)
        } catch is BlobUses.Unknown {}
    }

    /// Condemns those of a container's blobs that no record uses.
    ///
    /// - Throws: ``BlobUses/Unknown`` when the record service does not say, `PostgresError`.
    func condemnUnused(of blobs: [BlobID], in container: String) async throws {
        let used = try await uses.used(among: blobs, in: container)
        let unused = blobs.filter { !used.contains($0) }
        guard !unused.isEmpty else { return }
        let condemned = try await table.condemn(unused, grace: grace)
        metrics.condemned.increment(by: condemned.count)
        // An alarm that the broker does not take is one of those that the sweep makes good.
        _ = await publisher.publish(condemned.map { DeletionJob($0).message(after: grace) })
    }
}
