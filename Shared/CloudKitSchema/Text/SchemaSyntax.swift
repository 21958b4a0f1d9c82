internal import CloudKitModel

/// The syntax tree of a schema's text. Every item has its position. Only the grammar has been checked.
struct SchemaSyntax {
    /// A name and its position.
    struct Name {
        var text: String
        var position: SourcePosition
    }

    /// A keyword's meaning and its position.
    struct Keyword<Meaning> {
        var meaning: Meaning
        var position: SourcePosition
    }

    struct Field {
        var name: Name
        var type: Keyword<FieldType>
        var indexes: [Keyword<FieldIndexes>] = []
    }

    struct Grant {
        var permissions: [Keyword<Permissions>] = []
        var role: Name
    }

    struct RecordType {
        var name: Name
        var fields: [Field] = []
        var grants: [Grant] = []
    }

    var roles: [Name] = []
    var recordTypes: [RecordType] = []
}

extension SchemaDefinition {
    /// Creates the definition from a checked syntax tree.
    init(_ syntax: SchemaSyntax) {
        self.init(roles: syntax.roles.map(\.text), recordTypes: syntax.recordTypes.map(RecordTypeDefinition.init))
    }
}

extension RecordTypeDefinition {
    fileprivate init(_ syntax: SchemaSyntax.RecordType) {
        self.init(
            name: syntax.name.text,
            fields: syntax.fields.map { field in
                FieldDefinition(
                    name: field.name.text, type: field.type.meaning, indexes: FieldIndexes(field.indexes.map(\.meaning))
                )
            },
            grants: syntax.grants.map { grant in
                GrantDefinition(role: grant.role.text, permissions: Permissions(grant.permissions.map(\.meaning)))
            })
    }
}
