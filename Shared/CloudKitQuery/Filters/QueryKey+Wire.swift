package import CloudKitModel
internal import CloudKitWire

/// The names of fields in filters and sorts (web-services 3.7).
extension QueryKey {
    /// The key of a `fieldName` or a `systemFieldName`; nil when neither is there.
    ///
    /// A `fieldName` that begins with `___` is a system field; `recordName` as a `fieldName` is not.
    ///
    /// - Throws: `BAD_REQUEST` for a `systemFieldName` that there is not.
    package init?(fieldName: String?, systemFieldName: String?) throws(ServerError) {
        if let fieldName {
            self = SystemKey(schemaName: fieldName).map { .system($0) } ?? .field(fieldName)
        } else if let systemFieldName {
            guard let key = SystemKey(rawValue: systemFieldName) ?? SystemKey(schemaName: systemFieldName) else {
                throw ServerError(
                    .fieldNotFound, "There is no system field '\(systemFieldName)'", field: systemFieldName)
            }
            self = .system(key)
        } else {
            return nil
        }
    }

    /// The `fieldName`, if it is the type's.
    var fieldName: String? { if case .field(let name) = self { name } else { nil } }

    /// The `systemFieldName`, if it is the system's.
    var systemFieldName: String? { if case .system(let key) = self { key.rawValue } else { nil } }
}

extension Sort {
    /// What a sort dictionary says.
    ///
    /// - Throws: `BAD_REQUEST`.
    init(_ wire: WireSort) throws(ServerError) {
        guard let key = try QueryKey(fieldName: wire.fieldName, systemFieldName: wire.systemFieldName) else {
            throw .missingKey("fieldName")
        }
        self.init(key, ascending: wire.ascending, relativeLocation: wire.relativeLocation)
    }

    /// The sort dictionary that says the same.
    var wire: WireSort {
        WireSort(
            fieldName: key.fieldName, systemFieldName: key.systemFieldName, ascending: ascending,
            relativeLocation: relativeLocation)
    }
}
