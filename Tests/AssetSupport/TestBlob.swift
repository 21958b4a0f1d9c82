package import BlobStorage
internal import Foundation
package import NIOCore
package import ServiceMessages

/// Keys and bytes for tests of blob stores.
package enum TestBlob {
    package static let checksum = AssetChecksum(String(repeating: "ab", count: 32))!

    /// A new key.
    package static func key(_ container: String = "c") -> BlobKey {
        BlobKey(container: container, checksum: checksum, generation: UUID())
    }

    /// Bytes whose value depends on their offset.
    package static func bytes(_ count: Int) -> ByteBuffer {
        let block = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 4) }
        var buffer = ByteBufferAllocator().buffer(capacity: count + 4104)
        var number: UInt64 = 0
        while buffer.readableBytes < count {
            buffer.writeInteger(number)
            buffer.writeBytes(block)
            number += 1
        }
        buffer.moveWriterIndex(to: count)
        return buffer
    }

    /// The names in a folder.
    package static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}

extension BlobStore {
    /// Stores bytes, appended in pieces of `chunk`.
    package func add(
        _ bytes: ByteBuffer, as key: BlobKey = TestBlob.key(), chunk: Int = 256 << 10
    ) async throws -> BlobKey {
        let upload = try await makeUpload()
        try await upload.append(bytes, chunk: chunk)
        try await upload.commit(as: key)
        return key
    }

    /// Reads the bytes of a file. Returns nil if the file does not exist.
    package func bytes(_ key: BlobKey) async throws -> ByteBuffer? {
        guard let reader = try await open(key) else { return nil }
        return try await reader.read(at: 0, count: Int(reader.size))
    }
}

extension BlobUpload {
    /// Appends bytes in pieces of `chunk`.
    package func append(_ bytes: ByteBuffer, chunk: Int) async throws {
        var rest = bytes
        while let piece = rest.readSlice(length: min(chunk, max(rest.readableBytes, 1))) { try await append(piece) }
    }
}

extension DirectoryBlobStore {
    /// Calls `body` with a store in a new folder, which is removed afterwards.
    package static func withTemporary(_ body: (DirectoryBlobStore, _ root: String) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "zonda-store-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let store = DirectoryBlobStore(root: root)
        try await store.prepare()
        try await body(store, root)
    }
}
