internal import Crypto
internal import NIOCore

/// Computes the checksum of an asset's content while it is read.
struct ContentDigest: Sendable {
    /// The first byte of a checksum, which names SHA-256.
    private static let version: UInt8 = 1

    private var hash = SHA256()

    /// Adds bytes.
    mutating func update(_ buffer: ByteBuffer) { buffer.withUnsafeReadableBytes { hash.update(bufferPointer: $0) } }

    /// The checksum of the bytes so far, as records contain it (web-services 3.6).
    var fileChecksum: String { Data([Self.version] + hash.finalize()).base64EncodedString() }

    /// Whether a checksum is one that this type computes. Other servers' checksums cannot be verified.
    static func isVerifiable(_ fileChecksum: String) -> Bool {
        let data = Data(base64Encoded: fileChecksum)
        return data?.count == SHA256.byteCount + 1 && data?.first == version
    }

    /// A name for files with the content of this checksum.
    static func fileName(_ fileChecksum: String) -> String {
        SHA256.hash(data: Data(fileChecksum.utf8)).map { String(format: "%02x", $0) }.joined()
    }
}
