internal import CloudKitModel
internal import CloudKitSchema
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// The validated but not yet written result of an import or a deployment.
struct SchemaPlan {
    /// The new schema.
    let definition: SchemaDefinition
    /// The differences from the current schema.
    let changes: [SchemaChange]

    /// Plans an import of `text` into development (semantics 3.4).
    ///
    /// - Throws: `BAD_REQUEST` if the text is invalid or lacks a part of the production schema.
    init(importing text: String, into development: EnvironmentSchema, production: EnvironmentSchema)
        throws(ServerError)
    {
        do {
            definition = try SchemaDefinition(parsing: text)
        } catch {
            throw .schemaInvalid(error)
        }
        if let loss = SchemaDiff(from: production.definition, to: definition).losses.first { throw .losesData(loss) }
        changes = SchemaDiff(from: development.definition, to: definition).changes
    }

    /// Plans a deployment. Production receives the development schema, and keeps the roles and grants that development
    /// lacks (semantics 3.3). Production loses only indexes.
    ///
    /// - Throws: `BAD_REQUEST` if development lacks a part of the production schema.
    init(deploying development: EnvironmentSchema, to production: EnvironmentSchema) throws(ServerError) {
        let (source, target) = (development.definition, production.definition)
        if let loss = SchemaDiff(from: target, to: source).losses.first { throw .losesData(loss) }
        let kept = Dictionary(target.recordTypes.map { ($0.name, $0.grants) }, uniquingKeysWith: { first, _ in first })
        definition = SchemaDefinition(
            roles: Set(source.roles).union(target.roles).sorted(),
            recordTypes: source.recordTypes.map { type in
                RecordTypeDefinition(
                    name: type.name, fields: type.fields, grants: type.grants + (kept[type.name] ?? []))
            })
        changes = SchemaDiff(from: target, to: definition).changes
    }
}

extension ServerError {
    /// Returns the error for a schema whose text cannot be parsed or is invalid.
    static func schemaInvalid(_ error: SchemaError) -> ServerError {
        var invalid = ServerError(.schemaInvalid, error.message, field: "schema")
        (invalid.line, invalid.column) = (error.line, error.column)
        return invalid
    }

    /// Returns the error for a schema that lacks a part of the production schema.
    static func losesData(_ change: SchemaChange) -> ServerError {
        ServerError(
            .schemaLosesData, "The schema does not contain all of the production schema: \(change)",
            field: [change.recordType, change.field].compactMap { $0 }.joined(separator: "."))
    }
}
