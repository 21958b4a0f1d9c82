internal import CloudKitModel
internal import CloudKitSchema
internal import OperatorMessages
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `schema.export` and `schema.validate`, for operators. These operations change nothing.
struct SchemaReadOperation: Sendable {
    let pool: PostgresPool
    let schema: SchemaStore

    /// Answers with the schema of an environment.
    func export(_ request: OpenedRequest) async throws -> Answer {
        let body = try SchemaExportRequest(request)
        let schema = try await pool.withConnection { connection in
            let environments = try await ContainerEnvironments.find(body.container, on: connection)
            return try await self.schema.load(environments[body.environment], on: connection)
        }
        return Answer(
            SchemaExportRequest.Answer(schema: schema.definition.formatted(), version: schema.version))
    }

    /// Checks an import, and answers with the changes that it would make.
    func validate(_ request: OpenedRequest) async throws -> Answer {
        let body = try SchemaValidateRequest(request)
        let (development, production) = try await pool.withConnection { connection in
            let environments = try await ContainerEnvironments.find(body.container, on: connection)
            return (
                try await self.schema.load(environments.development, on: connection),
                try await self.schema.load(environments.production, on: connection)
            )
        }
        let answer: SchemaValidateRequest.Answer
        do throws(ServerError) {
            let plan = try SchemaPlan(importing: body.schema, into: development, production: production)
            answer = SchemaValidateRequest.Answer(changes: plan.changes, warnings: plan.definition.warnings)
        } catch {
            answer = SchemaValidateRequest.Answer(error)
        }
        return Answer(answer)
    }
}
