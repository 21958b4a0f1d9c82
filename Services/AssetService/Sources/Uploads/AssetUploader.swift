internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime
internal import SignedTokens

/// Receives assets, over HTTP or in messages, and issues their receipts.
///
/// The file is complete, durable and visible before its row is written, so that the bytes to which a row refers always
/// exist. A crash between the two steps leaves a file without a row, which the reconciler removes.
struct AssetUploader: Sendable {
    /// How long a receipt is valid.
    let receiptLife: Duration
    /// The maximum size of an asset, in bytes.
    let maxAssetBytes: Int64
    let keys: SigningKeys
    let store: any BlobStore
    let table: BlobTable
    let quotas: Quotas
    /// The rights of participants. Rights are read again when an upload begins and before its content is recorded,
    /// because the upload URL remains valid after the participant has been removed.
    let rights: ShareRights
    let retry: DatabaseRetry
    let metrics: AssetMetrics
    let logger: Logger

    /// Returns the quotas that currently apply to a database, and their usage. Uploads that are waiting to be resumed
    /// count as stored. Must be called before any bytes are received, so that none are received unnecessarily while the
    /// database is unavailable.
    ///
    /// - Parameters:
    ///   - name: the name of the current upload, whose own bytes are not counted; nil if the upload is not resumable.
    ///   - patience: how long to wait while the database is unavailable.
    /// - Throws: `TRY_AGAIN_LATER`, `ServiceStopping`, ``BlobStoreError``, or any error that
    ///   ``ShareRights/checkWriting(_:deadline:)`` throws.
    func quotaUsage(
        of scope: AssetScope, besides name: PartialName? = nil, patience: Duration
    ) async throws -> QuotaUsage {
        try await rights.checkWriting(scope, deadline: Self.deadline(patience))
        let usage = try await retry.run(deadline: Self.deadline(patience)) { try await quotas.usage(of: scope) }
        guard !usage.parts.isEmpty, let partials = store.partials else { return usage }
        let own = name ?? PartialName(scope, ticket: "", id: UploadID(length: nil, checksum: nil))
        let waiting = try await partials.waitingBytes(besides: own)
        return usage.adding(user: waiting.database, container: waiting.container)
    }

