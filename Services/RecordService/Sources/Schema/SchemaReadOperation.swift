internal import AMQPClient
internal import CloudKitModel
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `schema.export` and `schema.validate`, for operators. These operations change nothing.
struct SchemaReadOperation: Sendable {
    let pool: PostgresPool
    let schema: SchemaStore

    /// `{container, environment}` → `{schema, version}`.
    func export(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let schema = try await pool.withConnection { connection in
            let environment = try await body.environment(on: connection)
            return try await self.schema.load(environment, on: connection)
        }
        return Answer { writer in
            writer.member("schema", schema.definition.formatted())
            writer.member("version", schema.version)
        }
    }

    /// `{container, schema}` → `{isValid, errorMessage?, line?, column?, changes, warnings}`: checks an import, and
    /// returns the changes that it would make.
    func validate(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let text = body["schema"]?.string else { throw ServerError.missingKey("schema") }
        let (development, production) = try await pool.withConnection { connection in
            let environments = try await body.environments(on: connection)
            return (
                try await self.schema.load(environments.development, on: connection),
                try await self.schema.load(environments.production, on: connection)
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
