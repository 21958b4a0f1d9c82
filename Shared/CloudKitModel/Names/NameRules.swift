/// A kind of name, with the reason codes for violations of its rules.
struct NameKind {
    /// The kind in words, for error messages.
    let words: StaticString
    let empty: ReasonCode
    let tooLong: ReasonCode
    /// The name contains characters that are not allowed.
    let malformed: ReasonCode
    let reserved: ReasonCode

    static let recordName = NameKind(
        words: "record name", empty: .recordNameEmpty, tooLong: .recordNameTooLong,
        malformed: .recordNameHasControlCharacter, reserved: .recordNameReserved)
    static let zoneName = NameKind(
        words: "zone name", empty: .zoneNameEmpty, tooLong: .zoneNameTooLong,
        malformed: .zoneNameHasControlCharacter, reserved: .zoneNameReserved)
    static let recordType = NameKind(
        words: "record type", empty: .recordTypeEmpty, tooLong: .recordTypeTooLong, malformed: .recordTypeInvalid,
        reserved: .recordTypeReserved)
    static let fieldName = NameKind(
        words: "field name", empty: .fieldNameEmpty, tooLong: .fieldNameTooLong, malformed: .fieldNameInvalid,
        reserved: .fieldNameReserved)
}

/// The rules for CloudKit's two families of names, checked on the names' UTF-8 bytes.
///
/// Record and zone names are free text; type and field names are identifiers. For free text, Apple's documentation
/// requires ASCII, but an older header allows nearly any text. This type implements the looser rule. It applies the
/// limit of 255 to bytes rather than UTF-16 units, which is stricter, because a string never has fewer bytes than
/// UTF-16 units.
enum NameRules {
    /// The maximum length of a name in UTF-8 bytes.
    static let maxBytes = 255

    /// Rejects a name that is empty, is longer than 255 bytes or contains a control character.
    static func checkFreeText(_ name: String, kind: NameKind) throws(ValidationError) {
        try checkLength(name, kind: kind)
        for scalar in name.unicodeScalars where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            throw ValidationError(kind.malformed, "A \(kind.words) must not contain control characters")
        }
    }

    /// Rejects a name that begins with `_`, because such names are reserved for the system.
    static func checkNotReserved(_ name: String, kind: NameKind) throws(ValidationError) {
        guard name.utf8.first == UInt8(ascii: "_") else { return }
        throw ValidationError(
            kind.reserved, "The \(kind.words) '\(name)' is reserved: names that begin with '_' belong to the system")
    }

    /// Rejects a name that is not an ASCII letter followed by ASCII letters, digits and `_`, or that is longer than 255
    /// bytes.
    static func checkIdentifier(_ name: String, kind: NameKind) throws(ValidationError) {
        try checkLength(name, kind: kind)
        guard name.utf8.first != UInt8(ascii: "_") else { return try checkNotReserved(name, kind: kind) }
        guard isIdentifier(name) else {
            throw ValidationError(
                kind.malformed, "A \(kind.words) must be an ASCII letter followed by letters, digits and '_'")
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

    private static func checkLength(_ name: String, kind: NameKind) throws(ValidationError) {
        let count = name.utf8.count
        guard count > 0 else { throw ValidationError(kind.empty, "A \(kind.words) must not be empty") }
        guard count <= maxBytes else {
            throw ValidationError(
                kind.tooLong, "A \(kind.words) must not exceed \(maxBytes) bytes",
                limit: maxBytes, actual: count)
        }
    }
}
