/// The name of a record's field.
package struct FieldName: Hashable, Sendable, CustomStringConvertible {
    /// The name on the wire and in storage; compared exactly, including case.
    package let rawValue: String

    /// Creates a name after checking it. Accepts an ASCII letter followed by ASCII letters, digits and `_`, at most 255
    /// bytes in total. Rejects reserved names.
    /// - Throws: `ValidationError` for the violated rule.
    package init(validating name: String) throws(ValidationError) {
        try NameRules.checkIdentifier(name, kind: .fieldName)
        guard !Self.isReserved(name) else {
            throw ValidationError(
                .fieldNameReserved, "The field name '\(name)' is reserved for the system")
        }
        rawValue = name
    }

    /// Creates the name of a field of a share after checking it. Such a name can also consist of several identifiers
    /// separated by dots.
    /// - Throws: `ValidationError` for the violated rule.
    package init(validatingOfShare name: String) throws(ValidationError) {
        guard name.utf8.contains(UInt8(ascii: ".")), name.utf8.count <= NameRules.maxBytes else {
            self = try FieldName(validating: name)
            return
        }
        for part in name.split(separator: ".", omittingEmptySubsequences: false) {
            try NameRules.checkIdentifier(String(part), kind: .fieldName)
        }
        rawValue = name
    }

    /// Returns whether only a share can have a field called `name`.
    package static func isOfShare(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: ".")) }

    /// Creates a name without checks, for names that have already been checked, such as those read from storage.
    package init(unchecked name: String) { rawValue = name }

    /// The name itself.
    package var description: String { rawValue }

    /// The names of system values. Apple does not publish a list. These are the names that client developers found by
    /// testing, and the keys of the record dictionary.
    package static let reserved: [String] = [
        "creationDate", "creatorUserRecordID", "etag", "lastModifiedUserRecordID", "modificationDate",
        "modifiedByDevice", "parent", "recordChangeTag", "recordID", "recordName", "recordType", "share",
    ]

    /// Returns whether `name` is one of `reserved`. For most names, only the first byte has to be checked.
    package static func isReserved(_ name: String) -> Bool {
        switch name.utf8.first {
        case UInt8(ascii: "c"), UInt8(ascii: "e"), UInt8(ascii: "l"), UInt8(ascii: "m"), UInt8(ascii: "p"),
            UInt8(ascii: "r"), UInt8(ascii: "s"):
            reserved.contains(name)
        default: false
        }
    }
}
