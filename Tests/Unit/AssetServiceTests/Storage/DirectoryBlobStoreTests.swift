import Foundation
import NIOCore
import ServiceMessages
import Testing

@testable import AssetService

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

    @Test func whatIsCommittedIsThereUnderItsKey() async throws {
        try await Self.withStore { store, root in
            let key = Self.key()
            let upload = try await store.makeUpload()
            try await upload.append(ByteBuffer(string: "one "))
            try await upload.append(ByteBuffer(string: "two"))
            let early = try await store.size(of: key)
            #expect(early == nil)
            try await upload.commit(as: key)
            let size = try await store.size(of: key)
            #expect(size == 7)
            let reader = try #require(try await store.open(key))
            let part = try await reader.read(at: 4, count: 100)
            #expect(String(buffer: part) == "two")
            #expect(try Self.names("\(root)/incoming") == [])
            #expect(try Self.names("\(root)/blobs/c/ab").count == 1)
        }
    }

    @Test func aDiscardedUploadLeavesNothing() async throws {
        try await Self.withStore { store, root in
            let upload = try await store.makeUpload()
            try await upload.append(ByteBuffer(string: "x"))
            #expect(try Self.names("\(root)/incoming").count == 1)
            await upload.discard()
            #expect(try Self.names("\(root)/incoming") == [])
        }
    }

    @Test func anUploadIsDiscardedAlsoWhenItsTaskIsCancelled() async throws {
        try await Self.withStore { store, root in
            let upload = try await store.makeUpload()
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { await upload.discard() }
            }
            #expect(try Self.names("\(root)/incoming") == [])
        }
    }

    @Test func whatAKilledProcessLeftIsRemovedAndWhatIsReceivedIsNot() async throws {
        try await Self.withStore { store, root in
            // Nobody holds its lock, as after a kill.
            _ = FileManager.default.createFile(atPath: "\(root)/incoming/\(UUID())", contents: Data("half".utf8))
            let upload = try await store.makeUpload()
            try await upload.append(ByteBuffer(string: "whole"))
            let removed = try await store.removeAbandonedUploads()
            #expect(removed == 1)
            let key = Self.key()
            try await upload.commit(as: key)
            let size = try await store.size(of: key)
            #expect(size == 5)
        }
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
