import AssetTestSupport
import Crypto
import Foundation
import NIOCore
import ServiceMessages
import TestGenerators
import Testing

@testable import AssetService
@testable import BlobStorage

struct SealedFormatTests {
    private static let chunk = SealedFormat.chunkBytes

    static let sizes = [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk - 1, 3 * chunk, 3 * chunk + 1, 262_144, 300_000]

    @Test func plainSizesFollowFromThoseOfFiles() {
        var random = SeededGenerator(seed: 1)
        let drawn = (0..<500).map { _ in Int64.random(in: 0...1 << 40, using: &random) }
        for size in Self.sizes.map(Int64.init) + drawn {
            let file = SealedFormat.bodySize(ofPlain: size) + Int64(BlobSeal.length)
            #expect(SealedFormat.plainSize(ofFile: file) == size)
        }
        // Sizes that no valid file has: without a seal, or with a last chunk without plain text.
        for size in [0, BlobSeal.length - 1, BlobSeal.length + 1, BlobSeal.length + 16] {
            #expect(SealedFormat.plainSize(ofFile: Int64(size)) == nil)
            #expect(
                size < BlobSeal.length
                    || SealedFormat.plainSize(ofFile: Int64(size + SealedFormat.sealedChunkBytes)) == nil)
        }
    }

    /// The checksums are those of files that an independent implementation in Python with OpenSSL wrote.
    @Test(arguments: [
        (0, "f7b3c55612900fb7d0b7c0c7dbf3389c814a6f44bdc2c775e16828f1ce76803b"),
        (1, "7b09420eaf6117a23093b2be8f63e4033882ad85412ddcc401741c10aa4a3930"),
        (65536, "c20e81a4908b13d6b37452036a188c7c047da8cdb2a2006b7a26b32206359331"),
        (65537, "1eb41ef2526ce2acb45a0d2af449186791ee6b7546fe452bb9bdafd8a832b6b5"),
        (200000, "767103874bfeb2423d7ca3ddef89e4f3bdded270f2e29173dfbd3f750c4bc538"),
    ])
    func filesAreWhatTheFormatSays(size: Int, checksum: String) async throws {
        let master = try EncryptionKeys.test(["key-2026": 7]).current
        let key = SymmetricKey(data: (0..<32).map { UInt8($0) })
        let name = BlobKey(
            container: "c", checksum: TestBlob.checksum,
            generation: SealedGeneration(fingerprint: master.fingerprint).bounds.first)
        let file = FileInMemory()
        let upload = EncryptingUpload(over: file, master: master, key: key)
        try await upload.append(ByteBuffer(bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }))
        try await upload.commit(as: name)
        // The seal's nonce is normally random. Here it is fixed.
        let seal = BlobSeal.make(
            key, size: Int64(size), name: name, master: master,
            nonce: try AES.GCM.Nonce(data: [UInt8](repeating: 9, count: 12)))
        let bytes = file.bytes.dropLast(BlobSeal.length) + seal
        #expect(SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined() == checksum)
        let read = try #require(BlobSeal(seal))
        #expect(read.size == Int64(size) && read.masterID == "key-2026")
        #expect(read.unwrap(with: master, name: name) == key)
    }
}
