internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import CoreMetrics
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// Condemns the blobs that no record uses and for which no receipt is valid: the row of each such blob gets a due time,
/// and a delayed message starts the deletion at that time.
struct UnusedBlobMarker: Sendable {
    /// The time between the condemnation and the deletion.
    let grace: Duration
    let table: BlobTable
    let uses: BlobUses
    let publisher: AMQPPublisher
    let metrics: AssetMetrics

    /// Condemns the blobs whose content a change dropped, if they are unused.
    ///
    /// Events only cause the blobs to be condemned sooner, because the sweep also finds blobs whose events were lost or
    /// for which the record service gave no answer. Handling an event therefore does not have to wait for the record
    /// service.
    ///
    /// - Throws: `PostgresError`, or `BAD_REQUEST` if the event is malformed.
    func handle(_ event: ChangeEvent) async throws {
        guard let records = try event.changedRecords() else { return }
        let dropped = Set(records.flatMap(\.droppedAssets).compactMap { AssetChecksum($0) })
        let container = event.address.container
        let candidates = try await table.candidates(among: Array(dropped), in: container)
        guard !candidates.isEmpty else { return }
        do {
            try await condemnUnused(of: candidates, in: container)
        } catch is BlobUses.Unknown {}
    }

    /// Condemns the given blobs of a container, except those that a record uses.
    ///
    /// - Throws: `PostgresError`, or ``BlobUses/Unknown`` if the record service does not answer.
    func condemnUnused(of blobs: [BlobID], in container: String) async throws {
        let used = try await uses.used(among: blobs, in: container)
        let unused = blobs.filter { !used.contains($0) }
        guard !unused.isEmpty else { return }
        let condemned = try await table.condemn(unused, grace: grace)
        metrics.condemned.increment(by: condemned.count)
        // If the broker does not accept a message, the sweep deletes the blob instead.
        _ = await publisher.publish(condemned.map { DeletionJob($0).message(after: grace) })
    }
}
