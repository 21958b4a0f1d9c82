internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `assets.holders`, for the asset service: the databases in one environment whose records use the given blobs.
///
/// `{container, environment, blobs, after?}` → `{holders, after?}`. The request for the next page repeats the `after`
/// of the answer. There are no holders if the environment does not exist. Each request looks up all uses of the blobs.
struct AssetHoldersOperation: Sendable {
    let pool: PostgresPool

    private static let maxBlobs = 1000
    private static let pageSize = 5000

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let container = body["container"]?.string else { throw ServerError.missingKey("container") }
        guard let environment = body["environment"]?.string else { throw ServerError.missingKey("environment") }
        let blobs = try body.blobs(limit: Self.maxBlobs)
        let after = (blob: body["after"]?["blob"]?.int ?? .min, database: body["after"]?["database"]?.int ?? .min)
        let holders = try await pool.withConnection { connection -> [AssetUseTable.Holder] in
            guard let environment = EnvironmentName(rawValue: environment) else { return [] }
            let found = try await connection.pipeline([
                EnvironmentTable.find(container: container, environment: environment)
            ])
            guard let row = EnvironmentTable.row(found[0]) else { return [] }
            let call = AssetUseTable(row).holders(of: blobs, after: after, limit: Self.pageSize)
            return AssetUseTable.holders(try await connection.pipeline([call])[0])
        }
        return Answer { writer in
            writer.key("holders")
            writer.array(holders) { writer, holder in
                writer.object { writer in
                    writer.member("blob", holder.blob)
                    writer.member("database", holder.scope?.wireName)
                    writer.member("owner", holder.owner)
                }
            }
            if holders.count == Self.pageSize, let last = holders.last {
                writer.key("after")
                writer.object { writer in
                    writer.member("blob", last.blob)
                    writer.member("database", last.database)
                }
            }
        }
    }
}
