internal import CoreMetrics
internal import Crypto
internal import Logging
internal import NIOCore
internal import ServiceMessages
internal import ServiceRuntime

/// Reads a blob's file again, and quarantines one that is not what it should be. The file itself stays where it is, for
/// whoever wants to look into it, until an upload of the same content has made it a file without a row.
struct Examiner: Sendable {
    /// What is read at once.
    static let chunkBytes = 256 * 1024

    let identity: StoreIdentity
    let store: any BlobStore
    let table: BlobTable
    let metrics: AssetMetrics
    let logger: Logger

    /// What was found.
    enum Finding: Sendable, Equatable {
        case right
        case damaged(StoredBlob.Damage.Kind)
    }

    /// Verifies a file and notes what was found.
    ///
    /// - Parameter pace: is told of the bytes as they are read, and may take its time.
    /// - Throws: `PostgresError`; ``BlobStoreError`` or `SettingError` when the store is not what it should be, which
    ///   says nothing about the blob; what `pace` throws.
    func examine(_ blob: StoredBlob, pace: (Int) async throws -> Void) async throws {
        switch try await look(at: blob, pace) {
        case .right:
            if try await table.verified(blob.id, blob.generation) {
                logger.notice("a quarantined blob's file is right again", metadata: Self.metadata(blob))
                metrics.healed.increment()
            }
            metrics.scrubbed.increment()
        case .damaged(let kind):
            try await quarantine(blob, kind)
        }
    }

    /// Quarantines a blob's file, provided that the store itself is the right one and works: a volume that is not there
    /// is no reason to give up everything on it.
    ///
    /// - Throws: as ``examine(_:pace:)``.
    func quarantine(_ blob: StoredBlob, _ kind: StoredBlob.Damage.Kind) async throws {
        try await identity.check()
        do throws(BlobStoreError) {
            try await store.check()
        } catch {
            // What is on a full disk can be read all the same.
            guard error.isFull else { throw error }
        }
        guard try await table.quarantine(blob.id, blob.generation, kind) else { return }
        var metadata = Self.metadata(blob)
        metadata["damage"] = "\(kind.rawValue)"
        logger.error("a blob is quarantined: it is not served until it is uploaded again", metadata: metadata)
        metrics.quarantined[kind].increment()
    }

    private func look(at blob: StoredBlob, _ pace: (Int) async throws -> Void) async throws -> Finding {
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
            let chunk: Result<ByteBuffer, BlobStoreError>
            do {
                chunk = .success(try await reader.read(at: offset, count: count))
            } catch {
                chunk = .failure(error)
            }
            // That the store itself works is asked before anything is made of it.
            let bytes: ByteBuffer
            switch chunk {
            case .success(let read): bytes = read
            case .failure(let error): return .damaged(error.isDamage ? .corrupt : .unreadable)
            }
            guard bytes.readableBytes == count else { return .damaged(.corrupt) }
            bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
            metrics.scrubbedBytes.increment(by: count)
            offset += Int64(count)
            try await pace(count)
        }
        return AssetChecksum(bytes: Array(hash.finalize())) == blob.checksum ? .right : .damaged(.corrupt)
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
