internal import AssetStorage
internal import BlobStorage
internal import CoreMetrics
internal import Crypto
internal import Logging
internal import NIOCore
internal import ServiceMessages
internal import ServiceRuntime

/// Verifies the files of blobs, and quarantines blobs with damaged files. A damaged file is kept for investigation
/// until an upload of the same content has replaced it.
struct BlobVerifier: Sendable {
    /// The number of bytes to read at a time.
    static let chunkBytes = 256 * 1024

    let ownership: StoreOwnership
    let store: any BlobStore
    let table: BlobTable
    let metrics: AssetMetrics
    let logger: Logger

    private enum Finding {
        case intact
        case damaged(StoredBlob.Damage.Kind)
    }

    /// Reads and hashes a blob's file, and records the result.
    ///
    /// - Parameter pace: called after each read with the number of bytes read; it may suspend.
    /// - Throws: `PostgresError`; ``BlobStoreError`` or `SettingError` if the store itself fails or is the wrong one;
    ///   any error that `pace` throws. These errors say nothing about the state of the blob.
    func verify(_ blob: StoredBlob, pace: (Int) async throws -> Void) async throws {
        switch try await inspect(blob, pace) {
        case .intact:
            if try await table.verified(blob.id, blob.generation) {
                logger.notice("the file of a blob in quarantine is intact again", metadata: Self.metadata(blob))
                metrics.healed.increment()
            }
            metrics.scrubbed.increment()
        case .damaged(let kind):
            try await quarantine(blob, kind)
        }
    }

    /// Quarantines a blob, provided that the store is the right one and works. Without these checks, all blobs on an
    /// unmounted volume would be quarantined.
    ///
    /// - Throws: `PostgresError`; ``BlobStoreError`` or `SettingError` if the store fails or is the wrong one.
    func quarantine(_ blob: StoredBlob, _ kind: StoredBlob.Damage.Kind) async throws {
        try await ownership.check()
        do throws(BlobStoreError) {
            try await store.check()
        } catch {
            // A full disk can still be read.
            guard error.isFull else { throw error }
        }
        guard try await table.quarantine(blob.id, blob.generation, kind) else { return }
        var metadata = Self.metadata(blob)
        metadata["damage"] = "\(kind.rawValue)"
        logger.error("a blob is quarantined: it is not served until it is uploaded again", metadata: metadata)
        metrics.quarantined[kind].increment()
    }

    private func inspect(_ blob: StoredBlob, _ pace: (Int) async throws -> Void) async throws -> Finding {
        let reader: any BlobReader
        switch await open(blob.key) {
        case .success(let opened?): reader = opened
        case .success(nil): return .damaged(.missing)
        case .failure(let error) where error.isDamage: return .damaged(.corrupt)
        case .failure(let error): throw error
        }
        guard reader.size == blob.size else { return .damaged(.corrupt) }
        var hash = SHA256()
        var offset: Int64 = 0
        while offset < blob.size {
            let count = Int(min(blob.size - offset, Int64(Self.chunkBytes)))
            let bytes: ByteBuffer
            do throws(BlobStoreError) {
                bytes = try await reader.read(at: offset, count: count)
            } catch {
                // `quarantine` checks that the store itself works.
                return .damaged(error.isDamage ? .corrupt : .unreadable)
            }
            guard bytes.readableBytes == count else { return .damaged(.corrupt) }
            bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
            metrics.scrubbedBytes.increment(by: count)
            offset += Int64(count)
            try await pace(count)
        }
        return AssetChecksum(bytes: Array(hash.finalize())) == blob.checksum ? .intact : .damaged(.corrupt)
    }

    private func open(_ key: BlobKey) async -> Result<(any BlobReader)?, BlobStoreError> {
        do throws(BlobStoreError) {
            return .success(try await store.open(key))
        } catch {
            return .failure(error)
        }
    }

    private static func metadata(_ blob: StoredBlob) -> Logger.Metadata {
        ["blob": "\(blob.id.rawValue)", "key": "\(blob.key)"]
    }
}
