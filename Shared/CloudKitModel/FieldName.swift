/// The name of a record's field.
package struct FieldName: Hashable, Sendable, CustomStringConvertible {
    /// The name as it stands on the wire and in storage; compared exactly, case included.
    package let rawValue: String

    /// Accepts an ASCII letter followed by letters, digits and `_`, at most 255 bytes, unless reserved.
    /// - Throws: `ValidationError` naming the broken rule.
    package init(validating name: String) throws(ValidationError) {
        try NameRules.checkIdentifier(name, kind: .fieldName)
        guard !Self.isReserved(name) else {
            throw ValidationError(
                .fieldNameReserved, "The field name '\(name)' belongs to the system")
        }
        rawValue = name
    }

    /// Takes a name that was checked before, such as one read from storage. Nothing is checked here.
    package init(unchecked name: String) { rawValue = name }

    /// The name itself.
    package var description: String { rawValue }

    /// Names that stand for system values. Apple publishes no list; this is the one clients found by trying, and
    /// the keys of the record dictionary itself.
    package static let reserved: [String] = [
        "creationDate", "creatorUserRecordID", "etag", "lastModifiedUserRecordID", "modificationDate",
        "modifiedByDevice", "parent", "recordChangeTag", "recordID", "recordName", "recordType", "share",
    ]

    /// Whether `name` is one of `reserved`. Costs a glance at the first byte for most names.
    package static func isReserved(_ name: String) -> Bool {
        switch name.utf8.first {
        case UInt8(ascii: "c"), UInt8(ascii: "e"), UInt8(ascii: "l"), UInt8(ascii: "m"), UInt8(ascii: "p"),
            UInt8(ascii: "r"), UInt8(ascii: "s"):
            reserved.contains(name)
        default: false
        }
    }
}
