/// The type of a field: a base kind, alone or in a list, plain or encrypted.
package struct FieldType: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of single values. The raw value is part of `storageCode`.
    package enum Base: Int16, CaseIterable, Hashable, Sendable {
        case string = 1
        case int64 = 2
        case double = 3
        case timestamp = 4
        case bytes = 5
        case reference = 6
        case asset = 7
        case location = 8
        /// A number that can be `int64` or `double`. The schema gives this kind to a new field when the client sends a
        /// number without declaring its kind. Only fields have this kind; each value is `int64` or `double`.
        case number = 9

        /// The kinds that a value can have.
        package static let ofValues = allCases.filter { $0 != .number }

        /// The type's name in replies, e.g. `ASSETID`. Replies never contain `NUMBER`.
        package var wireName: StaticString {
            switch self {
            case .string: "STRING"
            case .int64: "INT64"
            case .double: "DOUBLE"
            case .timestamp: "TIMESTAMP"
            case .bytes: "BYTES"
            case .reference: "REFERENCE"
            case .asset: "ASSETID"
            case .location: "LOCATION"
            case .number: "NUMBER"
            }
        }
    }

    /// The type that replies give to the numbers in a NUMBER field. The raw value is part of `storageCode`.
    package enum NumberPreference: Int16, CaseIterable, Hashable, Sendable {
        case int64 = 64
        case double = 128
    }

    /// The kind of the value, or of the elements if the value is a list.
    package var base: Base
    /// Whether the value is a list.
    package var isList: Bool
    /// Whether the field is one of CloudKit's `encryptedValues`, which queries cannot read.
    package var isEncrypted: Bool
    /// The type that replies give to the numbers in a NUMBER field. If it is nil, each number is returned with its own
    /// type. Always nil for other types.
    package var numberPreference: NumberPreference?

    /// Creates a type.
    package init(_ base: Base, isList: Bool = false, isEncrypted: Bool = false) {
        self.base = base
        self.isList = isList
        self.isEncrypted = isEncrypted
    }

    package static let string = FieldType(.string)
    package static let int64 = FieldType(.int64)
    package static let double = FieldType(.double)
    package static let timestamp = FieldType(.timestamp)
    package static let bytes = FieldType(.bytes)
    package static let reference = FieldType(.reference)
    package static let asset = FieldType(.asset)
    package static let location = FieldType(.location)
    /// The type of a number that is `int64` or `double` and is returned with its own type.
    package static let number = FieldType(.number)

    /// Returns the type of a number that is `int64` or `double`, and is returned as `preference`.
    package static func number(preferredAs preference: NumberPreference) -> FieldType {
        var type = number
        type.numberPreference = preference
        return type
    }

    /// Returns the type of a list with elements of kind `base`.
    package static func list(_ base: Base) -> FieldType { FieldType(base, isList: true) }

    /// The `type` in replies: `STRING`, `STRING_LIST` … Replies indicate encryption with a separate key.
    package var wireName: String { isList ? "\(base.wireName)_LIST" : "\(base.wireName)" }

    /// The name in error messages, with the `ENCRYPTED_` prefix that Apple's messages use.
    package var description: String { isEncrypted ? "ENCRYPTED_\(wireName)" : wireName }

    /// Returns whether a field of this type can contain a value that a client declared as `other`, regardless of
    /// encryption: the kinds are equal, or the field is a NUMBER and the value is a number.
    package func accepts(_ other: FieldType) -> Bool {
        guard other.isList == isList else { return false }
        return other.base == base || base == .number && (other.base == .int64 || other.base == .double)
    }
}

extension FieldType {
    /// Creates the type with the name that a client sent, which can also be one of the variants that some clients use:
    /// `INT`, `BYTE`, `DATETIME`, `ASSET`, `ASSET_LIST`, and an `ENCRYPTED_` prefix. Returns nil for unknown names and
    /// for `LIST` and `UNKNOWN_LIST`, which do not name an element type (see `isUntypedList`). Lower-case names are
    /// unknown, as in Apple's service.
    package init?(wireName: String) {
        var name = Substring(wireName)
        isEncrypted = name.hasPrefix("ENCRYPTED_")
        if isEncrypted { name = name.dropFirst("ENCRYPTED_".utf8.count) }
        isList = name.hasSuffix("_LIST")
        if isList { name = name.dropLast("_LIST".utf8.count) }
        switch name {
        case "STRING": base = .string
        case "INT64", "INT": base = .int64
        case "DOUBLE": base = .double
        case "TIMESTAMP", "DATETIME": base = .timestamp
        case "BYTES", "BYTE": base = .bytes
        case "REFERENCE": base = .reference
        case "ASSETID", "ASSET": base = .asset
        case "LOCATION": base = .location
        default: return nil
        }
    }

    /// Returns whether `wireName` denotes a list whose element type must be inferred.
    package static func isUntypedList(_ wireName: String) -> Bool { wireName == "LIST" || wireName == "UNKNOWN_LIST" }
}

extension FieldType {
    /// The compact form in storage: the raw value of the base, plus 16 for a list, plus 32 for an encrypted type, plus
    /// the raw value of the number preference. The code of a type never changes.
    package var storageCode: Int16 {
        base.rawValue + (isList ? 16 : 0) + (isEncrypted ? 32 : 0) + (numberPreference?.rawValue ?? 0)
    }

    /// Creates the type with this `storageCode`; nil if no type has it.
    package init?(storageCode: Int16) {
        guard let base = Base(rawValue: storageCode & 0x0F) else { return nil }
        self.init(base, isList: storageCode & 16 != 0, isEncrypted: storageCode & 32 != 0)
        guard base == .number else {
            guard storageCode & ~0x3F == 0 else { return nil }
            return
        }
        // NUMBER is neither a list nor encrypted.
        let preference = storageCode & ~0x0F
        numberPreference = NumberPreference(rawValue: preference)
        guard preference == 0 || numberPreference != nil else { return nil }
    }
}
