import AssetTestSupport
import Foundation
import NIOCore
import ServiceMessages
import Testing

@testable import AssetService
@testable import BlobStorage

/// Tests for the directory store only. Tests for all stores are in ``BlobStoreConformanceTests``.
struct DirectoryBlobStoreTests {
    @Test func aRemovedFileStaysReadableForWhoHasItOpen() async throws {
        try await DirectoryBlobStore.withTemporary { store, _ in
            let key = TestBlob.key()
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
        try await DirectoryBlobStore.withTemporary { store, root in
            let upload = try await store.makeUpload()
            #expect(try TestBlob.names("\(root)/incoming").count == 1)
            try await upload.commit(as: TestBlob.key())
            #expect(try TestBlob.names("\(root)/blobs/c/ab").count == 1)
        }
    }

    @Test func aStoreThatWasEmptiedIsFilledAgain() async throws {
        try await DirectoryBlobStore.withTemporary { store, root in
            for _ in 0..<2 {
                let key = TestBlob.key()
                let upload = try await store.makeUpload()
                try await upload.commit(as: key)
                let size = try await store.size(of: key)
                #expect(size == 0)
                try FileManager.default.removeItem(atPath: "\(root)/blobs/c")
            }
        }
    }

    @Test func oldFilesOfAllContainersAreWalked() async throws {
        try await DirectoryBlobStore.withTemporary { store, root in
            let keys = ["a", "b/c"].map { TestBlob.key($0) }
            let young = TestBlob.key("a")
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
