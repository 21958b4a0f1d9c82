package import CloudKitModel
package import CloudKitSchema

/// A record type with its fields and grants, as far as they are known.
package struct RecordTypeSchema: Sendable {
    /// The row.
    package let id: RecordTypeID
    /// The type's name.
    package let name: String
    /// Whether an import left the type out: its records are out of sight until a save or an import brings it back.
    package var isHidden = false
    /// The type of each field, for all records (semantics 3.1).
    package private(set) var fields: [String: FieldType] = [:]
    /// Fields that an import left out: their values are kept and told to nobody.
    package private(set) var hiddenFields: [String: FieldType] = [:]
    /// The indexes of fields that have any, system fields included.
    package private(set) var indexes: [String: FieldIndexes] = [:]
    /// Who may do what in the public database.
    package var grants: [String: Permissions] = [:]
    /// The fields that hold assets, in order, hidden ones too, whose assets are in use: most types have none, and their
    /// records cost nothing on this account.
    package private(set) var assetFields: [String] = []

    /// The fields that hold references, in order, hidden ones too.
    package private(set) var referenceFields: [String] = []

    /// The fields whose words a record is found by, in order: SEARCHABLE ones. Empty when the type is to have no index
    /// over words: its records have none, and cost nothing on this account.
    package private(set) var tokenFields: [String] = []

    /// Whether the type is to have an index over words.
    package var hasWords = false {
        didSet { tokenFields = hasWords ? searchableFields.keys.sorted() : [] }
    }

    /// The fields whose words count when there is an index over words, with their types.
    package var searchableFields: [String: FieldType] {
        fields.filter { $0.value.isSearched && indexes[$0.key]?.contains(.searchable) == true }
    }

    /// By what changes of its records are logged with their values; nil: nobody watches the type, and its changes cost
    /// nothing on this account.
    package private(set) var logLayout: RecordLayout?

    /// Whether changes of its records are logged with their values.
    package var isWatched: Bool { logLayout != nil }

    /// Has changes of its records logged with their values. To be said when all fields are there.
    package mutating func watch() { logLayout = RecordLayout(logging: self) }

    /// A type with those fields.
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

    /// The type by which a field's values are stored, hidden or not.
    package func storedType(of field: String) -> FieldType? { fields[field] ?? hiddenFields[field] }

    /// What the schema language says of the type.
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
