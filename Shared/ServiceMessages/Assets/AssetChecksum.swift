internal import Crypto
internal import Foundation
internal import SignedTokens

/// The SHA-256 of an asset's bytes, which identifies the content within a container.
package struct AssetChecksum: Sendable, Hashable, CustomStringConvertible {
    /// The length of the digest, in bytes.
    package static let length = 32
    /// The first byte of the text form, which identifies the digest algorithm.
    private static let version: UInt8 = 1

    /// The digest.
    package let bytes: [UInt8]

    /// Creates a checksum from a digest; returns nil unless the digest has ``length`` bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Parses a `fileChecksum` or 64 hexadecimal digits; returns nil for anything else.
    package init?(_ text: String) {
        if text.utf8.count == 2 * Self.length, let bytes = Hexadecimal.decode(text) {
            self.init(bytes: bytes)
        } else if let data = Data(base64Encoded: text), data.first == Self.version {
            self.init(bytes: Array(data.dropFirst()))
        } else {
            return nil
        }
    }

    /// The checksum as it is written in records: the base64 of a version byte and the digest, 44 characters long
    /// (web-services 3.6).
    package var fileChecksum: String { Data([Self.version] + bytes).base64EncodedString() }

    /// The digest as 64 hexadecimal digits, as `sha256sum` prints it.
    package var hex: String { Hexadecimal.encode(bytes) }

    /// A value that clients of private databases expect in addition to the checksum (web-services 3.6): the base64 of
    /// 21 bytes. Zonda does not split assets into chunks or wrap their keys, so this value and ``wrappingKey`` are
    /// derived from the digest and contain no further information.
    package var referenceChecksum: String { Data([Self.version] + derived("reference", 20)).base64EncodedString() }

    /// Another value that clients of private databases expect: the base64 of 16 bytes. See ``referenceChecksum``.
    package var wrappingKey: String { Data(derived("wrapping", 16)).base64EncodedString() }

    /// The value of ``hex``.
    package var description: String { hex }

    private func derived(_ label: String, _ length: Int) -> [UInt8] {
        Array(SHA256.hash(data: Array("zonda asset \(label)".utf8) + bytes).prefix(length))
    }
}
