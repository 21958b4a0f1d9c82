package import CloudKitModel

/// A record type with its fields, including the system fields, and the permissions on its records in the public
/// database.
package struct RecordTypeDefinition: Hashable, Sendable {
    /// The type's name, e.g. `Note`.
    package let name: String
    /// The fields: first those of `SystemField`, which every type has, then the type's own fields. Both groups are
    /// sorted by name.
    package let fields: [FieldDefinition]
    /// The grants, sorted by role. Each role has at most one grant, and each grant contains at least one permission. A
    /// type without grants cannot be used in the public database.
    package let grants: [GrantDefinition]

    /// Creates a type with `fields` and `grants` in any order. Adds each system field that is missing from `fields`,
    /// without an index. Merges several grants to the same role.
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
    /// The field's indexes, which determine what queries can do with the field.
    package var indexes: FieldIndexes

    /// Creates a field.
    package init(name: String, type: FieldType, indexes: FieldIndexes = []) {
        self.name = name
        self.type = type
        self.indexes = indexes
    }

    /// Whether the field is one of `SystemField`.
    package var isSystem: Bool { SystemField(rawValue: name) != nil }
}

/// The permissions of a role on records of a type in the public database.
package struct GrantDefinition: Hashable, Sendable {
    /// The role's name: a `SystemRole` or one of the schema's `roles`.
    package var role: String
    /// The permissions of the role's members.
    package var permissions: Permissions

    /// Creates a grant.
    package init(role: String, permissions: Permissions) {
        self.role = role
        self.permissions = permissions
    }

    /// The grants of a type that was created by saving a record. They allow users to use the type in the public
    /// database.
    package static let ofInferredTypes = [
        GrantDefinition(role: SystemRole.creator.rawValue, permissions: .write),
        GrantDefinition(role: SystemRole.icloud.rawValue, permissions: .create),
        GrantDefinition(role: SystemRole.world.rawValue, permissions: .read),
    ]
}
