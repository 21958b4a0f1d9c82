package import CloudKitModel
internal import CloudKitWire

/// Field names in filters and sorts (web-services 3.7).
extension QueryKey {
    /// Creates the key for a `fieldName` or a `systemFieldName`; nil if both are nil.
    ///
    /// A `fieldName` that is one of the schema's `___` names denotes a system field. As a `fieldName`, `recordName`
    /// denotes an application field.
    ///
    /// - Throws: `BAD_REQUEST` for an unknown `systemFieldName`.
    package init?(fieldName: String?, systemFieldName: String?) throws(ServerError) {
        if let fieldName {
            self = SystemKey(schemaName: fieldName).map { .system($0) } ?? .field(fieldName)
        } else if let systemFieldName {
            guard let key = SystemKey(rawValue: systemFieldName) ?? SystemKey(schemaName: systemFieldName) else {
                throw ServerError(
                    .fieldNotFound, "Unknown system field '\(systemFieldName)'", field: systemFieldName)
            }
            self = .system(key)
        } else {
            return nil
        }
    }

    /// The `fieldName` if this is an application field.
    var fieldName: String? { if case .field(let name) = self { name } else { nil } }

    /// The `systemFieldName` if this is a system field.
    var systemFieldName: String? { if case .system(let key) = self { key.rawValue } else { nil } }
}

extension Sort {
    /// Creates the sort that a sort dictionary describes.
    ///
    /// - Throws: `BAD_REQUEST` if the field is missing or is an unknown system field.
    init(_ wire: WireSort) throws(ServerError) {
        guard let key = try QueryKey(fieldName: wire.fieldName, systemFieldName: wire.systemFieldName) else {
            throw .missingKey("fieldName")
        }
        self.init(key, ascending: wire.ascending, relativeLocation: wire.relativeLocation)
    }

    /// The equivalent sort dictionary.
    var wire: WireSort {
        WireSort(
            fieldName: key.fieldName, systemFieldName: key.systemFieldName, ascending: ascending,
            relativeLocation: relativeLocation)
    }
}
