internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import OperatorMessages
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// Finds the records that refer to the asset service's blobs. Uses in deleted zones are included until the
/// ``Reclaimer`` has removed them, because the foreign key covers them too.
struct AssetUsesOperation: Sendable {
    let pool: PostgresPool

    private static let maxBlobs = 10_000
    private static let defaultReferences = 200
    private static let maxReferences = 1000

    /// `assets.used`, for the asset service: `{container, blobs}` → `{used}`, the blobs to which any record in the
    /// container's environments refers. If the container does not exist, the list is empty, because the container might
    /// have been deleted. If the body also contains `{environment, database, owner}`, the answer contains only the
    /// blobs to which records in that database refer, as found by ``AssetUseTable/used(_:by:owner:)``.
    func used(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let container = try Self.container(in: body)
        let blobs = try body.blobs(limit: Self.maxBlobs)
        let results: [PostgresResult]
        if let database = body["database"], !database.isNull {
            guard let scope = database.string.flatMap(DatabaseScope.init(wireName:)) else {
                throw ServerError.wrongKind("database", expected: "'public' or 'private'")
            }
            guard let owner = body["owner"]?.string else { throw ServerError.missingKey("owner") }
            guard let name = body["environment"]?.string else { throw ServerError.missingKey("environment") }
            let environments = EnvironmentName(rawValue: name).map { [$0] } ?? []
            results = try await ask(container, in: environments) { $0.used(blobs, by: scope, owner: owner) }
                .map(\.result)
        } else {
            results = try await ask(container) { $0.used(blobs) }.map(\.result)
        }
        let used = Set(results.flatMap(AssetUseTable.blobs))
        return Answer { writer in
            writer.key("used")
            writer.array(blobs.filter(used.contains)) { $0.int($1) }
        }
    }

    /// `assets.references`, for operators: lists the fields that refer to a blob, starting with those in development.
    ///
    /// - Throws: `BAD_REQUEST`, `NOT_FOUND`, or `PostgresError`.
    func references(_ request: OpenedRequest) async throws -> Answer {
        let body = try AssetReferencesRequest(request)
        let limit = min(max(1, body.limit ?? Self.defaultReferences), Self.maxReferences)
        // Reading one reference beyond the limit shows whether there are more.
        let found = try await ask(body.container) { $0.references(to: body.blob, limit: limit + 1) }
        guard !found.isEmpty else { throw ServerError.badContainer(body.container) }
        let references = found.flatMap { item in
            AssetUseTable.references(item.result).map { reference in
                AssetReference(
                    environment: item.environment.rawValue, database: reference.scope?.wireName,
                    owner: reference.owner, zone: reference.zone, recordName: reference.record,
                    fieldName: reference.field, position: Int(reference.position))
            }
        }
        return Answer(
            AssetReferencesRequest.Answer(
                references: Array(references.prefix(limit)), moreComing: references.count > limit))
    }

    /// Returns the results of `call` for each environment, in order of the environments' names.
    private func ask(
        _ container: String, in wanted: [EnvironmentName] = EnvironmentName.allCases,
        _ call: (AssetUseTable) -> PostgresCall
    ) async throws -> [(environment: EnvironmentName, result: PostgresResult)] {
        try await pool.withConnection { connection in
            let found = try await connection.pipeline([EnvironmentTable.all(of: container)])
            let environments = try EnvironmentTable.named(found[0]).filter { wanted.contains($0.name) }
            guard !environments.isEmpty else { return [] }
            let results = try await connection.pipeline(environments.map { call(AssetUseTable($0.row)) })
            return zip(environments, results).map { ($0.name, $1) }
        }
    }

    private static func container(in body: JSONValue) throws(ServerError) -> String {
        guard let container = body["container"]?.string else { throw .missingKey("container") }
        return container
    }
}

extension JSONValue {
    /// Returns the ids of the blobs in an internal request.
    ///
    /// - Throws: a `BAD_REQUEST` error if `blobs` is missing, is not a list of whole numbers, or has more than `limit`
    ///   elements.
    func blobs(limit: Int) throws(ServerError) -> [Int64] {
        guard let elements = self["blobs"]?.array else { throw .missingKey("blobs") }
        guard elements.count <= limit else { throw .tooMany("blobs", limit: limit, actual: elements.count) }
        let blobs = elements.compactMap(\.int)
        guard blobs.count == elements.count else { throw .wrongKind("blobs", expected: "a list of whole numbers") }
        return blobs
    }
}
