internal import Foundation

/// The outer encoding of every token: base64 of signed bytes.
package enum SealedToken {
    /// The maximum length of a token. Longer tokens are rejected without being decoded.
    private static let maxLength = 16_384

    /// Signs `payload` and encodes it in standard base64, which clients require for sync tokens (web-services 2.8:
    /// OpenCloudKit decodes them, and stops if decoding fails).
    package static func seal(_ payload: [UInt8], with keys: SigningKeys) -> String {
        Data(keys.sign(payload)).base64EncodedString()
    }

    /// Decodes and verifies a token created by ``seal(_:with:)``; nil if it is forged or damaged.
    package static func open(_ token: String, with keys: SigningKeys) -> [UInt8]? {
        guard token.utf8.count <= maxLength, let signed = Data(base64Encoded: token) else { return nil }
        return keys.verify(Array(signed))
    }

    /// Signs `payload` and encodes it in URL-safe base64 without padding, for use in a path or query.
    package static func sealForURL(_ payload: [UInt8], with keys: SigningKeys) -> String {
        Base64URL.encode(keys.sign(payload))
    }

    /// Decodes and verifies a token created by ``sealForURL(_:with:)``; nil if it is forged or damaged.
    package static func openFromURL(_ token: some StringProtocol, with keys: SigningKeys) -> [UInt8]? {
        guard token.utf8.count <= maxLength, let signed = Base64URL.decode(token) else { return nil }
        return keys.verify(signed)
    }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5).
package enum Base64URL {
    /// Encodes `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString().utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(text), as: UTF8.self)
    }

    /// Decodes the output of ``encode(_:)``; nil if `text` is not base64.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var standard = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(standard)).map { Array($0) }
    }
}
