internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SignedTokens

/// Takes an asset in, whichever way it comes, and gives the receipt for it.
///
/// First the file is complete, durable and under its name, then its row is made: a row always has its bytes. A crash in
/// between leaves a file that nobody knows, which the reconciler removes.
struct AssetUploader: Sendable {
    /// How long a receipt is good.
    let receiptLife: Duration
    /// The largest asset.
    let maxAssetBytes: Int64
    let keys: SigningKeys
    let store: any BlobStore
    let table: BlobTable
    let quotas: Quotas
    let trouble: DatabaseTrouble
    let metrics: AssetMetrics
    let logger: Logger

    /// Takes what `fill` appends.
    ///
    /// - Parameters:
    ///   - partial: what earlier requests brought; nil: nothing. When `fill` throws ``Interruption``, it is kept.
    ///   - name: its name.
    ///   - field: what errors name.
    ///   - patience: how long a database that is away is waited for. It must stay far below the age at which the
    ///     reconciler takes a file without a row for an abandoned one.
    ///   - verify: looks at the content before it is stored.
    /// - Throws: what `fill` and `verify` throw, `asset_too_large`, ``BlobStoreError``, `TRY_AGAIN_LATER` or
    ///   `Withheld` because of the database. Then nothing is left, or a file
    ///   for the reconciler when the row may have been written.
    func upload(
        to scope: AssetScope, continuing partial: PartialFile? = nil, named name: PartialName? = nil, field: String?,
        patience: Duration,
        _ fill: (inout IncomingAsset) async throws -> Void,
        verifying verify: (IncomingAsset.Content) throws(ServerError) -> Void = { _ in }
    ) async throws -> UploadedAsset {
        let room: QuotaRoom
        do {
            // While there is no database the bytes would be received in vain, again and again.
            room = try await self.room(for: scope, besides: name, patience: patience)
        } catch {
            await partial?.suspend()
            throw error
        }
        let (content, generation) = try await receive(partial, for: scope.container, field: field, room, fill, verify)
        let deadline = Self.deadline(patience)
        var attempts = 0
        let arrival: BlobTable.Arrival
        do {
            arrival = try await trouble.outlast(deadline: deadline, failingWith: BlobStoreError.self) {
                attempts += 1
                return try await settle(content, of: generation, for: scope, within: room, field: field)
            }
        } catch let error as ServerError where error.reasonCode == ReasonCode.assetQuotaExceeded.rawValue {
            // Refused at the first attempt the row is not there. Later ones do not know what became of those before.
            if attempts == 1 {
                try await store.remove(
                    BlobKey(container: scope.container, checksum: content.checksum, generation: generation))
            }
            throw error
        }
        count(content, arrival, isNew: arrival.generation == generation)
        return UploadedAsset(
            content: content, blob: arrival.id, scope: scope, expiresAt: arrival.receiptExpiresAt, keys: keys)
    }

    /// What the database of an upload may take now: what waits to be resumed counts as taken. The database is waited for as
    /// in ``upload(to:field:patience:_:)``.
    ///
    /// - Parameter name: the upload that asks, which does not count.
    func room(for scope: AssetScope, besides name: PartialName? = nil, patience: Duration) async throws -> QuotaRoom {
        let room = try await trouble.outlast(deadline: Self.deadline(patience)) { try await quotas.room(for: scope) }
        guard !room.parts.isEmpty, let partials = store.partials else { return room }
        let own = name ?? PartialName(scope, ticket: "", id: UploadID(length: nil, checksum: nil))
        let waiting = try await partials.waitingBytes(besides: own)
        return room.adding(user: waiting.database, container: waiting.container)
    }

    private static func deadline(_ patience: Duration) -> Int64 {
        SystemClock.milliseconds() + patience.components.seconds * 1000
    }

    /// The bytes ended before their end, for this reason; those that came are good.
    struct Interruption: Error {
        let reason: any Error
    }

    /// The bytes, as a file of a new generation.
    private func receive(
        _ partial: PartialFile?, for container: String, field: String?, _ room: QuotaRoom,
        _ fill: (inout IncomingAsset) async throws -> Void,
        _ verify: (IncomingAsset.Content) throws(ServerError) -> Void
    ) async throws -> (IncomingAsset.Content, generation: UUID) {
        let upload: any BlobUpload
        if let partial { upload = partial } else { upload = try await store.makeUpload() }
        do {
            var incoming = IncomingAsset(upload, maxBytes: maxAssetBytes, field: field, room: room)
            try await fill(&incoming)
            let content = try await incoming.finish()
            try verify(content)
            let generation = store.makeGeneration()
            try await upload.commit(
                as: BlobKey(container: container, checksum: content.checksum, generation: generation))
            return (content, generation)
        } catch let interruption as Interruption {
            await upload.suspend()
            throw interruption.reason
        } catch {
            await upload.discard()
            throw error
        }
    }

    /// The content's row, with one file: ours when it is new or when the row's own is lost or quarantined, the earlier one
    /// otherwise.
    /// It can be repeated, whatever became of the time before.
    private func settle(
        _ content: IncomingAsset.Content, of generation: UUID, for scope: AssetScope, within room: QuotaRoom,
        field: String?
    ) async throws -> BlobTable.Arrival {
        func key(_ generation: UUID) -> BlobKey {
            BlobKey(container: scope.container, checksum: content.checksum, generation: generation)
        }
        while true {
            var arrival = try await quotas.arrive(
                content, for: scope, within: room, field: field, generation: generation, receiptLife: receiptLife)
            if arrival.generation == generation {
                // A repeat of a time that was committed and not heard of: the blob may have come to its end meanwhile.
                guard try await store.size(of: key(generation)) != nil else {
                    throw BlobStoreError("the file of a new blob is gone")
                }
                return arrival
            }
            let isThere = try await store.size(of: key(arrival.generation)) == content.size
            if isThere, !arrival.isDamaged {
                try await store.remove(key(generation))
                return arrival
            }
            // The row lives now, so nobody deletes its file: that is missing because it was lost. A damaged one is left to
            // the reconciler.
            logger.warning("a lost or damaged blob is replaced", metadata: ["blob": "\(arrival.id.rawValue)"])
            if try await table.heal(arrival.id, lost: arrival.generation, generation: generation) {
                metrics.healed.increment()
                arrival.generation = generation
                return arrival
            }
        }
    }

    private func count(_ content: IncomingAsset.Content, _ arrival: BlobTable.Arrival, isNew: Bool) {
        metrics.uploads.increment()
        metrics.uploadedBytes.increment(by: content.size)
        if !isNew { metrics.deduplicatedBytes.increment(by: content.size) }
        if arrival.isRevived { metrics.revived.increment() }
    }
}
