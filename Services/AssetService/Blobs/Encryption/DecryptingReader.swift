internal import Crypto
internal import NIOCore

/// An open encrypted file. Reading a range requires one read of the file and decrypts only the chunks that contain the
/// range.
struct DecryptingReader: BlobReader {
    let size: Int64
    private let file: any BlobReader
    private let cipher: ChunkCipher
    private let name: BlobKey

    /// Opens the file `name`, and reads its end.
    ///
    /// - Throws: ``BlobStoreError`` if `keys` does not contain the file's master key, or if the file is damaged.
    init(_ file: any BlobReader, name: BlobKey, generation: SealedGeneration, keys: EncryptionKeys?)
        async throws(BlobStoreError)
    {
        guard generation.format == SealedFormat.version else {
            throw BlobStoreError("'\(name)' has format \(generation.format), which only a newer release can read")
        }
        guard let size = SealedFormat.plainSize(ofFile: file.size) else {
            throw Self.damage(name, "has a length that no encrypted file can have")
        }
        let end = try await file.read(at: file.size - Int64(BlobSeal.length), count: BlobSeal.length)
        let seal = BlobSeal(Array(buffer: end))
        guard let master = keys?.key(generation.fingerprint) else {
            let id = seal.map { "'\($0.masterID)'" } ?? "(unknown, because the seal is damaged)"
            throw BlobStoreError(
                "'\(name)' cannot be decrypted: its master key \(id) is not among the keys")
        }
        guard let seal, seal.size == size, let key = seal.unwrap(with: master, name: name) else {
            throw Self.damage(name, "has a seal that does not match the file or master key '\(master.id)'")
        }
        self.size = size
        self.file = file
        self.name = name
        cipher = ChunkCipher(key: key)
    }

    func read(at offset: Int64, count: Int) async throws(BlobStoreError) -> ByteBuffer {
        let count = Int(min(Int64(count), size - offset))
        guard count > 0 else { return ByteBuffer() }
        let (plain, sealed) = (Int64(SealedFormat.chunkBytes), Int64(SealedFormat.sealedChunkBytes))
        let (first, last) = (offset / plain, (offset + Int64(count) - 1) / plain)
        let start = first * sealed
        let end = min((last + 1) * sealed, SealedFormat.bodySize(ofPlain: size))
        var chunks = try await file.read(at: start, count: Int(end - start))
        guard chunks.readableBytes == end - start else { throw Self.damage(name, "is truncated") }
        let lastOfAll = SealedFormat.chunks(ofPlain: size) - 1
        var text = ByteBufferAllocator().buffer(capacity: chunks.readableBytes)
        for number in first...last {
            let length = min(chunks.readableBytes, SealedFormat.sealedChunkBytes)
            let isGood = chunks.readWithUnsafeReadableBytes { bytes in
                let chunk = UnsafeRawBufferPointer(rebasing: bytes[..<length])
                return (length, cipher.open(chunk, number: number, isLast: number == lastOfAll, into: &text))
            }
            guard isGood else { throw Self.damage(name, "is damaged in chunk \(number)") }
        }
        text.moveReaderIndex(forwardBy: Int(offset - first * plain))
        guard let part = text.readSlice(length: count) else { throw Self.damage(name, "is truncated") }
        return part
    }

    private static func damage(_ name: BlobKey, _ what: String) -> BlobStoreError {
        BlobStoreError("'\(name)' \(what)", isDamage: true)
    }
}
