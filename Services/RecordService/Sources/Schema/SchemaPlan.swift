internal import CloudKitModel
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// What an import or a deploy is about to do, checked.
struct SchemaPlan {
    /// The schema to come.
    let definition: SchemaDefinition
    /// What becomes another.
    let changes: [SchemaChange]

    /// An import of `text` into development (semantics 3.4).
    ///
    /// - Throws: `BAD_REQUEST`: the text is not valid, or loses something that production has.
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

    /// A deploy: production becomes what development is, and keeps the roles and grants that only production has
    /// (semantics 3.3). Of what it has, only indexes go.
    ///
    /// - Throws: `BAD_REQUEST`: development lacks something that production has.
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

extension WireWriter {
    /// Writes `changes`, each with a line for people.
    mutating func schemaChanges(_ changes: [SchemaChange]) {
        key("changes")
        array(changes) { writer, change in
            writer.object { writer in
                writer.member("change", change.kind)
                writer.member("recordType", change.recordType)
                writer.member("field", change.field)
                writer.member("role", change.role)
                writer.member("text", change.description)
            }
        }
    }
}

extension WireWriter {
    /// Writes what a schema says without effect, a sentence each.
    mutating func schemaWarnings(_ warnings: [String]) {
        key("warnings")
        array(warnings) { $0.string($1) }
    }
}

extension ServerError {
    /// A schema's text that cannot be read, or says what cannot be.
    static func schemaInvalid(_ error: SchemaError) -> ServerError {
        var invalid = ServerError(.schemaInvalid, error.message, field: "schema")
        (invalid.line, invalid.column) = (error.line, error.column)
        return invalid
    }

    /// A schema without something that production has.
    static func losesData(_ change: SchemaChange) -> ServerError {
        ServerError(
            .schemaLosesData, "The schema would lose what production has: \(change)",
            field: [change.recordType, change.field].compactMap { $0 }.joined(separator: "."))
    }
}
