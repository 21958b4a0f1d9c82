import Crypto
package import NIOCore
package import ServiceMessages

/// Computes an ``AssetChecksum`` incrementally.
package struct AssetDigest: Sendable {
    private var hash = SHA256()

    /// Creates the digest of an empty sequence of bytes.
    package init() {}

    /// Adds bytes.
    package mutating func update(_ buffer: ByteBuffer) {
        buffer.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
    }

    /// The checksum of the bytes added so far.
    package var checksum: AssetChecksum { Self.checksum(hash.finalize()) }

    /// Returns the checksum of `bytes`.
    package static func checksum(of bytes: [UInt8]) -> AssetChecksum { checksum(SHA256.hash(data: bytes)) }

    private static func checksum(_ digest: SHA256.Digest) -> AssetChecksum {
        guard let checksum = AssetChecksum(bytes: Array(digest)) else {
            preconditionFailure("a SHA-256 hash has \(AssetChecksum.length) bytes")
        }
        return checksum
    }
}
