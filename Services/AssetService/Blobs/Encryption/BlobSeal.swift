internal import Crypto
internal import Foundation
internal import SignedTokens

/// The last bytes of an encrypted file. They contain the file's format, the size of the plaintext, and the encrypted
/// key of the blob.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 8 | `zondaenc` |
/// | 8 | 2 | the version, 1 |
/// | 10 | 4 | the size of a chunk of plaintext in bytes: 65,536 |
/// | 14 | 8 | the size of the plaintext in bytes |
/// | 22 | 1 | the length of the master key's id |
/// | 23 | 32 | the id in ASCII, padded with zeros |
/// | 55 | 12 | a random nonce |
/// | 67 | 32 | the blob's key, encrypted with AES-256-GCM under the wrapping key, which is HMAC-SHA256(master key, `zonda asset key wrapping`) |
/// | 99 | 16 | the tag |
///
/// The encryption of the key authenticates the preceding bytes and the ``BlobKey`` of the file, so a file that was
/// substituted for another is rejected.
struct BlobSeal: Sendable {
    /// The length in bytes.
    static let length = 115
    private static let magic = Array("zondaenc".utf8)
    private static let headLength = 55
    private static let nonceLength = 12
    private static let keyLength = 32

    private let head: [UInt8]
    private let wrapped: [UInt8]
    /// The size of the plaintext, in bytes.
    let size: Int64
    /// The id of the master key.
    let masterID: String

    /// Returns the last bytes of the file `name`, whose plaintext is `size` bytes long and is encrypted with `key`.
    ///
    /// - Parameter nonce: for tests; it must not be used twice.
    static func make(
        _ key: SymmetricKey, size: Int64, name: BlobKey, master: EncryptionKeys.MasterKey,
        nonce: AES.GCM.Nonce = AES.GCM.Nonce()
    ) -> [UInt8] {
        var head = BinaryWriter()
        head.append(raw: magic)
        head.append(SealedFormat.version)
        head.append(UInt32(SealedFormat.chunkBytes))
        head.append(size)
        head.append(UInt8(master.id.utf8.count))
        head.append(raw: master.id.utf8)
        head.append(raw: [UInt8](repeating: 0, count: EncryptionKeys.maxIDLength - master.id.utf8.count))
        let sealed = key.withUnsafeBytes { key in
            try? AES.GCM.seal(
                key, using: master.wrapping, nonce: nonce, authenticating: Self.context(head.bytes, name))
        }
        // With a nonce of 12 bytes, a combined form always exists.
        guard let wrapped = sealed?.combined else { preconditionFailure("AES-GCM accepts any key") }
        return head.bytes + wrapped
    }

    /// Parses the bytes; nil if they are malformed.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        head = Array(bytes[..<Self.headLength])
        wrapped = Array(bytes[Self.headLength...])
        var reader = BinaryReader(head)
        guard reader.readRaw(Self.magic.count) == Self.magic, reader.read() == SealedFormat.version,
            reader.read() == UInt32(SealedFormat.chunkBytes), let size: Int64 = reader.read(), size >= 0,
            let idLength: UInt8 = reader.read(), idLength <= EncryptionKeys.maxIDLength,
            let id = reader.readRaw(Int(idLength))
        else { return nil }
        self.size = size
        masterID = String(decoding: id, as: UTF8.self)
    }

    /// Returns the key of the blob; nil if the seal was not made with `master` for the file `name`.
    func unwrap(with master: EncryptionKeys.MasterKey, name: BlobKey) -> SymmetricKey? {
        guard let box = try? AES.GCM.SealedBox(combined: wrapped),
            let key = try? AES.GCM.open(box, using: master.wrapping, authenticating: Self.context(head, name))
        else { return nil }
        return SymmetricKey(data: key)
    }

    private static func context(_ head: [UInt8], _ name: BlobKey) -> [UInt8] { head + Array(name.rawValue.utf8) }
}
