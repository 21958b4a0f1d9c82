internal import CoreMetrics
internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// Encrypts stored blobs with the first master key: those that another key encrypted, and those from before encryption
/// was switched on.
///
/// A file never changes, so a blob gets another file, with a key of its own: complete and durable, then the row points to
/// it, then the old file goes. Killed in between it leaves a file without a row, for the reconciler. Whoever read the row
/// before reads it again when the file is gone.
struct Reencryption: Sendable {
    /// Blobs asked for in one go.
    private static let pageSize = 500
    /// What is read at once, and for how much a smaller blob counts: its work is not in its bytes.
    private static let stepBytes = 256 * 1024
    /// Before the first round.
    private static let firstDelay = Duration.seconds(5)

    /// Between two rounds.
    let interval: Duration
    /// How fast.
    let bytesPerSecond: Int
    let keys: EncryptionKeys
    let pool: PostgresPool
    let identity: StoreIdentity
    let table: BlobTable
    let store: any BlobStore
    let metrics: AssetMetrics
    let logger: Logger

    var job: PeriodicJobs.Job {
        PeriodicJobs.Job("encryption", every: interval, after: min(interval, Self.firstDelay)) { try await runOnce() }
    }

    /// One round over all blobs that need it, unless another instance is at it.
    ///
    /// - Throws: `PostgresError`, `CancellationError`.
    func runOnce() async throws {
        guard try await count() > 0 else { return }
        try await identity.confirmOwn()
        let isMine: Void? = try await pool.withConnection { connection in
            try await connection.withAdvisoryLock(PostgresAdvisoryLock("zonda assets: encryption")) {
                try await encryptAll()
            }
        }
        guard isMine != nil else { return }
        let left = try await count()
        logger.log(
            level: left == 0 ? .notice : .warning,
            left == 0 ? "all blobs are encrypted with the first master key" : "blobs are left to be encrypted",
            metadata: ["key": "\(keys.current.id)", "left": "\(left)"])
    }

    private var generation: SealedGeneration { SealedGeneration(fingerprint: keys.current.fingerprint) }

    private func count() async throws -> Int64 {
        let count = try await table.count(otherThan: generation)
        metrics.blobsToEncrypt.set(count)
        return count
    }

    private func encryptAll() async throws {
        let (first, last) = generation.bounds
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

    /// Neither is a generation.
    private static let least = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    private static let greatest = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))

    /// A blob that cannot be read stands in no other's way.
    private func encryptIfPossible(_ blob: StoredBlob) async throws {
        do {
            try await encrypt(blob)
        } catch let error as BlobStoreError {
            logger.error(
                "a blob cannot be encrypted with the first master key",
                metadata: ["blob": "\(blob.id.rawValue)", "error": "\(error)"])
        }
    }

    /// Gives a blob another file, unless its own is gone or somebody else did so.
    private func encrypt(_ blob: StoredBlob) async throws {
        guard let reader = try await store.open(blob.key) else { return }
        let upload = try await store.makeUpload()
        let new = BlobKey(container: blob.container, checksum: blob.checksum, generation: store.makeGeneration())
        do {
            guard try await copy(reader, into: upload) == blob.checksum, reader.size == blob.size else {
                throw BlobStoreError("'\(blob.key)' does not hold the bytes that were stored in it", isDamage: true)
            }
            try await upload.commit(as: new)
        } catch {
            await upload.discard()
            throw error
        }
        let isTaken = try await table.heal(blob.id, lost: blob.generation, generation: new.generation)
        try await store.remove(isTaken ? blob.key : new)
    }

    /// Copies a file, and tells the checksum of its bytes.
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
