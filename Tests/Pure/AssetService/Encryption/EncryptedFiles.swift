import AssetTestSupport
import Foundation
import NIOCore
import ServiceMessages
import Testing

@testable import AssetService
@testable import BlobStorage

/// An encrypted store in a folder, with access to the files in the folder.
struct EncryptedFiles: Sendable {
    let root: String
    let directory: DirectoryBlobStore
    let store: EncryptedBlobStore

    /// Passes to `body` a store in a temporary folder.
    static func with(
        _ keys: KeyValuePairs<String, UInt8> = ["k1": 1], _ body: (EncryptedFiles) async throws -> Void
    ) async throws {
        try await DirectoryBlobStore.withTemporary { directory, root in
            let keys = try EncryptionKeys.test(keys)
            try await body(
                EncryptedFiles(
                    root: root, directory: directory, store: EncryptedBlobStore(over: directory, keys: keys)))
        }
    }

    /// Returns a store in the same folder with other keys, or without keys.
    func store(_ keys: KeyValuePairs<String, UInt8>?) throws -> EncryptedBlobStore {
        EncryptedBlobStore(over: directory, keys: try keys.map { try EncryptionKeys.test($0) })
    }

    /// Stores bytes that arrive in pieces.
    static func put(
        _ bytes: [UInt8], in store: some BlobStore, pieces: [Int] = [262_144]
    ) async throws -> BlobKey {
        let key = BlobKey(
            container: "c", checksum: TestBlob.checksum, generation: store.makeGeneration())
        let upload = try await store.makeUpload()
        var rest = bytes[...]
        var turn = 0
        while !rest.isEmpty {
            try await upload.append(ByteBuffer(bytes: rest.prefix(pieces[turn % pieces.count])))
            rest = rest.dropFirst(pieces[turn % pieces.count])
            turn += 1
        }
        try await upload.commit(as: key)
        return key
    }

    func put(_ bytes: [UInt8], pieces: [Int] = [262_144]) async throws -> BlobKey {
        try await Self.put(bytes, in: store, pieces: pieces)
    }

    func path(_ key: BlobKey) -> String { "\(root)/blobs/\(key)" }

    func file(_ key: BlobKey) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path(key)))) }

    func replace(_ key: BlobKey, with bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: URL(filePath: path(key)))
    }

    /// Returns all bytes of a file, read in the same way as by a download.
    static func read(_ key: BlobKey, in store: some BlobStore) async throws -> [UInt8]? {
        guard let reader = try await store.open(key) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < reader.size {
            let part = try await reader.read(at: Int64(bytes.count), count: 100_000)
            guard part.readableBytes > 0 else { break }
            bytes += part.readableBytesView
        }
        return bytes
    }

    /// Returns the error of reading a whole file; nil if there is none.
    func damage(_ key: BlobKey) async throws -> BlobStoreError? {
        do {
            _ = try await Self.read(key, in: store)
            return nil
        } catch let error as BlobStoreError {
            return error
        }
    }
}
