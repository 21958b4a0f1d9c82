internal import CloudKitModel
internal import CloudKitSchema
internal import OperatorMessages
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `schema.import`, `schema.deploy` and `schema.reset`, for operators. Each runs in one transaction, during which no
/// other transaction uses the schema.
struct SchemaChangeOperation: Sendable {
    let directory: ZoneDirectory
    let ledger: RequestLedger

    /// Replaces the development schema with the schema in the request. If this fails, nothing is changed.
    func importText(_ request: OpenedRequest) async throws -> Answer {
        let body = try SchemaImportRequest(request)
        return try await ledger.once(request, environment: 0) { connection in
            let environments = try await ContainerEnvironments.find(body.container, on: connection)
            // The production schema changes only under the locks on both environments, so this lock also prevents
            // changes to production.
            _ = try await connection.pipeline([SchemaLock.exclusive(environments.development)])
            let (development, production) = try await schemas(of: environments, on: connection)
            let plan = try SchemaPlan(importing: body.schema, into: development, production: production)
            guard !plan.changes.isEmpty else { return Self.answer(development.version, [], of: plan.definition) }
            let version = try await SchemaTable(environments.development).replace(
                development, with: plan.definition, on: connection)
            try await IndexTable(environments.development).keep(
                indexesOf: try await schema(of: environments.development, on: connection), since: development,
                on: connection)
            return Self.answer(version, plan.changes, of: plan.definition)
        }
    }

    /// Extends the production schema with the parts that only the development schema contains. New indexes are built in
    /// the background.
    func deploy(_ request: OpenedRequest) async throws -> Answer {
        let body = try SchemaDeployRequest(request)
        let isDryRun = body.dryRun ?? false
        return try await ledger.once(request, environment: 0) { connection in
            let environments = try await ContainerEnvironments.find(body.container, on: connection)
            if !isDryRun { try await environments.lock(on: connection) }
            let (development, production) = try await schemas(of: environments, on: connection)
            let plan = try SchemaPlan(deploying: development, to: production)
            guard !isDryRun, !plan.changes.isEmpty else {
                return Self.answer(production.version, plan.changes, of: plan.definition)
            }
            let version = try await SchemaTable(environments.production).replace(
                production, with: plan.definition, on: connection)
            try await IndexTable(environments.production).want(
                indexesOf: try await schema(of: environments.production, on: connection), since: production,
                on: connection)
            return Self.answer(version, plan.changes, of: plan.definition)
        }
    }

    /// Deletes the data in development and replaces its schema with the production schema. The rows are removed in the
    /// background.
    func reset(_ request: OpenedRequest) async throws -> Answer {
        let body = try SchemaResetRequest(request)
        let answer = try await ledger.once(request, environment: 0) { connection in
            let environments = try await ContainerEnvironments.find(body.container, on: connection)
            try await environments.lock(on: connection)
            let (development, production) = try await schemas(of: environments, on: connection)
            let made = try await ContainerStore.reset(
                environments.development, schema: production.definition, on: connection)
            return Self.answer(
                try await schema(of: made, on: connection).version,
                SchemaDiff(from: development.definition, to: production.definition).changes,
                of: production.definition)
        }
        directory.forget(container: body.container)
        return answer
    }

    /// Reads a schema. The schema store is not used, because it caches every schema that it reads, and this transaction
    /// might be rolled back.
    private func schema(of environment: EnvironmentRow, on connection: PostgresConnection) async throws
        -> EnvironmentSchema
    {
        let result = try await connection.pipeline([EnvironmentSchema.read(environment)])
        guard let schema = EnvironmentSchema(result[0]) else { throw PostgresError.environmentGone }
        return schema
    }

    private func schemas(of environments: ContainerEnvironments, on connection: PostgresConnection) async throws
        -> (development: EnvironmentSchema, production: EnvironmentSchema)
    {
        (
            try await schema(of: environments.development, on: connection),
            try await schema(of: environments.production, on: connection)
        )
    }

    private static func answer(_ version: Int64, _ changes: [SchemaChange], of schema: SchemaDefinition) -> Answer {
        Answer(SchemaChangeAnswer(version: version, changes: changes, warnings: schema.warnings))
    }
}
