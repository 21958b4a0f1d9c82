internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing

/// `assets.holders`, for the asset service: which databases of an environment have records that use given blobs.
///
/// `{container, environment, blobs, after?}` → `{holders, after?}`; `after` is given back for the next page. None where
/// there is no such environment. Costs a look at every use of the blobs.
struct AssetHoldersOperation: Sendable {
    let store: RecordStore

    private static let maxBlobs = 1000
    private static let pageSize = 5000

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let container = body["container"]?.string else { throw ServerError.missingKey("container") }
        guard let environment = body["environment"]?.string else { throw ServerError.missingKey("environment") }
        let blobs = try Self.blobs(in: body)
        let after = (blob: body["after"]?["blob"]?.int ?? .min, database: body["after"]?["database"]?.int ?? .min)
        let rows = try await store.pool.withConnection { connection -> PostgresResult? in
            let row = try await connection.query(
                """
                select e.id from record.environment e join record.container c on c.id = e.container
                where c.name = $1 and e.name = $2
                """, [.text(container), .text(environment)]
            ).first
            guard let row else { return nil }
            let uses = AssetUseTable(EnvironmentRow(row.int32(0)))
            return try await connection.pipeline([uses.holders(of: blobs, after: after, limit: Self.pageSize)])[0]
        }
        return Answer { writer in
            writer.key("holders")
            writer.array(rows.map(Array.init) ?? []) { writer, row in
                writer.object { writer in
                    writer.member("blob", row.int64(0))
                    writer.member("database", DatabaseScope(rawValue: row.int16(2))?.wireName)
                    writer.member("owner", row.string(3))
                }
            }
            if let rows, rows.count == Self.pageSize, let last = rows.last {
                writer.key("after")
                writer.object { writer in
                    writer.member("blob", last.int64(0))
                    writer.member("database", last.int64(1))
                }
            }
        }
    }

    private static func blobs(in body: JSONValue) throws(ServerError) -> [Int64] {
        guard let elements = body["blobs"]?.array else { throw .missingKey("blobs") }
        guard elements.count <= maxBlobs else { throw .tooMany("blobs", limit: maxBlobs, actual: elements.count) }
        let blobs = elements.compactMap(\.int)
        guard blobs.count == elements.count else { throw .wrongKind("blobs", expected: "a list of whole numbers") }
        return blobs
    }
}
