package import CloudKitModel

/// The spelling of names in the schema language.
enum SchemaName {
    /// The words that have a different meaning in places where a name is allowed.
    private static let reserved: Set<String> = ["GRANT", "PREFERRED", "QUERYABLE", "SORTABLE", "SEARCHABLE"]

    /// Returns whether `name` can be written without quotes. It must consist of an ASCII letter followed by ASCII
    /// letters, digits or `_`, and must not be a reserved word.
    static func needsNoQuotes(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "_"), !(0x30...0x39).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy(isNameByte) && !reserved.contains(name.uppercased())
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns `name`, quoted if necessary.
    static func spelled(_ name: String) -> String { needsNoQuotes(name) ? name : "\"\(name)\"" }
}

extension FieldType {
    /// The type in the schema language: `LIST<ENCRYPTED STRING>`, `NUMBER PREFERRED AS INT64`.
    package var schemaSpelling: String {
        let primitive = (isEncrypted ? "ENCRYPTED " : "") + base.schemaKeyword
        let preference =
            switch numberPreference {
            case .int64: " PREFERRED AS INT64"
            case .double: " PREFERRED AS DOUBLE"
            case nil: ""
            }
        return (isList ? "LIST<\(primitive)>" : primitive) + preference
    }
}

extension FieldType.Base {
    /// The keyword for this kind in the schema language. It is the same as the wire name, except for assets.
    var schemaKeyword: String { self == .asset ? "ASSET" : "\(wireName)" }

    /// Whether values of this type can be encrypted. A REFERENCE cannot be encrypted, because the service must read it;
    /// nor can a NUMBER, because an encrypted value declares its type. Assets are always encrypted.
    var canBeEncrypted: Bool { self != .reference && self != .asset && self != .number }
}

extension FieldDefinition {
    /// The type and indexes in the schema language: `STRING QUERYABLE SORTABLE`.
    var schemaSpelling: String { ([type.schemaSpelling] + indexes.keywords).joined(separator: " ") }
}

extension GrantDefinition {
    /// The grant in the schema language: `GRANT READ, WRITE TO "_creator"`.
    var schemaSpelling: String {
        "GRANT \(permissions.keywords.joined(separator: ", ")) TO \(SchemaName.spelled(role))"
    }
}
