import AssetTestSupport
import AsyncHTTPClient
import Foundation
import NIOCore
import ServiceRuntime
import TestSupport
import Testing

@testable import AssetService
@testable import BlobStorage

/// Tests for the S3 store only. Tests for all stores are in ``BlobStoreConformanceTests``.
@Suite(.enabled(if: TestS3.current != nil, "\(TestS3.absence)"), .timeLimit(.minutes(2)))
struct S3BlobStoreTests {
    @Test func manyBytesAreSentInPartsAndOnePartIsHeld() async throws {
        try await TestBucket.with { bucket in
            let part = S3Configuration.minPartBytes
            let bytes = TestBlob.bytes(30_000_000)
            let upload = S3Upload(to: bucket.store)
            var rest = bytes
            var most = 0
            while let piece = rest.readSlice(length: min(300_000, max(rest.readableBytes, 1))) {
                try await upload.append(piece)
                most = max(most, await upload.heldBytes)
            }
            // Memory is allocated in powers of two.
            #expect(most >= part && most <= 8 << 20)
            let key = TestBlob.key()
            try await upload.commit(as: key)
            #expect(await upload.heldBytes == 0)
            let stored = try await bucket.store.bytes(key)
            #expect(stored == bytes)
            let incoming = try await bucket.incoming()
            #expect(incoming == [])
        }
    }

    @Test(arguments: [0, 1, 2]) func objectsAroundAPartsLengthAreWhole(more: Int) async throws {
        try await TestBucket.with { bucket in
            let bytes = TestBlob.bytes(S3Configuration.minPartBytes - 1 + more)
            let upload = try await bucket.store.makeUpload()
            try await upload.append(bytes)
            let key = TestBlob.key()
            try await upload.commit(as: key)
            let stored = try await bucket.store.bytes(key)
            #expect(stored == bytes)
        }
    }

    @Test func whatIsTooLargeToBeCopiedAtOnceIsCopiedInParts() async throws {
        try await TestBucket.with { bucket in
            var store = bucket.store
            store.maxCopyBytes = 6 << 20
            let bytes = TestBlob.bytes(15_000_000)
            let key = try await store.add(bytes)
            let stored = try await store.bytes(key)
            #expect(stored == bytes)
            let incoming = try await bucket.incoming()
            #expect(incoming == [])
        }
    }

    @Test func whatIsOldInIncomingIsRemovedWhateverItIs() async throws {
        try await TestBucket.with { bucket in
            let upload = try await bucket.store.makeUpload()
            try await upload.append(TestBlob.bytes(11 << 20))
            // The complete object of an upload whose process was killed before it got its key.
            try await bucket.store.put("\(bucket.store.incoming)\(UUID())", ByteBuffer(string: "x"))
            let key = try await bucket.store.add(ByteBuffer(string: "y"))
            var store = bucket.store
            let kept = try await store.removeAbandonedUploads()
            #expect(kept == 0)
            store.abandonedAge = .seconds(-60)
            let removed = try await store.removeAbandonedUploads()
            #expect(removed == 2)
            let incoming = try await bucket.incoming()
            #expect(incoming == [])
            let size = try await store.size(of: key)
            #expect(size == 1)
            // A client that tries to continue gets an error, and no object appears.
            let late = TestBlob.key()
            await #expect(throws: BlobStoreError.self) { try await upload.commit(as: late) }
            await upload.discard()
            let none = try await store.size(of: late)
            #expect(none == nil)
        }
    }

    /// Some servers report a wrong time for such an upload.
    @Test func anUploadWithoutPartsIsLeftAloneWhileItIsYoung() async throws {
        try await TestBucket.with { bucket in
            let path = bucket.store.incoming + S3Upload.name(begun: Date())
            let upload = try await bucket.store.begin(path)
            _ = try await bucket.store.removeAbandonedUploads()
            _ = try await bucket.store.sendPart(ByteBuffer(string: "x"), number: 1, of: upload, at: path)
        }
    }

    @Test func allPagesAreListed() async throws {
        try await TestBucket.with { bucket in
            let count = 1100
            let keys = (0..<count).map { _ in TestBlob.key() }
            try await withThrowingTaskGroup { group in
                for worker in 0..<8 {
                    group.addTask {
                        for index in stride(from: worker, to: count, by: 8) {
                            try await bucket.store.put(bucket.store.path(of: keys[index]), ByteBuffer())
                        }
                    }
                }
                try await group.waitForAll()
            }
            var pages: [Int] = []
            var walked: Set<BlobKey> = []
            try await bucket.store.forEachPage(olderThan: .seconds(-60)) {
                pages.append($0.count)
                walked.formUnion($0)
            }
            #expect(pages == [1000, 100])
            #expect(walked == Set(keys))
        }
    }

    @Test func aMissingBucketIsNamed() async throws {
        var configuration = TestBucket.configuration("nowhere", try TestS3.required())
        configuration.bucket = "zonda-test-nowhere"
        let error = await #expect(throws: BlobStoreError.self) {
            try await S3BlobStore.with(configuration) { _ in }
        }
        #expect(error?.description.contains("NoSuchBucket") == true)
        #expect(error?.description.contains("asset.s3.bucket") == true)
    }
}
