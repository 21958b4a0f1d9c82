package import CloudKitModel
package import CloudKitSchema

/// A native index that a field is to have: a row of `record.field_index`.
package struct FieldIndex: Sendable {
    /// How the index looks.
    package enum Method: String, Sendable {
        /// B-tree over a single value: QUERYABLE and SORTABLE.
        case value
        /// GIN over a list's elements: QUERYABLE.
        case elements
        /// GiST over locations.
        case place
        /// GIN over the words of a record: SEARCHABLE.
        case words
    }

    /// What tells an index from another one.
    package struct Key: Hashable, Sendable {
        /// The record type.
        package let recordType: RecordTypeID
        /// The field's name.
        package let field: String
        /// How it looks.
        package let method: Method
    }

    /// What tells it from another one.
    package let key: Key
    /// The field's type.
    package let type: FieldType
    /// The kinds that it serves.
    package let kinds: FieldIndexes

    /// The indexes that a field of a type declares.
    package static func wanted(_ field: String, _ type: FieldType, _ kinds: FieldIndexes, of recordType: RecordTypeID)
        -> [FieldIndex]
    {
        var wanted: [FieldIndex] = []
        func want(_ method: Method, _ kinds: FieldIndexes) {
            guard !kinds.isEmpty else { return }
            wanted.append(
                FieldIndex(
                    key: Key(recordType: recordType, field: field, method: method), type: type, kinds: kinds))
        }
        let values = kinds.intersection([.queryable, .sortable])
        want(type.base == .location ? .place : type.isList ? .elements : .value, values)
        want(.words, kinds.intersection(.searchable))
        return wanted
    }

    /// What stands between `on TABLE` and the end of `create index`; nil: such indexes are not built yet.
    package var definition: String? {
        let condition = "where \(FieldExpression.records(of: key.recordType))"
        switch key.method {
        case .value:
            guard let value = FieldExpression.value(of: key.field, type: type) else { return nil }
            return "using btree (zone, \(value)) \(condition)"
        case .elements:
            return "using gin (zone, \(FieldExpression.elements(of: key.field)) jsonb_path_ops) \(condition)"
        case .place, .words: return nil
        }
    }
}
