internal import Foundation

/// An email address as it was written, and a key that does not depend on case or on the composition of characters.
///
/// Only the form of an address is checked, because only sending a message could show whether the address receives mail.
package struct EmailAddress: Sendable, Hashable {
    /// The maximum length in bytes: the limit for the envelope of a message (RFC 5321, 4.5.3.1.3).
    package static let maxBytes = 254

    /// The address as it was written, without surrounding spaces.
    package let text: String
    /// The key: the address in composed form and in lower case.
    package let key: String

    /// Parses an address; returns nil unless it has the form `name@domain` without spaces or control characters.
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
