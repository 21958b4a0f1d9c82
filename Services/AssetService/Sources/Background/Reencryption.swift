internal import AssetStorage
internal import BlobStorage
internal import CoreMetrics
internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// Encrypts stored blobs with the first master key if they were encrypted with another key or stored before encryption
/// was enabled.
///
/// A file never changes, so a blob gets a new file with a new key. When that file is complete and durable, the row is
/// changed to refer to it, and the old file is removed. A crash between these steps leaves a file without a row, which
/// the reconciler removes. A reader that has the old row reads the row again if the old file no longer exists.
struct Reencryption: Sendable {
    /// The maximum number of blobs that one query returns.
    private static let pageSize = 500
    /// The number of bytes to read at a time. A smaller blob counts as this many bytes, because most of the cost is
    /// independent of the size.
    private static let stepBytes = 256 * 1024
    /// The pause before the first round.
    private static let firstDelay = Duration.seconds(5)

    /// The time between rounds.
    let interval: Duration
    let bytesPerSecond: Int
    let keys: EncryptionKeys
    let pool: PostgresPool
    let ownership: StoreOwnership
    let table: BlobTable
    let store: any BlobStore
    let metrics: AssetMetrics
    let logger: Logger

    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("encryption", every: interval, after: min(interval, Self.firstDelay)) { try await runOnce() }
    }

    /// Encrypts all blobs that are not yet encrypted with the first master key. Does nothing if another instance is
    /// already encrypting them.
    ///
    /// - Throws: `PostgresError`, `CancellationError`.
    func runOnce() async throws {
        guard try await count() > 0 else { return }
        try await ownership.confirm()
        let isMine: Void? = try await pool.withConnection { connection in
            try await connection.withAdvisoryLock(PostgresAdvisoryLock("zonda assets: encryption")) {
                try await encryptAll()
            }
        }
        guard isMine != nil else { return }
        let left = try await count()
        logger.log(
            level: left == 0 ? .notice : .warning,
            left == 0 ? "all blobs are encrypted with the first master key" : "some blobs are not encrypted yet",
            metadata: ["key": "\(keys.currentID)", "left": "\(left)"])
    }

    private func count() async throws -> Int64 {
        let count = try await table.count(outside: keys.currentGenerations)
        metrics.blobsToEncrypt.set(count)
        return count
    }

    private func encryptAll() async throws {
        let (first, last) = keys.currentGenerations
        for (lower, upper) in [(Self.least, first), (last, Self.greatest)] {
            var lower = lower
            while true {
                let page = try await table.blobs(between: lower, and: upper, limit: Self.pageSize)
                for blob in page { try await encryptIfPossible(blob) }
                guard page.count == Self.pageSize, let end = page.last else { break }
                lower = end.generation
            }
        }
    }

    /// The bounds of all generations. Neither bound is itself a generation.
    private static let least = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    private static let greatest = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))

    /// Encrypts a blob. A blob that cannot be read is logged and skipped.
    private func encryptIfPossible(_ blob: StoredBlob) async throws {
        do {
            try await encrypt(blob)
        } catch let error as BlobStoreError {
            logger.error(
                "a blob cannot be encrypted with the first master key",
                metadata: ["blob": "\(blob.id.rawValue)", "error": "\(error)"])
        }
    }

    /// Gives a blob a new file, unless its file no longer exists or its row already refers to another file.
    private func encrypt(_ blob: StoredBlob) async throws {
        guard let reader = try await store.open(blob.key) else { return }
        let upload = try await store.makeUpload()
        let new = BlobKey(container: blob.container, checksum: blob.checksum, generation: store.makeGeneration())
        do {
            guard try await copy(reader, into: upload) == blob.checksum, reader.size == blob.size else {
                throw BlobStoreError("'\(blob.key)' does not contain the bytes that were stored in it", isDamage: true)
            }
            try await upload.commit(as: new)
        } catch {
            await upload.discard()
            throw error
        }
        let isReplaced = try await table.heal(blob.id, lost: blob.generation, generation: new.generation)
        try await store.remove(isReplaced ? blob.key : new)
    }

    /// Copies a file and returns the checksum of its bytes.
    private func copy(_ reader: any BlobReader, into upload: any BlobUpload) async throws -> AssetChecksum? {
        var hash = SHA256()
        var offset: Int64 = 0
        repeat {
            let began = ContinuousClock.now
            let bytes = try await reader.read(at: offset, count: Self.stepBytes)
            bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
            try await upload.append(bytes)
            offset += Int64(bytes.readableBytes)
            if bytes.readableBytes == 0 { break }
            try await Task.sleep(until: began + .seconds(Double(Self.stepBytes) / Double(bytesPerSecond)))
        } while offset < reader.size
        return AssetChecksum(bytes: Array(hash.finalize()))
    }
}
