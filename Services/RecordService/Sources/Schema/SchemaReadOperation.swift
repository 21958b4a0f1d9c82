internal import AMQPClient
internal import CloudKitModel
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing

/// `schema.export` and `schema.validate`, for operators: nothing is changed.
struct SchemaReadOperation: Sendable {
    let store: RecordStore

    /// `{container, environment}` → `{schema, version}`.
    func export(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let schema = try await store.pool.withConnection { connection in
            let environment = try await ContainerEnvironments.find(body, on: connection).named(body)
            return try await store.schema.load(environment, on: connection)
        }
        return Answer { writer in
            writer.member("schema", schema.definition.formatted())
            writer.member("version", schema.version)
        }
    }

    /// `{container, schema}` → `{isValid, errorMessage?, line?, column?, changes, warnings}`: what an import would do.
    func validate(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let text = body["schema"]?.string else { throw ServerError.missingKey("schema") }
        let (development, production) = try await store.pool.withConnection { connection in
            let environments = try await ContainerEnvironments.find(body, on: connection)
            return (
                try await store.schema.load(environments.development, on: connection),
                try await store.schema.load(environments.production, on: connection)
            )
        }
        let plan: Result<SchemaPlan, ServerError>
        do throws(ServerError) {
            plan = .success(try SchemaPlan(importing: text, into: development, production: production))
        } catch {
            plan = .failure(error)
        }
        return Answer { writer in
            switch plan {
            case .success(let plan):
                writer.member("isValid", true)
                writer.schemaChanges(plan.changes)
                writer.schemaWarnings(plan.definition.warnings)
            case .failure(let error):
                writer.member("isValid", false)
                writer.member("errorMessage", error.reason)
                writer.member("line", error.line)
                writer.member("column", error.column)
                writer.schemaChanges([])
                writer.schemaWarnings([])
            }
        }
    }
}
