internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing

/// What refers to the asset service's blobs. Uses in deleted zones count until the ``Reclaimer`` has removed them, as they
/// do for the foreign key.
struct AssetUsesOperation: Sendable {
    let store: RecordStore

    private static let maxBlobs = 10_000
    private static let defaultReferences = 200
    private static let maxReferences = 1000

    private struct Environment {
        let row: EnvironmentRow
        let name: String
        var uses: AssetUseTable { AssetUseTable(row) }
    }

    /// `assets.used`, for the asset service: `{container, blobs}` → `{used}`, those of the blobs that any record of the
    /// container's environments refers to; none where there is no such container, which may have been deleted. With
    /// `{environment, database, owner}` it is those that a record of that database refers to, as far as
    /// ``AssetUseTable/used(_:by:owner:)`` looks.
    func used(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let container = try Self.container(in: body)
        let blobs = try Self.blobs(in: body)
        let rows: [PostgresRow]
        if let database = body["database"], !database.isNull {
            guard let scope = database.string.flatMap(DatabaseScope.init(wireName:)) else {
                throw ServerError.wrongKind("database", expected: "'public' or 'private'")
            }
            guard let owner = body["owner"]?.string else { throw ServerError.missingKey("owner") }
            guard let name = body["environment"]?.string else { throw ServerError.missingKey("environment") }
            rows = try await ask(container, in: name) { $0.uses.used(blobs, by: scope, owner: owner) }.flatMap(\.rows)
        } else {
            rows = try await ask(container) { $0.uses.used(blobs) }.flatMap(\.rows)
        }
        let used = Set(rows.map { $0.int64(0) })
        return Answer { writer in
            writer.key("used")
            writer.array(blobs.filter(used.contains)) { $0.int($1) }
        }
    }

    /// `assets.references`, for operators: `{container, blob, limit?}` → `{references, moreComing}`, development first.
    func references(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let container = try Self.container(in: body)
        guard let blob = body["blob"]?.int else { throw ServerError.missingKey("blob") }
        let limit = min(max(1, body["limit"]?.int.map(Int.init) ?? Self.defaultReferences), Self.maxReferences)
        // One more than is told, to know whether there are more.
        let found = try await ask(container) { $0.uses.references(to: blob, limit: limit + 1) }
        guard !found.isEmpty else { throw ServerError.badContainer(container) }
        let references = found.flatMap { item in item.rows.map { (item.environment, $0) } }
        return Answer { writer in
            writer.key("references")
            writer.array(references.prefix(limit)) { writer, reference in
                let (environment, row) = reference
                writer.object { writer in
                    writer.member("environment", environment.name)
                    writer.member("database", DatabaseScope(rawValue: row.int16(0))?.wireName)
                    writer.member("owner", row.string(1))
                    writer.member("zone", row.string(2))
                    writer.member("recordName", row.string(3))
                    writer.member("fieldName", row.string(4))
                    writer.member("position", Int64(row.int32(5)))
                }
            }
            writer.member("moreComing", references.count > limit)
        }
    }

    /// The answers of each environment's table, in the order of their names.
    private func ask(_ container: String, in name: String? = nil, _ call: (Environment) -> PostgresCall) async throws
        -> [(environment: Environment, rows: PostgresResult)]
    {
        try await store.pool.withConnection { connection in
            let environments = try await connection.query(
                """
                select e.id, e.name from record.environment e join record.container c on c.id = e.container
                where c.name = $1 and ($2::text is null or e.name = $2) order by e.name
                """, [.text(container), .text(name)]
            ).map { Environment(row: EnvironmentRow($0.int32(0)), name: $0.string(1)) }
            guard !environments.isEmpty else { return [] }
            return Array(zip(environments, try await connection.pipeline(environments.map(call))))
        }
    }

    private static func container(in body: JSONValue) throws(ServerError) -> String {
        guard let container = body["container"]?.string else { throw .missingKey("container") }
        return container
    }

    private static func blobs(in body: JSONValue) throws(ServerError) -> [Int64] {
        guard let elements = body["blobs"]?.array else { throw .missingKey("blobs") }
        guard elements.count <= maxBlobs else { throw .tooMany("blobs", limit: maxBlobs, actual: elements.count) }
        let blobs = elements.compactMap(\.int)
        guard blobs.count == elements.count else { throw .wrongKind("blobs", expected: "a list of whole numbers") }
        return blobs
    }
}
