internal import AMQPClient
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `schema.status`, for operators: `{container, environment}` → `{version, recordTypes, fields, indexes, warnings}`. An
/// index that serves several kinds is listed once, with all its kinds.
struct SchemaStatusOperation: Sendable {
    /// The number of indexes above which writes become noticeably slower.
    private static let manyIndexes = 250

    let pool: PostgresPool
    let schema: SchemaStore

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let (schema, indexes) = try await pool.withConnection { connection in
            let environment = try await body.environment(on: connection)
            let indexes = IndexTable.status(try await connection.pipeline([IndexTable.status(environment)])[0])
            return (try await self.schema.load(environment, on: connection), indexes)
        }
        let types = schema.allTypes.values.filter { !$0.isHidden }
        return Answer { writer in
            writer.member("version", schema.version)
            writer.member("recordTypes", types.count)
            writer.member("fields", types.reduce(0) { $0 + $1.fields.count })
            writer.key("indexes")
            writer.array(indexes) { writer, index in
                writer.object { writer in
                    writer.member("recordType", index.recordType)
                    writer.member("field", index.field)
                    writer.member("kind", index.kinds.keywords.joined(separator: " "))
                    writer.member("method", index.method)
                    writer.member("name", index.name)
                    writer.member("state", index.state)
                    writer.key("progress")
                    writer.double(index.progress)
                    writer.member("bytes", index.bytes)
                    writer.member("scans", index.scans)
                    writer.member("lastError", index.lastError)
                }
            }
            writer.key("warnings")
            writer.array(warnings(built: indexes.count { $0.bytes > 0 })) { $0.string($1) }
        }
    }

    private func warnings(built: Int) -> [String] {
        guard built > Self.manyIndexes else { return [] }
        return [
            "There are \(built) indexes; more than \(Self.manyIndexes) slow down every save noticeably. Drop unused indexes"
        ]
    }
}
