package import CloudKitModel
package import CloudKitSchema

/// A record type with its known fields and grants.
package struct RecordTypeSchema: Sendable {
    /// The row of the type.
    package let id: RecordTypeID
    /// The type's name.
    package let name: String
    /// Whether an import omitted the type. Its records are invisible until a save or an import restores the type.
    package var isHidden = false
    /// The type of each field. A field has the same type in all records (semantics 3.1).
    package private(set) var fields: [String: FieldType] = [:]
    /// The fields that an import omitted. Their values are kept but never returned.
    package private(set) var hiddenFields: [String: FieldType] = [:]
    /// The indexes of each field that has any, including system fields.
    package private(set) var indexes: [String: FieldIndexes] = [:]
    /// The permissions of each role in the public database.
    package var grants: [String: Permissions] = [:]
    /// The fields that contain assets, in order. Hidden fields are included, because their assets stay in use. Most
    /// types have no such field, and their records cost nothing extra.
    package private(set) var assetFields: [String] = []

    /// The fields that contain references, in order, including hidden ones.
    package private(set) var referenceFields: [String] = []

    /// The SEARCHABLE fields, in order. Searches find a record by the words in these fields. Empty if the type has no
    /// index on words. The records of such a type have no words and cost nothing extra.
    package private(set) var tokenFields: [String] = []

    /// Whether the type has a word index.
    package var hasWords = false {
        didSet { tokenFields = hasWords ? searchableFields.keys.sorted() : [] }
    }

    /// The fields that a word index covers, with their types.
    package var searchableFields: [String: FieldType] {
        fields.filter { $0.value.isSearched && indexes[$0.key]?.contains(.searchable) == true }
    }

    /// The layout used to log changes to the type's records with their values. It is nil if no subscription watches the
    /// type, in which case changes cost nothing extra.
    package private(set) var logLayout: RecordLayout?

    /// Whether changes to the type's records are logged with their values.
    package var isWatched: Bool { logLayout != nil }

    /// Marks the type as watched, so that changes to its records are logged with their values. Call this method after
    /// all fields have been added.
    package mutating func watch() { logLayout = RecordLayout(logging: self) }

    /// Creates a type with the given fields.
    package init(id: RecordTypeID, name: String, fields: [String: FieldType] = [:]) {
        self.id = id
        self.name = name
        for (name, type) in fields { add(name, type) }
    }

    /// Adds a field, or a system field's indexes.
    package mutating func add(_ field: String, _ type: FieldType, indexes: FieldIndexes = [], isHidden: Bool = false) {
        if !indexes.isEmpty, !isHidden { self.indexes[field] = indexes }
        guard SystemField(rawValue: field) == nil else { return }
        if isHidden { hiddenFields[field] = type } else { fields[field] = type }
        switch type.base {
        case .asset: assetFields = (assetFields + [field]).sorted()
        case .reference: referenceFields = (referenceFields + [field]).sorted()
        default: break
        }
        if hasWords { tokenFields = searchableFields.keys.sorted() }
    }

    /// Returns the type of a field's stored values. Hidden fields are included.
    package func storedType(of field: String) -> FieldType? { fields[field] ?? hiddenFields[field] }

    /// The type as a definition.
    package var definition: RecordTypeDefinition {
        let system = SystemField.allCases.map {
            FieldDefinition(name: $0.rawValue, type: $0.type, indexes: indexes[$0.rawValue] ?? [])
        }
        let own = fields.map { FieldDefinition(name: $0.key, type: $0.value, indexes: indexes[$0.key] ?? []) }
        return RecordTypeDefinition(
            name: name, fields: system + own,
            grants: grants.map { GrantDefinition(role: $0.key, permissions: $0.value) })
    }
}