    /// Receives an asset.
    ///
    /// - Parameters:
    ///   - source: the bytes.
    ///   - usage: the result of ``quotaUsage(of:besides:patience:)``.
    ///   - partial: the upload, held by the caller, that `source` continues; nil for a new upload. After an
    ///     interruption, it is kept for the next request; after any other error, it is discarded.
    ///   - expected: the content that must arrive; nil if any content is accepted.
    ///   - field: the field that errors name.
    ///   - patience: how long to wait while the database is unavailable. It must be far shorter than the age at which
    ///     the reconciler begins to remove files without a row.
    /// - Throws: any error that `source` or `expected` throws, `asset_too_large`, `QUOTA_EXCEEDED`, ``BlobStoreError``,
    ///   `TRY_AGAIN_LATER` or `ServiceStopping`. After an error, a file remains only if its row might have been
    ///   written. The reconciler removes the file if it turns out to have no row.
    func upload(
        _ source: some UploadSource, to scope: AssetScope, within usage: QuotaUsage,
        continuing partial: (any PartialUpload)? = nil, expecting expected: ExpectedContent? = nil, field: String?,
        patience: Duration
    ) async throws -> UploadedAsset {
        let upload: any BlobUpload = if let partial { partial } else { try await store.makeUpload() }
        let (content, generation) = try await receive(source, in: upload, within: usage, field: field) { incoming in
            let content = try await incoming.finish()
            try expected?.check(content)
            try await checkRights(in: scope)
            let generation = store.makeGeneration()
            try await upload.commit(
                as: BlobKey(container: scope.container, checksum: content.checksum, generation: generation))
            return (content, generation)
        }
        var attempts = 0
        let arrival: BlobTable.Arrival
        do {
            arrival = try await retry.run(
                deadline: Self.deadline(patience), failingWith: BlobStoreError.self
            ) {
                attempts += 1
                return try await record(content, of: generation, for: scope, within: usage, field: field)
            }
        } catch let error as ServerError where error.reasonCode == ReasonCode.assetQuotaExceeded.rawValue {
            // If the first attempt is refused, the row does not exist. If a later attempt is refused, an earlier one
            // might have written the row.
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

    /// Checks the rights of a participant whose bytes have arrived. If the record service does not answer, the client
    /// can resume the upload.
    private func checkRights(in scope: AssetScope) async throws {
        do {
            try await rights.checkWriting(scope)
        } catch let error as ServerError where error.reasonCode == ReasonCode.recordServiceAway.rawValue {
            throw UploadInterruption(reason: error)
        }
    }

    /// Appends the bytes of one request to an upload that is not complete yet, and keeps the upload for the next
    /// request. Afterwards, the bytes are durable.
    ///
    /// - Parameters:
    ///   - partial: the upload, held by the caller. After an interruption, it is kept; after any other error, it is
    ///     discarded.
    ///   - maxLength: the announced size of the whole upload, in bytes; nil if none was announced.
    /// - Returns: the size of the upload so far, in bytes.
    /// - Throws: any error that `source` throws, `asset_too_large`, `QUOTA_EXCEEDED`, `upload_length_mismatch`, or
    ///   ``BlobStoreError``.
    func append(
        _ source: some UploadSource, to partial: any PartialUpload, within usage: QuotaUsage, maxLength: Int64?,
        field: String
    ) async throws -> Int64 {
        let size = try await receive(source, in: partial, within: usage, field: field) { incoming in
            try await incoming.flush()
            guard incoming.size <= maxLength ?? .max else { throw ServerError.uploadLengthMismatch(field: field) }
            return incoming.size
        }
        await partial.suspend()
        return size
    }

    private static func deadline(_ patience: Duration) -> Int64 {
        SystemClock.milliseconds() + patience.components.seconds * 1000
    }

    /// Reads `source` into `upload`. After an interruption, the upload is suspended; after any other error, it is
    /// discarded.
    private func receive<Result>(
        _ source: some UploadSource, in upload: any BlobUpload, within usage: QuotaUsage, field: String?,
        _ finish: (inout IncomingAsset) async throws -> Result
    ) async throws -> Result {
        do {
            var source = source
            var incoming = IncomingAsset(upload, maxBytes: maxAssetBytes, quotas: usage, field: field)
            try await source.read(into: &incoming)
            return try await finish(&incoming)
        } catch let interruption as UploadInterruption {
            await upload.suspend()
            throw interruption.reason
        } catch {
            await upload.discard()
            throw error
        }
    }

    /// Records the content and decides which file its row keeps. The new file is kept if the row is new or if the row's
    /// previous file is lost or in quarantine; otherwise, the previous file is kept. Safe to repeat, regardless of the
    /// result of the previous attempt.
    private func record(
        _ content: AssetContent, of generation: UUID, for scope: AssetScope, within usage: QuotaUsage, field: String?
    ) async throws -> BlobTable.Arrival {
        func key(_ generation: UUID) -> BlobKey {
            BlobKey(container: scope.container, checksum: content.checksum, generation: generation)
        }
        while true {
            var arrival = try await quotas.arrive(
                content, for: scope, within: usage, field: field, generation: generation, receiptLife: receiptLife)
            if arrival.generation == generation {
                // If an earlier attempt was committed but its answer was lost, the blob might have been deleted since
                // then.
                guard try await store.size(of: key(generation)) != nil else {
                    throw BlobStoreError("the file of a new blob no longer exists")
                }
                return arrival
            }
            let isStored = try await store.size(of: key(arrival.generation)) == content.size
            if isStored, !arrival.isDamaged {
                try await store.remove(key(generation))
                return arrival
            }
            // The row is live now, so its file is not being deleted: the file is lost or damaged. The reconciler
            // removes a damaged file.
            logger.warning("a lost or damaged blob is replaced", metadata: ["blob": "\(arrival.id.rawValue)"])
            if try await table.heal(arrival.id, lost: arrival.generation, generation: generation) {
                metrics.healed.increment()
                arrival.generation = generation
                return arrival
            }
        }
    }

    private func count(_ content: AssetContent, _ arrival: BlobTable.Arrival, isNew: Bool) {
        metrics.uploads.increment()
        metrics.uploadedBytes.increment(by: content.size)
        if !isNew { metrics.deduplicatedBytes.increment(by: content.size) }
        if arrival.isRevived { metrics.revived.increment() }
    }
}
