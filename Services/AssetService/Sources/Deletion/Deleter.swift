internal import AssetStorage
internal import BlobStorage
internal import CoreMetrics
internal import Logging
internal import RequestServing

/// Deletes condemned blobs that are due.
struct Deleter: Sendable {
    let ownership: StoreOwnership
    let table: BlobTable
    let store: any BlobStore
    let metrics: AssetMetrics
    let logger: Logger

    /// Deletes a blob if it is condemned, due and unused. The row is deleted before the file, because the foreign key
    /// protects the row while records use the blob. If the same content is uploaded in the meantime, it gets a
    /// different file. If the file cannot be removed, the reconciler removes it later.
    ///
    /// - Throws: `PostgresError`.
    func delete(_ id: BlobID) async throws {
        do {
            try await ownership.confirm()
        } catch let error as StoreOwnership.NotOwned {
            // The sweep deletes the blob once the store belongs to this database.
            return logger.error("a blob was not deleted", metadata: ["error": "\(error)"])
        } catch let error as BlobStoreError {
            return logger.warning("a blob cannot be deleted at the moment", metadata: ["error": "\(error)"])
        }
        switch try await table.delete(id) {
        case .passedOver: break
        case .revived: metrics.revived.increment()
        case .deleted(let blob):
            metrics.deleted.increment()
            if let due = blob.condemnation?.due {
                metrics.deletionLateness.recordMilliseconds(max(0, SystemClock.milliseconds() - due))
            }
            do {
                try await store.remove(blob.key)
            } catch {
                logger.warning("the file of a deleted blob cannot be removed", metadata: ["error": "\(error)"])
            }
        }
    }
}
