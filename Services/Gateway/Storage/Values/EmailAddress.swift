internal import Foundation

/// An e-mail address as it was written, and the key that is the same for every spelling of it.
///
/// Only an address that cannot be used is invalid. Whether mail arrives there is known only by sending some.
package struct EmailAddress: Sendable, Hashable {
    /// The most bytes that fit the envelope of a mail (RFC 5321, 4.5.3.1.3).
    package static let maxBytes = 254

    /// The address as it was written, without the spaces around it.
    package let text: String
    /// The same for every spelling: composed and in lower case.
    package let key: String

    /// Reads an address; nil unless it has the form `name@domain` without spaces and control characters.
    package init?(_ written: String) {
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
}
