package import CloudKitModel

/// The kinds of index on a field. The raw value is stored and never changes.
package struct FieldIndexes: OptionSet, Hashable, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) { self.rawValue = rawValue }

    /// Support for comparisons by equality, membership and distance.
    package static let queryable = FieldIndexes(rawValue: 1)
    /// Support for comparisons with ranges, and sorting.
    package static let sortable = FieldIndexes(rawValue: 2)
    /// Support for searches for words in strings.
    package static let searchable = FieldIndexes(rawValue: 4)

    /// The kinds and their keywords, in printing order.
    package static let keywords: [(index: FieldIndexes, keyword: String)] = [
        (.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE"),
    ]

    /// The keywords of the kinds in the set, in printing order.
    package var keywords: [String] { Self.keywords.filter { contains($0.index) }.map(\.keyword) }
}

extension FieldType {
    /// The kinds of index that a field of this type can have. Encrypted values, bytes and assets cannot have indexes.
    package var possibleIndexes: FieldIndexes {
        guard !isEncrypted else { return [] }
        return switch base {
        case .string: isList ? [.queryable, .searchable] : [.queryable, .searchable, .sortable]
        case .int64, .double, .number, .timestamp, .reference, .location:
            isList ? .queryable : [.queryable, .sortable]
        case .bytes, .asset: []
        }
    }
}

extension FieldType {
    /// The kinds of index that a schema may declare for a field of this type: those that the type supports, and
    /// QUERYABLE for BYTES. Schemas exported from CloudKit declare BYTES fields as QUERYABLE, although queries cannot
    /// compare such fields. The declaration creates no index.
    package var declarableIndexes: FieldIndexes {
        base == .bytes && !isEncrypted ? .queryable : possibleIndexes
    }
}
