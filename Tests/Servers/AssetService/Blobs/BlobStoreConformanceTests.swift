import AssetTestSupport
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import AssetService
@testable import BlobStorage

/// The guarantees of ``BlobStore``, for every implementation. (Without `ZONDA_TEST_S3_URL`, only for the directory.)
@Suite(.timeLimit(.minutes(2)))
struct BlobStoreConformanceTests {
    @Test(arguments: TestStore.Kind.available)
    func whatIsCommittedIsThereUnderItsKeyAndNotBefore(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            let key = TestBlob.key()
            let upload = try await test.store.makeUpload()
            try await upload.append(ByteBuffer(string: "one "))
            try await upload.append(ByteBuffer(string: "two"))
            let early = try await test.store.size(of: key)
            #expect(early == nil)
            try await upload.commit(as: key)
            let size = try await test.store.size(of: key)
            #expect(size == 7)
            let bytes = try await test.store.bytes(key)
            #expect(bytes == ByteBuffer(string: "one two"))
            // The blob stays if its upload is discarded too late.
            await upload.discard()
            let later = try await test.store.bytes(key)
            #expect(later == bytes)
            let incoming = try await test.incoming()
            #expect(incoming == [])
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func readsGiveWhatIsThereAndFewerBytesOnlyAtTheEnd(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            // Three parts of an S3 object, the last one smaller.
            let part = S3Configuration.minPartBytes
            let bytes = TestBlob.bytes(2 * part + 1_000_003)
            let key = try await test.store.add(bytes)
            let reader = try #require(try await test.store.open(key))
            #expect(reader.size == Int64(bytes.readableBytes))
            for (offset, count) in [
                (0, 1), (part - 1, 2), (part, 1), (part - 300_000, 600_000), (2 * part - 1, 1_000_004),
                (bytes.readableBytes - 1, 1), (0, 0), (17, 262_144), (262_161, 262_144), (524_305, 2_000_000),
            ] {
                let read = try await reader.read(at: Int64(offset), count: count)
                #expect(read == bytes.getSlice(at: offset, length: count), "\(count) bytes at \(offset)")
            }
            let end = try await reader.read(at: reader.size - 5, count: 100)
            #expect(end == bytes.getSlice(at: bytes.readableBytes - 5, length: 5))
            let beyond = try await reader.read(at: reader.size, count: 100)
            #expect(beyond.readableBytes == 0)
            // The text is read in the same way as by a download.
            var offset: Int64 = 0
            var whole = ByteBuffer()
            while offset < reader.size {
                var chunk = try await reader.read(at: offset, count: 256 << 10)
                offset += Int64(chunk.readableBytes)
                whole.writeBuffer(&chunk)
            }
            #expect(whole == bytes)
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func nothingIsAFileToo(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            let key = try await test.store.add(ByteBuffer())
            let size = try await test.store.size(of: key)
            #expect(size == 0)
            let bytes = try await test.store.bytes(key)
            #expect(bytes == ByteBuffer())
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func whatIsNotThereIsNil(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            let size = try await test.store.size(of: TestBlob.key())
            #expect(size == nil)
            let reader = try await test.store.open(TestBlob.key())
            #expect(reader == nil)
            try await test.store.remove(TestBlob.key())
        }
    }

    @Test(arguments: TestStore.Kind.available, [10, 11 << 20])
    func aDiscardedUploadLeavesNothing(kind: TestStore.Kind, count: Int) async throws {
        try await TestStore.with(kind) { test in
            let upload = try await test.store.makeUpload()
            try await upload.append(TestBlob.bytes(count), chunk: 1 << 20)
            await upload.discard()
            let incoming = try await test.incoming()
            #expect(incoming == [])
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func anUploadIsDiscardedAlsoWhenItsTaskIsCancelled(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            let upload = try await test.store.makeUpload()
            let begun = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                do {
                    while true {
                        try await upload.append(TestBlob.bytes(3 << 20), chunk: 1 << 20)
                        begun.continuation.yield()
                        try Task.checkCancellation()
                    }
                } catch {
                    await upload.discard()
                }
            }
            var count = 0
            for await _ in begun.stream {
                count += 1
                if count == 3 { break }
            }
            task.cancel()
            await task.value
            let incoming = try await test.incoming()
            #expect(incoming == [])
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func whatAKilledProcessLeftIsRemovedAndWhatIsReceivedIsNot(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            try await test.leaveAbandoned()
            let bytes = TestBlob.bytes(6 << 20)
            let upload = try await test.store.makeUpload()
            try await upload.append(bytes, chunk: 1 << 20)
            let removed = try await test.store.removeAbandonedUploads()
            #expect(removed == 1)
            let again = try await test.store.removeAbandonedUploads()
            #expect(again == 0)
            let key = TestBlob.key()
            try await upload.commit(as: key)
            let stored = try await test.store.bytes(key)
            #expect(stored == bytes)
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func aRemovedFileIsGoneAndWhoHasItOpenGetsNoOtherBytes(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            let key = try await test.store.add(ByteBuffer(string: "bytes"))
            let other = try await test.store.add(ByteBuffer(string: "other"))
            let reader = try #require(try await test.store.open(key))
            try await test.store.remove(key)
            try await test.store.remove(key)
            let gone = try await test.store.open(key)
            #expect(gone == nil)
            do {
                let bytes = try await reader.read(at: 0, count: 5)
                #expect(String(buffer: bytes) == "bytes")
            } catch {
                #expect(kind == .s3, "\(error)")
            }
            let bytes = try await test.store.bytes(other)
            #expect(bytes == ByteBuffer(string: "other"))
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func uploadsAtOnceDoNotMix(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            let store = test.store
            try await withThrowingTaskGroup { group in
                for number in 0..<4 {
                    group.addTask {
                        let bytes = ByteBuffer(repeating: UInt8(number), count: (4 << 20) * number + 1)
                        let key = try await store.add(bytes)
                        let stored = try await store.bytes(key)
                        #expect(stored == bytes)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func allFilesOfAnAgeAreWalked(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            var keys: Set<BlobKey> = []
            for container in ["a", "b/c", "a"] {
                keys.insert(try await test.store.add(ByteBuffer(), as: TestBlob.key(container)))
            }
            try await test.addStranger()
            var walked: [BlobKey] = []
            try await test.store.forEachPage(olderThan: .seconds(-60)) { walked += $0 }
            #expect(walked.count == 3 && Set(walked) == keys)
            try await test.store.forEachPage(olderThan: .seconds(600)) {
                Issue.record("\($0) was written long ago")
            }
            await #expect(throws: TestFailure.self) {
                try await test.store.forEachPage(olderThan: .seconds(-60)) { _ in throw TestFailure("enough") }
            }
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func aStoreKeepsItsId(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            let none = try await test.store.identity()
            #expect(none == nil)
            let id = UUID()
            try await test.store.identify(as: id)
            try await test.store.identify(as: id)
            await #expect(throws: BlobStoreError.self) { try await test.store.identify(as: UUID()) }
            let kept = try await test.store.identity()
            #expect(kept == id)
            #expect(try await test.store.mark()?.epoch == 1)
            try await test.store.setMark(StoreMark(id: id, epoch: 7))
            #expect(try await test.store.mark() == StoreMark(id: id, epoch: 7))
            try await test.store.identify(as: id)
            #expect(try await test.store.mark()?.epoch == 7)
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func whatIsPutAwayIsNoBlobAndComesBack(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            let key = try await test.store.add(ByteBuffer(string: "bytes"))
            try await test.store.discard(key)
            try await test.store.discard(key)
            #expect(try await test.store.size(of: key) == nil)
            #expect(try await test.store.page(after: nil, olderThan: .seconds(-60)).keys == [])
            #expect(try await test.store.emptyTrash(olderThan: .seconds(600)) == 0)
            #expect(try await test.store.recover(key))
            #expect(try await !test.store.recover(key))
            #expect(try await test.store.bytes(key) == ByteBuffer(string: "bytes"))
            try await test.store.discard(key)
            #expect(try await test.store.emptyTrash(olderThan: .seconds(-60)) == 1)
            #expect(try await !test.store.recover(key))
        }
    }

    @Test(arguments: TestStore.Kind.available)
    func aStoreThatCanBeWrittenSaysSo(kind: TestStore.Kind) async throws {
        try await TestStore.with(kind) { test in
            try await test.store.check()
            let incoming = try await test.incoming()
            #expect(incoming == [])
        }
    }
}
