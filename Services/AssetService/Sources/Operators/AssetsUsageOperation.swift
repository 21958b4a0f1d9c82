internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import OperatorMessages
internal import RequestServing
internal import ServiceMessages

/// `assets.usage` and `assets.quota`, for operators.
struct AssetsUsageOperation: Sendable {
    let usual: Quota
    let table: BlobTable

    /// Answers with the storage used by a container and by each of its databases, beginning with the largest database.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func usage(_ request: OpenedRequest) async throws -> Answer {
        let query = try AssetUsageRequest(request)
        let limit = try AssetsAdminOperation.entries(query.limit)
        let usage = try await table.usage(of: query.container)
        let (databases, total) = try await table.databases(of: query.container, owner: query.user, limit: limit)
        let quota = usual.overridden(containerBytes: usage.containerBytes, userBytes: usage.userBytes)
        return Answer(
            AssetUsageRequest.Answer(
                container: query.container, bytes: usage.bytes, blobs: usage.blobs,
                condemnedBytes: usage.condemnedBytes, containerQuota: quota.containerBytes, userQuota: quota.userBytes,
                databases: databases.map {
                    AssetHolder(
                        environment: $0.environment.rawValue, database: $0.scope.wireName, owner: $0.owner,
                        bytes: $0.bytes, blobs: $0.blobs)
                },
                total: total))
    }

    /// Sets the quotas of a container. A quota that is omitted remains unchanged.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func quota(_ request: OpenedRequest) async throws -> Answer {
        let body = try AssetQuotaRequest(request)
        let old = try await table.usage(of: body.container)
        let containerBytes = Self.bytes(body.containerQuota, old: old.containerBytes)
        let userBytes = Self.bytes(body.userQuota, old: old.userBytes)
        try await table.setQuota(of: body.container, containerBytes: containerBytes, userBytes: userBytes)
        let quota = usual.overridden(containerBytes: containerBytes, userBytes: userBytes)
        return Answer(
            AssetQuotaRequest.Answer(
                container: body.container, containerQuota: quota.containerBytes, userQuota: quota.userBytes))
    }

    /// Returns the number that the table stores for a quota: -1 for no quota, nil for the quota from the settings.
    private static func bytes(_ quota: AssetQuotaRequest.Quota?, old: Int64?) -> Int64? {
        switch quota {
        case nil: old
        case .bytes(let bytes): bytes
        case .unlimited: -1
        case .standard: nil
        }
    }
}
