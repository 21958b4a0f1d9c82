internal import Crypto
internal import Foundation

/// The secrets of a deployment (`ZONDA_SIGNING_KEYS_FILE`): lines of `id:64 hexadecimal digits`. The first signs; all
/// verify, so that a key is rotated by putting a new line on top and removing the old one when its tokens are gone.
package struct SigningKeys: Sendable {
    /// What a derived key is for. Tokens of one purpose never verify as those of another.
    package enum Purpose: String, Sendable {
        case syncToken = "zonda sync token"
        case queryMarker = "zonda query marker"
        case assetUpload = "zonda asset upload"
        case assetReceipt = "zonda asset receipt"
        case assetDownload = "zonda asset download"
        case clientToken = "zonda client token"
        case webAuthToken = "zonda web auth token"
        case signIn = "zonda sign-in"
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
    /// - Throws: ``FileError`` when it has no key or a line of another form.
    package init(parsing text: String, for purpose: Purpose) throws(FileError) {
        var keys: [Key] = []
        for (index, line) in text.split(whereSeparator: \.isNewline).enumerated() where !line.hasPrefix("#") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, !parts[0].isEmpty, let secret = Hexadecimal.decode(parts[1].filter { $0 != " " }),
                secret.count == 32
            else {
                throw FileError(description: "line \(index + 1) is not of the form id:64 hexadecimal digits")
            }
            let derived = HMAC<SHA256>.authenticationCode(
                for: Array(purpose.rawValue.utf8), using: SymmetricKey(data: secret))
            let hint = SHA256.hash(data: Array(parts[0].utf8)).prefix(Self.hintLength)
            keys.append(Key(hint: Array(hint), secret: SymmetricKey(data: Array(derived))))
        }
        guard !keys.isEmpty else { throw FileError(description: "there is no key") }
        self.keys = keys
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
