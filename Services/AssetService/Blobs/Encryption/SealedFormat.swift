internal import Crypto
internal import NIOCore

/// The format of an encrypted file, version 1. Numbers are big-endian.
///
///     chunk 0 | chunk 1 | … | chunk n-1 | seal
///
/// A chunk consists of 65,536 bytes of the plaintext (1 to 65,536 bytes in the last chunk), encrypted with AES-256-GCM
/// and the key of the blob, followed by the 16-byte tag. The nonce consists of four zero bytes and the number of the
/// chunk in 8 bytes. The authenticated data consists of the number and a byte that is 1 for the last chunk and 0 for
/// the others, so chunks cannot be reordered, removed or truncated without detection. An empty plaintext has no chunks.
/// A key encrypts only one file, so no nonce is used twice.
///
/// The ``BlobSeal`` follows the chunks because it contains the size and the name of the file, which are known only at
/// the end. The size of the plaintext determines all lengths, and the size of the file determines the size of the
/// plaintext.
enum SealedFormat {
    /// The number of this version.
    static let version: UInt16 = 1
    /// The size of a chunk of plaintext, in bytes.
    static let chunkBytes = 65_536
    /// The size of the tag of a chunk, in bytes.
    static let tagBytes = 16
    /// The size of a chunk in the file, in bytes.
    static let sealedChunkBytes = chunkBytes + tagBytes

    /// Returns the plaintext size of a file of `size` bytes; nil if no complete file can have this size.
    static func plainSize(ofFile size: Int64) -> Int64? {
        let body = size - Int64(BlobSeal.length)
        guard body >= 0 else { return nil }
        let (whole, rest) = body.quotientAndRemainder(dividingBy: Int64(sealedChunkBytes))
        guard rest == 0 || rest > tagBytes else { return nil }
        return whole * Int64(chunkBytes) + (rest == 0 ? 0 : rest - Int64(tagBytes))
    }

    /// Returns the number of chunks of a plaintext.
    static func chunks(ofPlain size: Int64) -> Int64 { (size + Int64(chunkBytes) - 1) / Int64(chunkBytes) }

    /// Returns the total size of the chunks in the file, in bytes.
    static func bodySize(ofPlain size: Int64) -> Int64 { size + chunks(ofPlain: size) * Int64(tagBytes) }
}
