internal import CoreMetrics
internal import Logging
internal import RequestServing

/// Deletes condemned blobs whose time has come.
struct Deleter: Sendable {
    let identity: StoreIdentity
    let table: BlobTable
    let store: any BlobStore
    let metrics: AssetMetrics
    let logger: Logger

    /// Deletes a blob if it is condemned, due and unused. First the row, which the foreign key guards, then the file of
    /// exactly that row: whoever uploads the same content meanwhile has another one.
    ///
    /// - Throws: `PostgresError`. A file that cannot be removed is left to the reconciler.
    func delete(_ id: BlobID) async throws {
        do {
            try await identity.confirmOwn()
        } catch let error as StoreIdentity.NotOwn {
            // The sweep comes to it when the store is this database's.
            return logger.error("a blob is not deleted", metadata: ["error": "\(error)"])
        } catch let error as BlobStoreError {
            return logger.warning("a blob is not deleted now", metadata: ["error": "\(error)"])
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
                logger.warning("a deleted blob's file is left over", metadata: ["error": "\(error)"])
            }
        }
    }
}
