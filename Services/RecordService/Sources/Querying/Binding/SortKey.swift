internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import RecordStorage

/// The sort keys of a record, for the marker of the page that ends with this record.
extension BoundSort {
    /// Whether the key is computed from the record itself. Distances and times are returned by the statement instead.
    var isOwn: Bool {
        switch operand {
        case .system(let key): key.type != .timestamp
        case .field, .words: place == nil
        }
    }

    /// Returns a record's key, which equals the value of the statement's expression
    /// (``FieldExpression/value(of:type:)``); nil if the stored value does not have the field's type.
    func key(of record: StoredRecord) -> String? {
        switch operand {
        case .system(.recordName): record.name.rawValue
        case .system(.createdUserRecordName): record.created.user
        case .system(.modifiedUserRecordName): record.modified.user
        case .system(.parent): record.parent?.rawValue
        case .system, .words: nil
        case .field(let name, let type): Self.key(of: name, type, in: record)
        }
    }

    private static func key(of field: String, _ type: FieldType, in record: StoredRecord) -> String? {
        guard !type.isEncrypted, let raw = record.fields?.raw(field), let first = raw.first else { return nil }
        let isNumber = first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        switch type.base {
        case .string:
            guard case .string(let text) = try? record.fields?.value(field, as: .string) else { return nil }
            return String(text.unicodeScalars.prefix(FieldExpression.indexedCharacters))
        case .reference:
            guard case .reference(let reference) = try? record.fields?.value(field, as: .reference) else { return nil }
            return reference.recordName.rawValue
        default: return isNumber ? String(decoding: raw, as: UTF8.self) : nil
        }
    }
}
