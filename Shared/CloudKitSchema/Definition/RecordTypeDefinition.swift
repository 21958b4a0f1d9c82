package import CloudKitModel

/// A record type: its fields, the system's included, and who may do what with its records in the public database.
package struct RecordTypeDefinition: Hashable, Sendable {
    /// The type's name, e.g. `Note`.
    package let name: String
    /// The fields: first the six of `SystemField`, which every type has, then the type's own; both sorted by name.
    package let fields: [FieldDefinition]
    /// At most one for each role, sorted by role, none without a permission. Without any of them nobody can use the
    /// type in the public database.
    package let grants: [GrantDefinition]

    /// A type with `fields` and `grants` in any order. A system field that `fields` leaves out is added without an
    /// index; several grants to one role become one.
    package init(name: String, fields: [FieldDefinition] = [], grants: [GrantDefinition] = []) {
        self.name = name
        let systemFields = SystemField.allCases.map { field in
            fields.first { $0.name == field.rawValue } ?? FieldDefinition(name: field.rawValue, type: field.type)
        }
        self.fields = systemFields + fields.filter { !$0.isSystem }.sorted { $0.name < $1.name }
        self.grants = Dictionary(grants.map { ($0.role, $0.permissions) }, uniquingKeysWith: { $0.union($1) })
            .filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            .map { GrantDefinition(role: $0.key, permissions: $0.value) }
    }
}

/// A field of a record type.
package struct FieldDefinition: Hashable, Sendable {
    /// The field's name, e.g. `title` or `___recordID`.
    package var name: String
    /// The type of the field's values.
    package var type: FieldType
    /// What queries may do with the field.
    package var indexes: FieldIndexes

    /// A field.
    package init(name: String, type: FieldType, indexes: FieldIndexes = []) {
        self.name = name
        self.type = type
        self.indexes = indexes
    }

    /// Whether the field is one of `SystemField`.
    package var isSystem: Bool { SystemField(rawValue: name) != nil }
}

/// What the members of a role may do with records of a type in the public database.
package struct GrantDefinition: Hashable, Sendable {
    /// The role's name: one of `SystemRole` or of the schema's `roles`.
    package var role: String
    /// What its members may do.
    package var permissions: Permissions

    /// A grant.
    package init(role: String, permissions: Permissions) {
        self.role = role
        self.permissions = permissions
    }

    /// The grants of a type that saving a record made: its users can use it in the public database.
    package static let ofLearntTypes = [
        GrantDefinition(role: SystemRole.creator.rawValue, permissions: .write),
        GrantDefinition(role: SystemRole.icloud.rawValue, permissions: .create),
        GrantDefinition(role: SystemRole.world.rawValue, permissions: .read),
    ]
}
