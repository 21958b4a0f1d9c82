/// The two families of names that CloudKit has, as checks over UTF-8.
///
/// Record and zone names are free text; type and field names are identifiers. Apple's documentation wants ASCII
/// for the former and an older header nearly any text; the looser rule is taken, with the stricter of the two
/// ways to count its 255 (bytes are never fewer than UTF-16 units).
enum NameRules {
    /// The largest name, in UTF-8 bytes.
    static let maxBytes = 255

    /// Refuses an empty name, one over 255 bytes, and one with a control character.
    /// - Parameter kind: What the name names, in words (`record name`); becomes part of the error.
    static func checkFreeText(_ name: String, kind: StaticString) throws(ValidationError) {
        try checkLength(name, kind: kind)
        for scalar in name.unicodeScalars where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            throw error(kind, "has_control_character", "A \(kind) must not contain control characters")
        }
    }

    /// Refuses a name that begins with `_`, which is the system's.
    static func checkNotReserved(_ name: String, kind: StaticString) throws(ValidationError) {
        guard name.utf8.first == UInt8(ascii: "_") else { return }
        throw error(kind, "reserved", "The \(kind) '\(name)' is reserved: a leading '_' belongs to the system")
    }

    /// Refuses what is not an ASCII letter followed by letters, digits and `_`, or is over 255 bytes.
    static func checkIdentifier(_ name: String, kind: StaticString) throws(ValidationError) {
        try checkLength(name, kind: kind)
        guard name.utf8.first != UInt8(ascii: "_") else { return try checkNotReserved(name, kind: kind) }
        guard isIdentifier(name) else {
            throw error(
                kind, "invalid", "A \(kind) starts with an ASCII letter and goes on with letters, digits and '_'")
        }
    }

    private static func isIdentifier(_ name: String) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            switch byte | 0x20 {
            case UInt8(ascii: "a")...UInt8(ascii: "z") where byte >= UInt8(ascii: "A"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst && byte >= UInt8(ascii: "0"): break
            default: if isFirst || byte != UInt8(ascii: "_") { return false }
            }
            isFirst = false
        }
        return !isFirst
    }

    private static func checkLength(_ name: String, kind: StaticString) throws(ValidationError) {
        let count = name.utf8.count
        guard count > 0 else { throw error(kind, "empty", "A \(kind) must not be empty") }
        guard count <= maxBytes else {
            throw ValidationError(
                reasonCode: reasonCode(kind, "too_long"), reason: "A \(kind) has at most \(maxBytes) bytes",
                limit: maxBytes, actual: count)
        }
    }

    private static func error(_ kind: StaticString, _ fault: String, _ reason: String) -> ValidationError {
        ValidationError(reasonCode: reasonCode(kind, fault), reason: reason)
    }

    private static func reasonCode(_ kind: StaticString, _ fault: String) -> String {
        "\(kind)_\(fault)".split(separator: " ").joined(separator: "_")
    }
}
