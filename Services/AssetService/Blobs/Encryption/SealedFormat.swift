internal import Crypto
internal import NIOCore

/// The form of an encrypted file, version 1. Numbers are big-endian.
///
///     chunk 0 | chunk 1 | … | chunk n-1 | seal
///
/// A chunk is 65,536 bytes of the plain text, the last one 1 to 65,536, encrypted with AES-256-GCM under the blob's own
/// key, and the tag of 16 bytes behind it. Its nonce is four zeros and its number in 8 bytes; authenticated with it are
/// the number and a byte that is 1 for the last chunk and 0 for others: none can change places, be dropped or be cut off.
/// No plain text, no chunk. A key encrypts one file, once, so that no nonce comes twice.
///
/// The ``BlobSeal`` follows the chunks since it says what is known at the end only: the size, and the name that the file
/// gets. All lengths follow from the plain size, and the other way round.
enum SealedFormat {
    /// The number of this form.
    static let version: UInt16 = 1
    /// A chunk's plain text, bytes.
    static let chunkBytes = 65_536
    /// What encryption adds to a chunk, bytes.
    static let tagBytes = 16
    /// A chunk in the file, bytes.
    static let sealedChunkBytes = chunkBytes + tagBytes

    /// The plain text's size, by that of its file; nil when no file has that size.
    static func plainSize(ofFile size: Int64) -> Int64? {
        let body = size - Int64(BlobSeal.length)
        guard body >= 0 else { return nil }
        let (whole, rest) = body.quotientAndRemainder(dividingBy: Int64(sealedChunkBytes))
        guard rest == 0 || rest > tagBytes else { return nil }
        return whole * Int64(chunkBytes) + (rest == 0 ? 0 : rest - Int64(tagBytes))
    }

    /// The chunks of a plain text.
    static func chunks(ofPlain size: Int64) -> Int64 { (size + Int64(chunkBytes) - 1) / Int64(chunkBytes) }

    /// Where the chunks end in the file.
    static func bodySize(ofPlain size: Int64) -> Int64 { size + chunks(ofPlain: size) * Int64(tagBytes) }
}
