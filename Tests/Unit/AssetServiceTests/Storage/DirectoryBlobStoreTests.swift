import Foundation
import NIOCore
import ServiceMessages
import Testing

@testable import AssetService
@testable import BlobStorage

/// What is a directory's own; what every store promises is in ``BlobStoreConformanceTests``.
struct DirectoryBlobStoreTests {
    static let checksum = AssetChecksum(String(repeating: "ab", count: 32))!

    static func key(_ container: String = "c") -> BlobKey {
        BlobKey(container: container, checksum: checksum, generation: UUID())
    }

    /// Lends a store in a folder of its own.
    static func withStore(_ body: (DirectoryBlobStore, _ root: String) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "zonda-store-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let store = DirectoryBlobStore(root: root)
        try await store.prepare()
        try await body(store, root)
    }

    static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    @Test func aRemovedFileStaysReadableForWhoHasItOpen() async throws {
        try await Self.withStore { store, _ in
            let key = Self.key()
            let upload = try await store.makeUpload()
            try await upload.append(ByteBuffer(string: "bytes"))
            try await upload.commit(as: key)
            let reader = try #require(try await store.open(key))
            try await store.remove(key)
            try await store.remove(key)
            let gone = try await store.open(key)
            #expect(gone == nil)
            let bytes = try await reader.read(at: 0, count: 5)
            #expect(String(buffer: bytes) == "bytes")
        }
    }

    @Test func blobsLieInAFolderForEachContainerAndTwoDigits() async throws {
        try await Self.withStore { store, root in
            let upload = try await store.makeUpload()
            #expect(try Self.names("\(root)/incoming").count == 1)
            try await upload.commit(as: Self.key())
            #expect(try Self.names("\(root)/blobs/c/ab").count == 1)
        }
    }

    @Test func aStoreThatWasEmptiedIsFilledAgain() async throws {
        try await Self.withStore { store, root in
            for _ in 0..<2 {
                let key = Self.key()
                let upload = try await store.makeUpload()
                try await upload.commit(as: key)
                let size = try await store.size(of: key)
                #expect(size == 0)
                try FileManager.default.removeItem(atPath: "\(root)/blobs/c")
            }
        }
    }

    @Test func oldFilesOfAllContainersAreWalked() async throws {
        try await Self.withStore { store, root in
            let keys = ["a", "b/c"].map { Self.key($0) }
            let young = Self.key("a")
            for key in keys + [young] {
                let upload = try await store.makeUpload()
                try await upload.commit(as: key)
            }
            for key in keys {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -100)], ofItemAtPath: "\(root)/blobs/\(key)")
            }
            _ = FileManager.default.createFile(atPath: "\(root)/blobs/a/ab/README", contents: nil)
            var walked: Set<BlobKey> = []
            try await store.forEachPage(olderThan: .seconds(50)) { walked.formUnion($0) }
            #expect(walked == Set(keys))
        }
    }

    @Test func aFolderThatCannotBeMadeIsNamed() async {
        let error = await #expect(throws: BlobStoreError.self) {
            try await DirectoryBlobStore(root: "/proc/nowhere").prepare()
        }
        #expect(error?.description.contains("/proc/nowhere") == true)
    }
}
