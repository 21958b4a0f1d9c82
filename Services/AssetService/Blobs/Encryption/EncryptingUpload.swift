internal import Crypto
internal import NIOCore

/// An upload that encrypts its bytes (``SealedFormat``). It buffers at most one chunk, plus the bytes passed in a
/// single call.
actor EncryptingUpload: BlobUpload {
    private let upload: any BlobUpload
    private let master: EncryptionKeys.MasterKey
    private let key: SymmetricKey
    private let cipher: ChunkCipher
    private var waiting = ByteBuffer()
    private var chunks: Int64 = 0
    private var size: Int64 = 0

    /// Creates an upload with a random key. Tests pass a known key.
    init(
        over upload: any BlobUpload, master: EncryptionKeys.MasterKey, key: SymmetricKey = SymmetricKey(size: .bits256)
    ) {
        self.upload = upload
        self.master = master
        self.key = key
        cipher = ChunkCipher(key: key)
    }

    func append(_ bytes: ByteBuffer) async throws(BlobStoreError) {
        size += Int64(bytes.readableBytes)
        waiting.discardReadBytes()
        waiting.writeImmutableBuffer(bytes)
        // A chunk is sealed only when more bytes follow it, because the last chunk is sealed differently.
        let whole = (waiting.readableBytes - 1) / SealedFormat.chunkBytes
        guard whole > 0 else { return }
        var file = ByteBufferAllocator().buffer(capacity: whole * SealedFormat.sealedChunkBytes)
        for _ in 0..<whole { seal(SealedFormat.chunkBytes, isLast: false, into: &file) }
        try await upload.append(file)
    }

    func commit(as name: BlobKey) async throws(BlobStoreError) {
        guard SealedGeneration(name.generation) == SealedGeneration(fingerprint: master.fingerprint) else {
            throw BlobStoreError("'\(name)' cannot be the name of a file encrypted with master key '\(master.id)'")
        }
        var file = ByteBufferAllocator().buffer(capacity: SealedFormat.sealedChunkBytes + BlobSeal.length)
        if waiting.readableBytes > 0 { seal(waiting.readableBytes, isLast: true, into: &file) }
        file.writeBytes(BlobSeal.make(key, size: size, name: name, master: master))
        try await upload.append(file)
        try await upload.commit(as: name)
    }

    func discard() async { await upload.discard() }

    private func seal(_ count: Int, isLast: Bool, into file: inout ByteBuffer) {
        waiting.readWithUnsafeReadableBytes { bytes in
            cipher.seal(
                UnsafeRawBufferPointer(rebasing: bytes[..<count]), number: chunks, isLast: isLast, into: &file)
            return count
        }
        chunks += 1
    }
}
