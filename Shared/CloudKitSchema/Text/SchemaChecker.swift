internal import CloudKitModel

/// A checker for the rules that the grammar does not cover: names, duplicates, system fields, indexes, roles and
/// limits.
struct SchemaChecker {
    private let roles: Set<String>

    /// Checks all of `schema`.
    ///
    /// - Throws: The first error found. Roles are checked first, and then record types in the order of the text.
    static func check(_ schema: SchemaSyntax) throws(SchemaError) {
        try checkCount(schema.roles, atMost: SchemaLimits.maxRoles, "roles") { $0.position }
        for role in schema.roles { try checkRoleName(role) }
        try checkDistinct(schema.roles, "role")
        let checker = SchemaChecker(
            roles: Set(schema.roles.map(\.text)).union(SystemRole.allCases.map(\.rawValue)))

        try checkCount(schema.recordTypes, atMost: SchemaLimits.maxRecordTypes, "record types") { $0.name.position }
        try checkDistinct(schema.recordTypes.map(\.name), "record type")
        for type in schema.recordTypes { try checker.check(type) }
    }

    private func check(_ type: SchemaSyntax.RecordType) throws(SchemaError) {
        try Self.naming(type.name) { name throws(ValidationError) in _ = try RecordTypeName(validating: name) }
        let fields = type.fields.filter { SystemField(rawValue: $0.name.text) == nil }
        try Self.checkCount(fields, atMost: SchemaLimits.maxFields, "fields of a record type") { $0.name.position }
        try Self.checkDistinct(type.fields.map(\.name), "field")
        for field in type.fields { try Self.check(field, of: type.name.text) }
        var granted: [String: Permissions] = [:]
        for grant in type.grants { try check(grant, granted: &granted[grant.role.text, default: []]) }
    }

    private static func check(_ field: SchemaSyntax.Field, of type: String) throws(SchemaError) {
        let name = field.name.text
        if let fixed = SystemField.type(of: name, in: type) {
            guard field.type.meaning == fixed else {
                throw SchemaError(
                    "The type of the system field '\(name)' is \(fixed.schemaSpelling)", at: field.type.position)
            }
        } else {
            let isOfShare = type == RecordTypeName.share.rawValue
            try naming(field.name) { name throws(ValidationError) in
                _ = isOfShare ? try FieldName(validatingOfShare: name) : try FieldName(validating: name)
            }
        }
        var given: FieldIndexes = []
        for index in field.indexes {
            let keyword = index.meaning.keywords.joined()
            guard given.insert(index.meaning).inserted else {
                throw SchemaError("The field '\(name)' is declared \(keyword) twice", at: index.position)
            }
            guard field.type.meaning.declarableIndexes.contains(index.meaning) else {
                throw SchemaError(
                    "The field '\(name)' of type \(field.type.meaning.schemaSpelling) cannot be \(keyword)",
                    at: index.position)
            }
        }
    }

    private func check(_ grant: SchemaSyntax.Grant, granted: inout Permissions) throws(SchemaError) {
        guard roles.contains(grant.role.text) else {
            throw SchemaError("The role '\(grant.role.text)' does not exist", at: grant.role.position)
        }
        for permission in grant.permissions where !granted.insert(permission.meaning).inserted {
            throw SchemaError(
                "\(permission.meaning.keywords.joined()) is granted to '\(grant.role.text)' twice",
                at: permission.position)
        }
    }
}

extension SchemaChecker {
    /// Checks a role's name, which can be any text that is not reserved for the system.
    private static func checkRoleName(_ role: SchemaSyntax.Name) throws(SchemaError) {
        guard !role.text.isEmpty else { throw SchemaError("A role's name must not be empty", at: role.position) }
        guard !role.text.hasPrefix("_") else {
            throw SchemaError(
                "The role '\(role.text)' is reserved: names that begin with '_' belong to the system",
                at: role.position)
        }
        guard role.text.utf8.count <= SchemaLimits.maxRoleBytes else {
            throw SchemaError("A role's name must not exceed \(SchemaLimits.maxRoleBytes) bytes", at: role.position)
        }
        guard role.text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw SchemaError("A role's name must not contain control characters", at: role.position)
        }
    }

    private static func naming(
        _ name: SchemaSyntax.Name, _ rule: (String) throws(ValidationError) -> Void
    ) throws(SchemaError) {
        do {
            try rule(name.text)
        } catch {
            throw SchemaError(error.reason, at: name.position)
        }
    }

    private static func checkDistinct(_ names: [SchemaSyntax.Name], _ kind: String) throws(SchemaError) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name.text).inserted {
            throw SchemaError("The \(kind) '\(name.text)' is defined twice", at: name.position)
        }
    }

    private static func checkCount<Item>(
        _ items: [Item], atMost limit: Int, _ kind: String, position: (Item) -> SourcePosition
    ) throws(SchemaError) {
        guard items.count > limit else { return }
        throw SchemaError("There are more than \(limit) \(kind)", at: position(items[limit]))
    }
}
