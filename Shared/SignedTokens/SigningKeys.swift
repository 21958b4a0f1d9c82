internal import Crypto
internal import Foundation

/// A deployment's keys for one purpose, as a ``SigningKeyFile`` has them. The first signs; all verify, so that a key is
/// rotated by putting a new one on top and removing the old one when its tokens are gone.
package struct SigningKeys: Sendable {
    /// What a derived key is for. Tokens of one purpose never verify as those of another.
    package enum Purpose: String, CaseIterable, Sendable {
        case syncToken = "zonda sync token"
        case queryMarker = "zonda query marker"
        case assetUpload = "zonda asset upload"
        case assetReceipt = "zonda asset receipt"
        case assetDownload = "zonda asset download"
        case clientToken = "zonda client token"
        case webAuthToken = "zonda web auth token"
        case signIn = "zonda sign-in"

        /// As a line of a file names it: `sync-token`.
        var name: String {
            String(rawValue.dropFirst("zonda ".count).map { $0 == " " ? "-" : $0 })
        }
    }

    /// Why a file was refused; the text names the line, never the secret.
    package struct FileError: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Key: Sendable {
        let hint: [UInt8]
        let secret: SymmetricKey
    }

    /// Length of a signature, bytes.
    package static let signatureLength = 16
    private static let hintLength = 2
    private let keys: [Key]

    /// Reads the file's text.
    ///
    /// - Throws: ``FileError`` when it has no key for the purpose or a line of another form.
    package init(parsing text: String, for purpose: Purpose) throws(FileError) {
        keys = try SigningKeyFile(parsing: text).lines.compactMap { line in
            guard let key = line.key(for: purpose) else { return nil }
            let hint = SHA256.hash(data: Array(line.id.utf8)).prefix(Self.hintLength)
            return Key(hint: Array(hint), secret: SymmetricKey(data: key))
        }
        guard !keys.isEmpty else {
            throw FileError(
                description:
                    "there is no key for \(purpose.name); `zonda provision secrets` writes those that a service needs")
        }
    }

    /// The key for a purpose that a deployment's secret gives.
    static func derive(_ purpose: Purpose, from secret: [UInt8]) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(
                for: Array(purpose.rawValue.utf8), using: SymmetricKey(data: secret)))
    }

    /// `payload`, the signing key's hint and the signature.
    package func sign(_ payload: [UInt8]) -> [UInt8] { sign(payload, with: keys[0]) }

    /// `payload` as each of the keys signs it: for who keeps a payload, and has to tell what was once signed.
    package func signatures(of payload: [UInt8]) -> [[UInt8]] { keys.map { sign(payload, with: $0) } }

    private func sign(_ payload: [UInt8], with key: Key) -> [UInt8] {
        let hinted = payload + key.hint
        return hinted + signature(of: hinted, with: key)
    }

    /// The payload of what ``sign(_:)`` made, or nil when no key of ours made it.
    package func verify(_ signed: [UInt8]) -> [UInt8]? {
        let payloadLength = signed.count - Self.hintLength - Self.signatureLength
        guard payloadLength >= 0 else { return nil }
        let hinted = signed.prefix(payloadLength + Self.hintLength)
        let given = signed.suffix(Self.signatureLength)
        for key in keys where hinted.suffix(Self.hintLength).elementsEqual(key.hint) {
            let expected = signature(of: Array(hinted), with: key)
            // Every byte is compared whatever the others are: the time tells nothing about the right signature.
            let difference = zip(expected, given).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) }
            if difference == 0 { return Array(hinted.prefix(payloadLength)) }
        }
        return nil
    }

    private func signature(of bytes: [UInt8], with key: Key) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key.secret).prefix(Self.signatureLength))
    }
}
