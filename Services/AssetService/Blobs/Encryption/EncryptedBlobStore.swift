package import Foundation
internal import NIOCore

/// A store that encrypts new files (``SealedFormat``) and keeps them in an underlying store.
///
/// The generation of a file indicates whether it is encrypted, and with which master key (``SealedGeneration``). Plain
/// files that were stored before encryption was enabled can therefore still be read. Without keys, the store writes
/// plain files and cannot read encrypted ones.
///
/// Each operation performs one operation on the underlying store; ``open(_:)`` also reads the ``BlobSeal`` of an
/// encrypted file.
package struct EncryptedBlobStore: BlobStore {
    private let store: any BlobStore
    private let keys: EncryptionKeys?

    /// Creates a store over `store` that encrypts new files with the first of `keys`. If `keys` is nil, new files are
    /// not encrypted.
    package init(over store: any BlobStore, keys: EncryptionKeys?) {
        self.store = store
        self.keys = keys
    }

    package func makeGeneration() -> UUID {
        keys.map { SealedGeneration(fingerprint: $0.current.fingerprint).make() } ?? store.makeGeneration()
    }

    package func makeUpload() async throws(BlobStoreError) -> any BlobUpload {
        let upload = try await store.makeUpload()
        guard let keys else { return PlainUpload(over: upload) }
        return EncryptingUpload(over: upload, master: keys.current)
    }

    /// The resumable uploads of the underlying store; nil if there are keys, because the bytes of a waiting upload
    /// would not be encrypted.
    package var partials: (any PartialUploads)? { keys == nil ? store.partials : nil }

    /// Returns the size of the plaintext; nil if the file does not exist or has a size that no complete file can have.
    package func size(of key: BlobKey) async throws(BlobStoreError) -> Int64? {
        guard let size = try await store.size(of: key) else { return nil }
        return SealedGeneration(key.generation) == nil ? size : SealedFormat.plainSize(ofFile: size)
    }

    package func open(_ key: BlobKey) async throws(BlobStoreError) -> (any BlobReader)? {
        guard let file = try await store.open(key) else { return nil }
        guard let generation = SealedGeneration(key.generation) else { return file }
        return try await DecryptingReader(file, name: key, generation: generation, keys: keys)
    }

    package func remove(_ key: BlobKey) async throws(BlobStoreError) { try await store.remove(key) }

    package func removeAbandonedUploads() async throws(BlobStoreError) -> Int {
        try await store.removeAbandonedUploads()
    }

    package func page(after place: String?, olderThan age: Duration) async throws(BlobStoreError) -> BlobPage {
        try await store.page(after: place, olderThan: age)
    }

    package func discard(_ key: BlobKey) async throws(BlobStoreError) { try await store.discard(key) }

    package func recover(_ key: BlobKey) async throws(BlobStoreError) -> Bool { try await store.recover(key) }

    package func emptyTrash(olderThan age: Duration) async throws(BlobStoreError) -> Int {
        try await store.emptyTrash(olderThan: age)
    }

    package func mark() async throws(BlobStoreError) -> StoreMark? { try await store.mark() }

    package func setMark(_ mark: StoreMark) async throws(BlobStoreError) { try await store.setMark(mark) }

    package func identify(as id: UUID) async throws(BlobStoreError) { try await store.identify(as: id) }

    package func check() async throws(BlobStoreError) { try await store.check() }

    package func freeBytes() async -> Int64? { await store.freeBytes() }
}

/// An upload without encryption. Its file must not be given the name of an encrypted file.
private struct PlainUpload: BlobUpload {
    private let upload: any BlobUpload

    init(over upload: any BlobUpload) { self.upload = upload }

    func append(_ bytes: ByteBuffer) async throws(BlobStoreError) { try await upload.append(bytes) }

    func commit(as name: BlobKey) async throws(BlobStoreError) {
        guard SealedGeneration(name.generation) == nil else {
            throw BlobStoreError("'\(name)' is the name of an encrypted file, but there are no keys")
        }
        try await upload.commit(as: name)
    }

    func discard() async { await upload.discard() }

    func suspend() async { await upload.suspend() }
}
