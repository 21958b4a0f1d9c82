internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// `assets.usage` and `assets.quota`, for operators.
struct AssetsUsageOperation: Sendable {
    private static let defaultDatabases = 100
    private static let maxDatabases = 1000

    let usual: Quota
    let table: BlobTable

    /// Answers with the bytes of a container and of its databases, largest first: `{container, user?, limit?}`.
    func usage(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let container = body["container"]?.string else { throw ServerError.missingKey("container") }
        let limit = body["limit"]?.int ?? Int64(Self.defaultDatabases)
        guard limit > 0 else { throw ServerError.wrongKind("limit", expected: "a positive number") }
        let usage = try await table.usage(of: container)
        let (databases, total) = try await table.databases(
            of: container, owner: body["user"]?.string, limit: Int(min(limit, Int64(Self.maxDatabases))))
        let quota = usual.overridden(containerBytes: usage.containerBytes, userBytes: usage.userBytes)
        return Answer { writer in
            writer.member("container", container)
            writer.member("bytes", usage.bytes)
            writer.member("blobs", usage.blobs)
            writer.member("condemnedBytes", usage.condemnedBytes)
            writer.member("containerQuota", quota.containerBytes)
            writer.member("userQuota", quota.userBytes)
            writer.key("databases")
            writer.array(databases) { writer, database in
                writer.object { writer in
                    writer.member("environment", database.environment.rawValue)
                    writer.member("database", database.scope.wireName)
                    writer.member("owner", database.owner)
                    writer.member("bytes", database.bytes)
                    writer.member("blobs", database.blobs)
                }
            }
            writer.member("total", total)
        }
    }

    /// Sets the quotas of a container: `{container, containerQuota?, userQuota?}`, each a number of bytes, `"none"`, or
    /// `"default"` for the setting. A quota that is omitted stays unchanged.
    func quota(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let container = body["container"]?.string else { throw ServerError.missingKey("container") }
        let old = try await table.usage(of: container)
        let containerBytes = try Self.quota("containerQuota", in: body, old: old.containerBytes)
        let userBytes = try Self.quota("userQuota", in: body, old: old.userBytes)
        try await table.setQuota(of: container, containerBytes: containerBytes, userBytes: userBytes)
        let quota = usual.overridden(containerBytes: containerBytes, userBytes: userBytes)
        return Answer { writer in
            writer.member("container", container)
            writer.member("containerQuota", quota.containerBytes)
            writer.member("userQuota", quota.userBytes)
        }
    }

    private static func quota(_ key: String, in body: JSONValue, old: Int64?) throws(ServerError) -> Int64? {
        guard let value = body[key], !value.isNull else { return old }
        if value.string == "default" { return nil }
        if value.string == "none" { return -1 }
        guard let bytes = value.int, bytes >= 0 else {
            throw .wrongKind(key, expected: "a number of bytes, 'none' or 'default'")
        }
        return bytes
    }
}
