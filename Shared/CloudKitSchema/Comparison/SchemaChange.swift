package import CloudKitModel

/// One difference between two schemas.
package enum SchemaChange: Hashable, Sendable {
    case roleAdded(String)
    case roleRemoved(String)
    /// A type was added. Its fields and grants are separate changes.
    case typeAdded(String)
    /// A type was removed, together with its fields, indexes and grants.
    case typeRemoved(String)
    /// A field was added, together with its indexes.
    case fieldAdded(type: String, FieldDefinition)
    /// A field was removed, together with its indexes.
    case fieldRemoved(type: String, FieldDefinition)
    case fieldTypeChanged(type: String, field: String, from: FieldType, to: FieldType)
    /// A preference was added to a NUMBER field that had none. Any other change of preference is a change of type.
    case numberPreferenceAdded(type: String, field: String, FieldType.NumberPreference)
    /// One kind of index was added to an existing field.
    case indexAdded(type: String, field: String, FieldIndexes)
    /// One kind of index was removed from a field that remains.
    case indexRemoved(type: String, field: String, FieldIndexes)
    case grantAdded(type: String, GrantDefinition)
    case grantRemoved(type: String, GrantDefinition)
    case grantChanged(type: String, from: GrantDefinition, to: GrantDefinition)

    /// Whether the new schema makes stored values unreachable. Other changes affect only speed or access.
    package var losesData: Bool {
        switch self {
        case .typeRemoved, .fieldRemoved, .fieldTypeChanged: true
        default: false
        }
    }

    /// The change's name in replies, e.g. `fieldAdded`.
    package var kind: String {
        switch self {
        case .roleAdded: "roleAdded"
        case .roleRemoved: "roleRemoved"
        case .typeAdded: "typeAdded"
        case .typeRemoved: "typeRemoved"
        case .fieldAdded: "fieldAdded"
        case .fieldRemoved: "fieldRemoved"
        case .fieldTypeChanged: "fieldTypeChanged"
        case .numberPreferenceAdded: "numberPreferenceAdded"
        case .indexAdded: "indexAdded"
        case .indexRemoved: "indexRemoved"
        case .grantAdded: "grantAdded"
        case .grantRemoved: "grantRemoved"
        case .grantChanged: "grantChanged"
        }
    }

    /// The record type that changes; nil if the change concerns the list of roles.
    package var recordType: String? {
        switch self {
        case .roleAdded, .roleRemoved: nil
        case .typeAdded(let type), .typeRemoved(let type), .fieldAdded(let type, _), .fieldRemoved(let type, _),
            .fieldTypeChanged(let type, _, _, _), .numberPreferenceAdded(let type, _, _),
            .indexAdded(let type, _, _), .indexRemoved(let type, _, _), .grantAdded(let type, _),
            .grantRemoved(let type, _), .grantChanged(let type, _, _):
            type
        }
    }

    /// The field that changes; nil if the change does not concern a field.
    package var field: String? {
        switch self {
        case .fieldAdded(_, let field), .fieldRemoved(_, let field): field.name
        case .fieldTypeChanged(_, let field, _, _), .numberPreferenceAdded(_, let field, _),
            .indexAdded(_, let field, _), .indexRemoved(_, let field, _):
            field
        default: nil
        }
    }

    /// The role that is added or removed, or whose permissions change; nil if the change does not concern a role.
    package var role: String? {
        switch self {
        case .roleAdded(let role), .roleRemoved(let role): role
        case .grantAdded(_, let grant), .grantRemoved(_, let grant), .grantChanged(_, _, let grant): grant.role
        default: nil
        }
    }
}

extension SchemaChange: CustomStringConvertible {
    /// The change on one line, in human-readable form: `+` for additions, `-` for removals, `~` for modifications.
    package var description: String {
        switch self {
        case .roleAdded(let role): "+ ROLE \(role)"
        case .roleRemoved(let role): "- ROLE \(role)"
        case .typeAdded(let type): "+ RECORD TYPE \(type)"
        case .typeRemoved(let type): "- RECORD TYPE \(type)"
        case .fieldAdded(let type, let field): "+ \(type).\(field.name) \(field.schemaSpelling)"
        case .fieldRemoved(let type, let field): "- \(type).\(field.name) \(field.schemaSpelling)"
        case .fieldTypeChanged(let type, let field, let old, let new):
            "~ \(type).\(field) \(old.schemaSpelling) becomes \(new.schemaSpelling)"
        case .numberPreferenceAdded(let type, let field, let preference):
            "~ \(type).\(field) NUMBER becomes \(FieldType.number(preferredAs: preference).schemaSpelling)"
        case .indexAdded(let type, let field, let index):
            "+ index \(index.keywords.joined(separator: " ")) on \(type).\(field)"
        case .indexRemoved(let type, let field, let index):
            "- index \(index.keywords.joined(separator: " ")) on \(type).\(field)"
        case .grantAdded(let type, let grant): "+ \(grant.schemaSpelling) on \(type)"
        case .grantRemoved(let type, let grant): "- \(grant.schemaSpelling) on \(type)"
        case .grantChanged(let type, let old, let new):
            "~ \(new.schemaSpelling) on \(type), was \(old.permissions.keywords.joined(separator: ", "))"
        }
    }
}
