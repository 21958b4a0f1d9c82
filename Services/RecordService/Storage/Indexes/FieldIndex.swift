package import CloudKitModel
package import CloudKitSchema

/// A native index that a field is to have: a row of `record.field_index`.
package struct FieldIndex: Sendable {
    /// How the index looks. The raw value is stored; what looks different has another one, so that a service of an
    /// earlier release leaves it alone.
    package enum Method: String, CaseIterable, Sendable {
        /// B-tree over a single value, and the record's name: QUERYABLE and SORTABLE. (Until migration 6 it was called
        /// `value`, and had no name in it.)
        case value = "ordered"
        /// GIN over a list's elements: QUERYABLE.
        case elements
        /// GiST over places on the sphere: QUERYABLE and SORTABLE.
        case place
        /// GIN over the words of a record, one for all its fields: SEARCHABLE.
        case words
        /// GIN over the trigrams of a text: SEARCHABLE.
        case substring
    }

    /// What tells an index from another one.
    package struct Key: Hashable, Sendable {
        /// The record type.
        package let recordType: RecordTypeID
        /// The field's name.
        package let field: String
        /// How it looks.
        package let method: Method

        /// The index of that look over that field.
        package init(recordType: RecordTypeID, field: String, method: Method) {
            self.recordType = recordType
            self.field = field
            self.method = method
        }

        /// The index over the words of a type's records.
        package static func words(of recordType: RecordTypeID) -> Key {
            Key(recordType: recordType, field: FieldIndex.allTokens, method: .words)
        }
    }

    /// The field that an index over words is of: all that are searched.
    package static let allTokens = "___allTokens"

    /// What tells it from another one.
    package let key: Key
    /// The field's type.
    package let type: FieldType
    /// The kinds that it serves.
    package let kinds: FieldIndexes

    /// An index.
    package init(key: Key, type: FieldType, kinds: FieldIndexes) {
        self.key = key
        self.type = type
        self.kinds = kinds
    }

    /// The indexes that a field of a type declares; that over words is the type's, and the same for all its fields.
    package static func wanted(_ field: String, _ type: FieldType, _ kinds: FieldIndexes, of recordType: RecordTypeID)
        -> [FieldIndex]
    {
        // What is declared of bytes has no effect.
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

    /// The expression whose values the planner has to know; nil: it knows them, or nothing helps. Of a partial index it
    /// looks at no statistics, and would take every value for as frequent as any other.
    var measured: String? {
        guard key.method == .value, SystemField(rawValue: key.field) == nil else { return nil }
        return FieldExpression.value(of: key.field, type: type)
    }

    /// What stands between `on TABLE` and the end of `create index`; nil: there is no such index.
    package var definition: String? {
        let condition = "where \(FieldExpression.records(of: key.recordType))"
        switch key.method {
        case .value where key.field == SystemField.recordID.rawValue:
            return "using btree (zone, name) \(condition)"
        case .value:
            guard let value = FieldExpression.value(of: key.field, type: type) else { return nil }
            // The name: ties of a sort go by it, so that a page of equal values is read in order.
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
    /// Whether a field of this type can have words: texts, one or a list of them, that are not encrypted.
    package var isSearched: Bool { base == .string && !isEncrypted }
}
