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
/// The file is complete, durable and visible before its row is written, so that a row always has its bytes. A crash in
/// between leaves a file without a row, which the reconciler removes.
struct AssetUploader: Sendable {
    /// How long a receipt is valid.
    let receiptLife: Duration
    /// The maximum size of an asset, in bytes.
    let maxAssetBytes: Int64
    let keys: SigningKeys
    let store: any BlobStore
    let table: BlobTable
    let quotas: Quotas
    let retry: DatabaseRetry
    let metrics: AssetMetrics
    let logger: Logger

    /// The quotas that apply to a database now. Waiting uploads count as stored. Ask before receiving bytes: while there is
    /// no database, they would be received in vain.
    ///
    /// - Parameters:
    ///   - name: the name of the upload itself, which does not count; nil when it has none.
    ///   - patience: how long to wait for a database that is unavailable.
    /// - Throws: `TRY_AGAIN_LATER`, `ServiceStopping`, ``BlobStoreError``.
    func quotaUsage(
        of scope: AssetScope, besides name: PartialName? = nil, patience: Duration
    ) async throws -> QuotaUsage {
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
    ///   - partial: the upload that `source` continues, held by the caller; nil for a new one. An interruption keeps it for
    ///     the next request, any other error discards it.
    ///   - expected: what the content must be; nil when any is accepted.
    ///   - field: the field that errors name.
    ///   - patience: how long to wait for a database that is unavailable. It must be far less than the age from which on
    ///     the reconciler removes files without a row.
    /// - Throws: the errors of `source` and `expected`, `asset_too_large`, `QUOTA_EXCEEDED`, ``BlobStoreError``,
    ///   `TRY_AGAIN_LATER` or `ServiceStopping`. Then nothing is left, or a file for the reconciler if the row may have been
    ///   written.
    func upload(
        _ source: some UploadSource, to scope: AssetScope, within usage: QuotaUsage,
        continuing partial: (any PartialUpload)? = nil, expecting expected: ExpectedContent? = nil, field: String?,
        patience: Duration
    ) async throws -> UploadedAsset {
        let upload: any BlobUpload = if let partial { partial } else { try await store.makeUpload() }
        let (content, generation) = try await receive(source, in: upload, within: usage, field: field) { incoming in
            let content = try await incoming.finish()
            try expected?.check(content)
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
            // After a first attempt the row does not exist. Before a later one it may have been written.
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

    /// Appends the bytes of one request to an upload that is not complete yet, and leaves the upload for the next request.
    /// The bytes are durable afterwards.
    ///
    /// - Parameters:
    ///   - partial: the upload, held by the caller. An interruption keeps it, any other error discards it.
    ///   - maxLength: the announced size of the whole upload, in bytes; nil when there is none.
    /// - Returns: the size of the upload so far, in bytes.
    /// - Throws: the errors of `source`, `asset_too_large`, `QUOTA_EXCEEDED`, `upload_length_mismatch`,
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

    /// Reads `source` into `upload`. An interruption suspends the upload, any other error discards it.
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

    /// Records the content and decides which file its row keeps: ours if the row is new or its own file is lost or in
    /// quarantine, otherwise the earlier one. It can be repeated, whatever the result of the previous attempt.
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
                // After an attempt that was committed without an answer, the blob may have been deleted in the meantime.
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
            // The row is live now, so that its file is not being deleted: it was lost. A damaged file is left to the
            // reconciler.
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
