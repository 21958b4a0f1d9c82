import AssetTestSupport
import Foundation
import NIOCore
import ServiceMessages
import TestGenerators
import Testing

@testable import AssetService
@testable import BlobStorage

struct EncryptedBlobStoreTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(count))
        var bytes: [UInt8] = []
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: SealedFormatTests.sizes)
    func whatIsStoredComesBackWholeAndInRanges(size: Int) async throws {
        try await EncryptedFiles.with { files in
            let bytes = Self.bytes(size)
            let key = try await files.put(bytes, pieces: [1 + size / 3, 70_000, 5])
            let stored = try await files.store.size(of: key)
            #expect(stored == Int64(size))
            #expect(try files.file(key).count == size + SealedFormatTests.overhead(size))
            let reader = try #require(try await files.store.open(key))
            #expect(reader.size == Int64(size))
            let whole = try await EncryptedFiles.read(key, in: files.store)
            #expect(whole == bytes)
            var random = SeededGenerator(seed: 1)
            for _ in 0..<40 {
                let start = Int.random(in: 0...size, using: &random)
                let count = Int.random(in: 0...(size - start) + 10, using: &random)
                let part = try await reader.read(at: Int64(start), count: count)
                #expect(Array(buffer: part) == Array(bytes[start..<min(start + count, size)]), "\(start) \(count)")
            }
            let beyond = try await reader.read(at: Int64(size) + 1, count: 10)
            #expect(beyond.readableBytes == 0)
            let everything = try await reader.read(at: 0, count: .max)
            #expect(everything.readableBytes == size)
        }
    }

    @Test func noFileHoldsThePlainTextOrOneThatAnotherHolds() async throws {
        try await EncryptedFiles.with { files in
            let text = Array(String(repeating: "the plain text ", count: 10_000).utf8)
            let (first, second) = (try await files.put(text), try await files.put(text))
            let (one, two) = (Data(try files.file(first)), Data(try files.file(second)))
            #expect(one.range(of: Data("plain text".utf8)) == nil)
            #expect(one.prefix(32) != two.prefix(32))
        }
    }

    @Test func aFlippedBitAnywhereIsAnError() async throws {
        try await EncryptedFiles.with { files in
            let key = try await files.put(Self.bytes(40))
            let good = try files.file(key)
            let keys = try EncryptionKeys.test(["k1": 1])
            let generation = try #require(SealedGeneration(key.generation))
            func read(_ bytes: [UInt8]) async throws {
                let reader = try await DecryptingReader(
                    FileInMemory(bytes), name: key, generation: generation, keys: keys)
                _ = try await reader.read(at: 0, count: 40)
            }
            try await read(good)
            for bit in 0..<(good.count * 8) {
                var bad = good
                bad[bit / 8] ^= 1 << UInt8(bit % 8)
                let error = await #expect(throws: BlobStoreError.self, "bit \(bit)") { try await read(bad) }
                #expect(error?.isDamage == true, "bit \(bit)")
            }
        }
    }

    @Test func aChangedChunkSpoilsItselfAndNoOther() async throws {
        try await EncryptedFiles.with { files in
            let bytes = Self.bytes(3 * SealedFormat.chunkBytes)
            let key = try await files.put(bytes)
            var bad = try files.file(key)
            bad[SealedFormat.sealedChunkBytes + 5] ^= 4
            try files.replace(key, with: bad)
            let reader = try #require(try await files.store.open(key))
            let first = try await reader.read(at: 0, count: SealedFormat.chunkBytes)
            #expect(Array(buffer: first) == Array(bytes[..<SealedFormat.chunkBytes]))
            let error = await #expect(throws: BlobStoreError.self) {
                try await reader.read(at: Int64(SealedFormat.chunkBytes) - 1, count: 2)
            }
            #expect(error?.isDamage == true && error?.description.contains("chunk 1") == true)
        }
    }

    @Test func chunksThatChangePlacesAreDroppedOrDoubledAreAnError() async throws {
        try await EncryptedFiles.with { files in
            let key = try await files.put(Self.bytes(4 * SealedFormat.chunkBytes))
            let good = try files.file(key)
            func chunk(_ number: Int) -> ArraySlice<UInt8> {
                good[(number * SealedFormat.sealedChunkBytes)..<((number + 1) * SealedFormat.sealedChunkBytes)]
            }
            let seal = good.suffix(BlobSeal.length)
            for order in [
                [1, 0, 2, 3], [0, 1, 3, 2], [0, 0, 2, 3], [0, 1, 2, 2], [0, 1, 2], [1, 2, 3], [0, 1, 2, 3, 3],
            ] {
                try files.replace(key, with: order.flatMap(chunk) + seal)
                let error = try await files.damage(key)
                #expect(error?.isDamage == true, "\(order)")
            }
        }
    }

    @Test func aCutOffOrLongerFileIsAnErrorAndNotAsLong() async throws {
        try await EncryptedFiles.with { files in
            let size = SealedFormat.chunkBytes + 100
            let key = try await files.put(Self.bytes(size))
            let good = try files.file(key)
            var random = SeededGenerator(seed: 2)
            let lengths =
                [
                    0, 1, BlobSeal.length, SealedFormat.sealedChunkBytes, SealedFormat.sealedChunkBytes + 16,
                    good.count - 1,
                ]
                + (0..<20).map { _ in Int.random(in: 0..<good.count, using: &random) }
            for length in lengths {
                try files.replace(key, with: good.prefix(length))
                let error = try await files.damage(key)
                #expect(error?.isDamage == true, "\(length)")
                let stored = try await files.store.size(of: key)
                #expect(stored != Int64(size), "\(length)")
            }
            try files.replace(key, with: good + [0])
            let error = try await files.damage(key)
            #expect(error?.isDamage == true)
        }
    }

    @Test func aFileInAnothersPlaceIsAnError() async throws {
        try await EncryptedFiles.with { files in
            let (key, other) = (try await files.put(Self.bytes(100)), try await files.put(Self.bytes(100)))
            try files.replace(key, with: try files.file(other))
            let error = try await files.damage(key)
            #expect(error?.isDamage == true)
            // A file with the chunks of another file and its own seal is invalid too.
            let own = try await files.put(Self.bytes(100))
            try files.replace(
                own, with: try files.file(other).dropLast(BlobSeal.length) + files.file(own).suffix(BlobSeal.length))
            let mixed = try await files.damage(own)
            #expect(mixed?.isDamage == true)
            // So is the plain text itself.
            try files.replace(other, with: Self.bytes(100))
            let plain = try await files.damage(other)
            #expect(plain?.isDamage == true)
        }
    }

    @Test func plainFilesFromBeforeStayReadableWhateverTheyHold() async throws {
        try await EncryptedFiles.with { files in
            let encrypted = try files.file(try await files.put(Self.bytes(1000)))
            for bytes in [[], Array("zondaenc".utf8), encrypted, Self.bytes(200_000)] {
                let key = try await EncryptedFiles.put(bytes, in: files.directory)
                let size = try await files.store.size(of: key)
                #expect(size == Int64(bytes.count))
                let read = try await EncryptedFiles.read(key, in: files.store)
                #expect(read == bytes)
            }
        }
    }

    @Test func olderKeysReadAndNewOnesWrite() async throws {
        try await EncryptedFiles.with(["old": 1]) { files in
            let bytes = Self.bytes(1000)
            let key = try await files.put(bytes)
            let rotated = try files.store(["new": 2, "old": 1])
            let read = try await EncryptedFiles.read(key, in: rotated)
            #expect(read == bytes)
            let newer = try await EncryptedFiles.put(bytes, in: rotated)
            let onlyNew = try files.store(["new": 2])
            let again = try await EncryptedFiles.read(newer, in: onlyNew)
            #expect(again == bytes)
        }
    }

    @Test(arguments: [["other": 2], ["k1": 2], nil] as [KeyValuePairs<String, UInt8>?])
    func withoutItsMasterKeyAFileIsRefusedByTheKeysName(keys: KeyValuePairs<String, UInt8>?) async throws {
        try await EncryptedFiles.with(["k1": 1]) { files in
            let key = try await files.put(Self.bytes(1000))
            let store = try files.store(keys)
            let error = await #expect(throws: BlobStoreError.self) { try await store.open(key) }
            #expect(error?.description.contains("'k1'") == true)
            // The file is not damaged and must not be replaced.
            #expect(error?.isDamage == false)
            let size = try await store.size(of: key)
            #expect(size == 1000)
        }
    }

    @Test func aNameOfTheOtherKindIsRefused() async throws {
        try await EncryptedFiles.with { files in
            let plain = try files.store(nil)
            #expect(SealedGeneration(plain.makeGeneration()) == nil)
            let names = (TestBlob.key(), try files.store(["k2": 2]).makeGeneration())
            for (store, generation) in [
                (files.store, names.0.generation), (files.store, names.1), (plain, names.1),
            ] {
                let upload = try await store.makeUpload()
                let name = BlobKey(
                    container: "c", checksum: TestBlob.checksum, generation: generation)
                await #expect(throws: BlobStoreError.self) { try await upload.commit(as: name) }
                await upload.discard()
            }
        }
    }

    @Test func everythingElseIsAsInTheStoreBelow() async throws {
        try await EncryptedFiles.with { files in
            let store = files.store
            let key = try await files.put(Array("bytes".utf8))
            let reader = try #require(try await store.open(key))
            var walked: [BlobKey] = []
            try await store.forEachPage(olderThan: .seconds(-10)) { walked += $0 }
            #expect(walked == [key])
            try await store.remove(key)
            try await store.remove(key)
            let (gone, size) = (try await store.open(key), try await store.size(of: key))
            #expect(gone == nil && size == nil)
            let bytes = try await reader.read(at: 0, count: 5)
            #expect(String(buffer: bytes) == "bytes")

            let upload = try await store.makeUpload()
            try await upload.append(ByteBuffer(repeating: 1, count: 100_000))
            await upload.discard()
            #expect(try TestBlob.names("\(files.root)/incoming") == [])
            let id = UUID()
            try await store.identify(as: id)
            let (identity, below) = (try await store.identity(), try await files.directory.identity())
            #expect(identity == id && below == id)
            try await store.check()
            let abandoned = try await store.removeAbandonedUploads()
            #expect(abandoned == 0)
        }
    }
}

extension SealedFormatTests {
    /// Returns the number of bytes that encryption adds to `size` bytes.
    static func overhead(_ size: Int) -> Int { (size + 65_535) / 65_536 * 16 + 115 }
}
