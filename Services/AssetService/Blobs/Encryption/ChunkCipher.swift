internal import Crypto
internal import Foundation
internal import NIOCore

/// Encrypts and decrypts the chunks of one file (``SealedFormat``).
struct ChunkCipher: Sendable {
    /// The key of the blob.
    let key: SymmetricKey

    /// Encrypts a chunk and appends it to `file`.
    func seal(_ plain: UnsafeRawBufferPointer, number: Int64, isLast: Bool, into file: inout ByteBuffer) {
        // This throws only for keys and nonces of invalid length.
        guard
            let box = try? AES.GCM.seal(
                plain, using: key, nonce: Self.nonce(number), authenticating: Self.place(number, isLast))
        else { preconditionFailure("AES-GCM accepts any plaintext") }
        box.ciphertext.withUnsafeBytes { _ = file.writeBytes($0) }
        box.tag.withUnsafeBytes { _ = file.writeBytes($0) }
    }

    /// Decrypts a chunk and appends it to `text`.
    ///
    /// - Returns: false if the bytes are not the result of encrypting this chunk.
    func open(_ sealed: UnsafeRawBufferPointer, number: Int64, isLast: Bool, into text: inout ByteBuffer) -> Bool {
        let end = sealed.count - SealedFormat.tagBytes
        guard end >= 0,
            let box = try? AES.GCM.SealedBox(
                nonce: Self.nonce(number), ciphertext: UnsafeRawBufferPointer(rebasing: sealed[..<end]),
                tag: UnsafeRawBufferPointer(rebasing: sealed[end...])),
            let plain = try? AES.GCM.open(box, using: key, authenticating: Self.place(number, isLast))
        else { return false }
        plain.withUnsafeBytes { _ = text.writeBytes($0) }
        return true
    }

    private static func nonce(_ number: Int64) -> AES.GCM.Nonce {
        guard let nonce = try? AES.GCM.Nonce(data: [0, 0, 0, 0] + bytes(number)) else {
            preconditionFailure("a nonce has 12 bytes")
        }
        return nonce
    }

    /// The authenticated data of a chunk.
    private static func place(_ number: Int64, _ isLast: Bool) -> [UInt8] { bytes(number) + [isLast ? 1 : 0] }

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
