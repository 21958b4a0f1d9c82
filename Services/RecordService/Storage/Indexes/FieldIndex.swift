package import CloudKitModel
package import CloudKitSchema

/// A native index of a field: a row of `record.field_index`.
package struct FieldIndex: Sendable {
    /// The form of an index. The raw value is stored. When a form changes, it gets a new raw value, so that a service
    /// from an earlier release ignores the new indexes.
    package enum Method: String, CaseIterable, Sendable {
        /// A B-tree on a single value and the record's name, for QUERYABLE and SORTABLE. Before migration 6, its raw
        /// value was `value`, and the index did not contain the name.
        case value = "ordered"
        /// A GIN index on the elements of a list, for QUERYABLE.
        case elements
        /// A GiST index over points on the unit sphere, for QUERYABLE and SORTABLE.
        case place
        /// A GIN index on the words of all fields of a record, for SEARCHABLE.
        case words
        /// A GIN index on the trigrams of a string, for SEARCHABLE.
        case substring
    }

    /// The identity of an index.
    package struct Key: Hashable, Sendable {
        /// The record type.
        package let recordType: RecordTypeID
        /// The field's name.
        package let field: String
        /// The form of the index.
        package let method: Method

        /// Creates a key from its parts.
        package init(recordType: RecordTypeID, field: String, method: Method) {
            self.recordType = recordType
            self.field = field
            self.method = method
        }

        /// Returns the key of the index on the words of a type's records.
        package static func words(of recordType: RecordTypeID) -> Key {
            Key(recordType: recordType, field: FieldIndex.allTokens, method: .words)
        }
    }

    /// The field name in the key of a word index, which covers all searched fields.
    package static let allTokens = "___allTokens"

    /// The identity of the index.
    package let key: Key
    /// The field's type.
    package let type: FieldType
    /// The declared kinds for which the index is used.
    package let kinds: FieldIndexes

    /// Creates an index from its parts.
    package init(key: Key, type: FieldType, kinds: FieldIndexes) {
        self.key = key
        self.type = type
        self.kinds = kinds
    }

    /// Returns the native indexes for the declared `kinds` of a field. A word index belongs to the record type, and is
    /// the same for all fields of the type.
    package static func wanted(_ field: String, _ type: FieldType, _ kinds: FieldIndexes, of recordType: RecordTypeID)
        -> [FieldIndex]
    {
        // An index that is declared on bytes has no effect.
        let kinds = kinds.intersection(type.possibleIndexes)
        var wanted: [FieldIndex] = []
        func want(_ method: Method, _ kinds: FieldIndexes) {
            guard !kinds.isEmpty else { return }
            wanted.append(
                FieldIndex(
                    key: Key(recordType: recordType, field: field, method: method), type: type, kinds: kinds))
        }
        let values = kinds.intersection([.queryable, .sortable])
        want(type.isList ? .elements : type.base == .location ? .place : .value, values)
        if kinds.contains(.searchable), type.isSearched {
            if !type.isList { want(.substring, .searchable) }
            wanted.append(FieldIndex(key: .words(of: recordType), type: .string, kinds: .searchable))
        }
        return wanted
    }

    /// The expression for which the planner needs statistics; nil if the planner already has them or if they would not
    /// help. Without statistics on the expression, the planner assumes that all values are equally frequent, because it
    /// does not use the statistics of a partial index.
    var measured: String? {
        guard key.method == .value, SystemField(rawValue: key.field) == nil else { return nil }
        return FieldExpression.value(of: key.field, type: type)
    }

    /// The part of `create index` that follows `on TABLE`; nil if the field's type cannot have such an index.
    package var definition: String? {
        let condition = "where \(FieldExpression.records(of: key.recordType))"
        switch key.method {
        case .value where key.field == SystemField.recordID.rawValue:
            return "using btree (zone, name) \(condition)"
        case .value:
            guard let value = FieldExpression.value(of: key.field, type: type) else { return nil }
            // The name is included because records with equal values are sorted by name. With the name in the index, a
            // page of these records can be read in order.
            return "using btree (zone, \(value), name) \(condition)"
        case .elements:
            return "using gin (zone, \(FieldExpression.elements(of: key.field)) jsonb_path_ops) \(condition)"
        case .place:
            return "using gist (zone, \(FieldExpression.point(of: key.field)) record.gist_cube_ops) \(condition)"
        case .words:
            return "using gin (zone, \(FieldExpression.words)) \(condition)"
        case .substring:
            return "using gin (zone, \(FieldExpression.substring(of: key.field)) record.gin_trgm_ops) \(condition)"
        }
    }
}

extension FieldType {
    /// Whether the words of fields of this type can be indexed. This is possible for unencrypted strings and for lists
    /// of them.
    package var isSearched: Bool { base == .string && !isEncrypted }
}
