internal import AMQPClient
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing

/// `schema.status`, for operators: `{container, environment}` → `{version, recordTypes, fields, indexes, warnings}`. An
/// index that serves several kinds is told once, with all of them.
struct SchemaStatusOperation: Sendable {
    /// Past so many, writing suffers (DESIGN 3).
    private static let manyIndexes = 250

    let store: RecordStore

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let (schema, indexes) = try await store.pool.withConnection { connection in
            let environment = try await ContainerEnvironments.find(body, on: connection).named(body)
            let indexes = try await connection.pipeline([IndexTable.status(environment)])[0]
            return (try await store.schema.load(environment, on: connection), indexes)
        }
        let types = schema.allTypes.values.filter { !$0.isHidden }
        return Answer { writer in
            writer.member("version", schema.version)
            writer.member("recordTypes", types.count)
            writer.member("fields", types.reduce(0) { $0 + $1.fields.count })
            writer.key("indexes")
            writer.array(indexes) { writer, row in
                writer.object { writer in
                    writer.member("recordType", row.string(0))
                    writer.member("field", row.string(1))
                    writer.member("kind", FieldIndexes(rawValue: row.int16(2)).keywords.joined(separator: " "))
                    writer.member("method", row.string(9))
                    writer.member("name", row.string(3))
                    writer.member("state", row.string(4))
                    writer.key("progress")
                    writer.double(row.double(5))
                    writer.member("bytes", row.int64(6))
                    writer.member("scans", row.int64(7))
                    writer.member("lastError", row.stringIfPresent(8))
                }
            }
            writer.key("warnings")
            writer.array(warnings(built: indexes.count { $0.int64(6) > 0 })) { $0.string($1) }
        }
    }

    private func warnings(built: Int) -> [String] {
        guard built > Self.manyIndexes else { return [] }
        return [
            "\(built) indexes slow every save down; from \(Self.manyIndexes) on it is felt. Drop those that no query uses"
        ]
    }
}
