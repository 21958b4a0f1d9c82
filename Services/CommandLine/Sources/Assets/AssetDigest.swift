import Crypto
import NIOCore
import ServiceMessages

/// Makes an ``AssetChecksum`` of bytes as they come.
struct AssetDigest: Sendable {
    private var hash = SHA256()

    /// Of no bytes yet.
    init() {}

    /// Adds bytes.
    mutating func update(_ buffer: ByteBuffer) {
        buffer.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
    }

    /// The checksum of the bytes so far.
    var checksum: AssetChecksum { Self.checksum(hash.finalize()) }

    /// The checksum of `bytes`.
    static func checksum(of bytes: [UInt8]) -> AssetChecksum { checksum(SHA256.hash(data: bytes)) }

    private static func checksum(_ digest: SHA256.Digest) -> AssetChecksum {
        guard let checksum = AssetChecksum(bytes: Array(digest)) else {
            preconditionFailure("a SHA-256 has \(AssetChecksum.length) bytes")
        }
        return checksum
    }
}
