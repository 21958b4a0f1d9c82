internal import CloudKitModel
internal import Foundation

/// An e-mail address: how somebody wrote it, and by what it is told apart.
///
/// Only what would make it useless is refused: whether an address can be written to is known by writing to it.
struct EmailAddress: Sendable, Hashable {
    /// The most that fits a mail's envelope (RFC 5321, 4.5.3.1.3), bytes.
    static let maxBytes = 254

    /// As it was written, without the spaces around it.
    let text: String
    /// The same for every spelling of it: composed, in lower case.
    let key: String

    /// Reads one; nil when it is none: `name@domain`, without spaces and control characters.
    init?(_ written: String) {
        text = written.trimmingCharacters(in: .whitespacesAndNewlines)
        key = text.precomposedStringWithCanonicalMapping.lowercased()
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let hasSpace = text.unicodeScalars.contains {
            $0.properties.isWhitespace || $0.properties.generalCategory == .control
        }
        guard text.utf8.count <= Self.maxBytes, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !hasSpace else {
            return nil
        }
    }

    /// Reads one that a request names by `field`.
    ///
    /// - Throws: `BAD_REQUEST` naming the field.
    init(validating written: String, field: String = "email") throws(ServerError) {
        guard let address = EmailAddress(written) else {
            throw ServerError(
                .emailInvalid, "An e-mail address has the form name@domain and at most \(Self.maxBytes) bytes",
                field: field)
        }
        self = address
    }
}
