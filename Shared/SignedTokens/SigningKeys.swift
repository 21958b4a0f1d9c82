internal import Crypto
internal import Foundation

/// A deployment's keys for one purpose, read from a ``SigningKeyFile``.
///
/// The first key signs, and all keys verify. To rotate a key, add the new key at the top of the file, and remove the
/// old key when its tokens have expired.
package struct SigningKeys: Sendable {
    /// The purpose of a derived key. A token signed for one purpose is never valid for another.
    package enum Purpose: String, CaseIterable, Sendable {
        case syncToken = "zonda sync token"
        case queryMarker = "zonda query marker"
        case assetUpload = "zonda asset upload"
        case assetReceipt = "zonda asset receipt"
        case assetDownload = "zonda asset download"
        case clientToken = "zonda client token"
        case webAuthToken = "zonda web auth token"
        case signIn = "zonda sign-in"

        /// The spelling in a key file, such as `sync-token`.
        var name: String {
            String(rawValue.dropFirst("zonda ".count).map { $0 == " " ? "-" : $0 })
        }
    }

    /// The reason why a key file was rejected. The description never contains a secret.
    package struct FileError: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Key: Sendable {
        let hint: [UInt8]
        let secret: SymmetricKey
    }

    /// The length of a signature in bytes.
    package static let signatureLength = 16
    private static let hintLength = 2
    private let keys: [Key]

    /// Parses the content of a key file.
    ///
    /// - Throws: ``FileError`` if there is no key for the purpose or a line is malformed.
    package init(parsing text: String, for purpose: Purpose) throws(FileError) {
        keys = try SigningKeyFile(parsing: text).lines.compactMap { line in
            guard let key = line.key(for: purpose) else { return nil }
            let hint = SHA256.hash(data: Array(line.id.utf8)).prefix(Self.hintLength)
            return Key(hint: Array(hint), secret: SymmetricKey(data: key))
        }
        guard !keys.isEmpty else {
            throw FileError(
                description:
                    "there is no key for \(purpose.name); create the missing keys with `zonda provision secrets`")
        }
    }

    /// Derives the key for a purpose from a secret of the deployment.
    static func derive(_ purpose: Purpose, from secret: [UInt8]) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(
                for: Array(purpose.rawValue.utf8), using: SymmetricKey(data: secret)))
    }

    /// Returns `payload` followed by the signing key's hint and the signature.
    package func sign(_ payload: [UInt8]) -> [UInt8] { sign(payload, with: keys[0]) }

    /// Returns `payload` signed with each of the keys, for a caller that stores the payload and must recognize a token
    /// that was signed earlier.
    package func signatures(of payload: [UInt8]) -> [[UInt8]] { keys.map { sign(payload, with: $0) } }

    private func sign(_ payload: [UInt8], with key: Key) -> [UInt8] {
        let hinted = payload + key.hint
        return hinted + signature(of: hinted, with: key)
    }

    /// Returns the payload of a value that ``sign(_:)`` returned; nil if none of these keys signed it.
    package func verify(_ signed: [UInt8]) -> [UInt8]? {
        let payloadLength = signed.count - Self.hintLength - Self.signatureLength
        guard payloadLength >= 0 else { return nil }
        let hinted = signed.prefix(payloadLength + Self.hintLength)
        let given = signed.suffix(Self.signatureLength)
        for key in keys where hinted.suffix(Self.hintLength).elementsEqual(key.hint) {
            let expected = signature(of: Array(hinted), with: key)
            // Compares all bytes, so that the time taken reveals nothing about the correct signature.
            let difference = zip(expected, given).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) }
            if difference == 0 { return Array(hinted.prefix(payloadLength)) }
        }
        return nil
    }

    /// Encrypts `bytes` with the first key, for a token whose content must be unreadable to its holder. Equal bytes are
    /// encrypted differently each time.
    package func encrypt(_ bytes: [UInt8]) -> [UInt8]? {
        (try? AES.GCM.seal(bytes, using: Self.encryption(keys[0])).combined).map(Array.init)
    }

    /// Returns the bytes that ``encrypt(_:)`` encrypted; nil if they were not encrypted with one of these keys.
    package func decrypt(_ bytes: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: bytes) else { return nil }
        for key in keys {
            if let opened = try? AES.GCM.open(box, using: Self.encryption(key)) { return Array(opened) }
        }
        return nil
    }

    private static func encryption(_ key: Key) -> SymmetricKey {
        SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(for: Array("zonda token encryption".utf8), using: key.secret))
    }

    private func signature(of bytes: [UInt8], with key: Key) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key.secret).prefix(Self.signatureLength))
    }
}
