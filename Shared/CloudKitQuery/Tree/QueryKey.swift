/// The subject of a comparison or a sort.
package enum QueryKey: Hashable, Sendable {
    /// A field of the record type.
    case field(String)
    /// A field that every record has.
    case system(SystemKey)
    /// The words of all searchable fields (`allTokens`, `self`).
    case allTokens
}

/// The fields that every record has. The raw value is the `systemFieldName` in filters and sorts (web-services 3.7).
package enum SystemKey: String, CaseIterable, Hashable, Sendable {
    case recordName
    case createdTimestamp
    case modifiedTimestamp
    case createdUserRecordName
    case modifiedUserRecordName
    case parent
    case share

    /// The name in the schema language and in error messages.
    package var schemaName: String {
        switch self {
        case .recordName: "___recordID"
        case .createdTimestamp: "___createTime"
        case .modifiedTimestamp: "___modTime"
        case .createdUserRecordName: "___createdBy"
        case .modifiedUserRecordName: "___modifiedBy"
        case .parent: "___parent"
        case .share: "___share"
        }
    }

    /// The name in predicates, as in CKRecord.
    package var predicateName: String {
        switch self {
        case .recordName: "recordID"
        case .createdTimestamp: "creationDate"
        case .modifiedTimestamp: "modificationDate"
        case .createdUserRecordName: "creatorUserRecordID"
        case .modifiedUserRecordName: "lastModifiedUserRecordID"
        case .parent: "parent"
        case .share: "share"
        }
    }
}

extension QueryKey {
    /// Creates the key for `name` in a predicate. `self` and `allTokens` denote the words of all fields. CKRecord's
    /// names of system fields and the schema's `___` names (ignoring case) denote system fields. All other names denote
    /// application fields.
    package init(predicateName name: String) {
        let lowercased = name.lowercased()
        if lowercased == "self" || name == "allTokens" {
            self = .allTokens
        } else if let key = SystemKey.allCases.first(where: { $0.predicateName == name }) {
            self = .system(key)
        } else if let key = SystemKey(schemaName: name) {
            self = .system(key)
        } else {
            self = .field(name)
        }
    }

    /// The name in predicates.
    package var predicateName: String {
        switch self {
        case .field(let name): name
        case .system(let key): key.predicateName
        case .allTokens: "allTokens"
        }
    }
}

extension SystemKey {
    /// Creates the key for a schema name, ignoring case, because Apple's documentation uses both `___recordId` and
    /// `___recordID`.
    package init?(schemaName name: String) {
        guard name.hasPrefix("___") else { return nil }
        let lowercased = name.lowercased()
        guard let key = Self.allCases.first(where: { $0.schemaName.lowercased() == lowercased }) else { return nil }
        self = key
    }
}
