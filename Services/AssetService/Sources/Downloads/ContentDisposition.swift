internal import Foundation

/// The `Content-Disposition` header of downloads (RFC 6266): always an attachment, so that no browser displays an
/// uploaded file as a page from this origin.
enum ContentDisposition {
    /// The component of a download URL that a client may replace with a file name (web-services 7.3).
    private static let placeholder = "${f}"
    private static let maxNameBytes = 200

    /// Returns the header for a URL whose last component is `part`, which is percent-encoded. The header contains this
    /// component as the file name, unless it is the placeholder.
    static func attachment(lastPart part: some StringProtocol) -> String {
        guard !isPlaceholder(String(part)), let decoded = part.removingPercentEncoding,
            let name = sanitized(decoded)
        else { return "attachment" }
        let plain = String(name.unicodeScalars.map { $0.isASCII && $0 != "%" ? Character($0) : "_" })
        let header = "attachment; filename=\"\(plain)\""
        // `filename*` is for non-ASCII characters, and for browsers that would decode a percent sign.
        guard plain != name, let encoded = name.addingPercentEncoding(withAllowedCharacters: attributeCharacters) else {
            return header
        }
        return header + "; filename*=UTF-8''\(encoded)"
    }

    /// Whether `part` is the placeholder. Some clients encode the URL once, others twice.
    private static func isPlaceholder(_ part: String) -> Bool {
        var text = part
        for _ in 0..<3 {
            if text == placeholder { return true }
            guard let decoded = text.removingPercentEncoding else { return false }
            text = decoded
        }
        return text == placeholder
    }

    /// Returns a name that is valid in every file system and cannot terminate the header; nil if nothing is left.
    private static func sanitized(_ name: String) -> String? {
        var clean = ""
        for character in name {
            let isHarmful = character.unicodeScalars.contains { scalar in
                switch scalar.properties.generalCategory {
                // Control characters, including those that change the writing direction.
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
                default: "/\\\":*?<>|".unicodeScalars.contains(scalar)
                }
            }
            let next = isHarmful ? "_" : String(character)
            guard clean.utf8.count + next.utf8.count <= maxNameBytes else { break }
            clean += next
        }
        let name = clean.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
        return name.isEmpty ? nil : name
    }

    /// `attr-char` of RFC 5987.
    private static let attributeCharacters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~")
}
