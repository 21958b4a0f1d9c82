internal import CloudKitSchema
internal import OperatorMessages
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `schema.status`, for operators: the size of a schema and the state of its indexes. An index that serves several
/// kinds of queries is listed once, with all of these kinds.
struct SchemaStatusOperation: Sendable {
    /// The number of indexes above which writes become noticeably slower.
    private static let manyIndexes = 250

    let pool: PostgresPool
    let schema: SchemaStore

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try SchemaStatusRequest(request)
        let (schema, indexes) = try await pool.withConnection { connection in
            let environments = try await ContainerEnvironments.find(body.container, on: connection)
            let environment = environments[body.environment]
            let indexes = IndexTable.status(try await connection.pipeline([IndexTable.status(environment)])[0])
            return (try await self.schema.load(environment, on: connection), indexes)
        }
        let types = schema.allTypes.values.filter { !$0.isHidden }
        return Answer(
            SchemaStatusRequest.Answer(
                version: schema.version, recordTypes: types.count, fields: types.reduce(0) { $0 + $1.fields.count },
                indexes: indexes.map(SchemaStatusRequest.Index.init),
                warnings: warnings(built: indexes.count { $0.bytes > 0 })))
    }

    private func warnings(built: Int) -> [String] {
        guard built > Self.manyIndexes else { return [] }
        return [
            "There are \(built) indexes; more than \(Self.manyIndexes) noticeably slow down every save. Drop unused indexes"
        ]
    }
}

extension SchemaStatusRequest.Index {
    fileprivate init(_ index: IndexTable.Status) {
        self.init(
            recordType: index.recordType, field: index.field, kind: index.kinds.keywords.joined(separator: " "),
            method: index.method, name: index.name, state: index.state, progress: index.progress, bytes: index.bytes,
            scans: index.scans, lastError: index.lastError)
    }
}
