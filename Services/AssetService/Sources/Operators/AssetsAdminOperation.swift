internal import AMQPClient
internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import OperatorMessages
internal import RequestServing
internal import ServiceMessages

/// `assets.stat` and `assets.jobs`, for operators.
struct AssetsAdminOperation: Sendable {
    private static let maxHolders = 100

    let table: BlobTable
    let store: any BlobStore

    /// Answers with the state of a blob.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`, or `NOT_FOUND` if the container has no such blob.
    func stat(_ request: OpenedRequest) async throws -> Answer {
        let query = try AssetStatRequest(request)
        guard let checksum = AssetChecksum(query.checksum) else {
            throw ServerError.checksumInvalid(field: "checksum")
        }
        guard let blob = try await table.find(checksum, in: query.container) else {
            throw ServerError.assetNotFound(field: "checksum")
        }
        var status = AssetStatus(blob, withCondition: true)
        status.createdAt = blob.createdAt
        status.receiptUntil = blob.receiptUntil
        status.setCondemnation(of: blob)
        status.isStored = try await store.size(of: blob.key) == blob.size
        status.holders = try await table.holders(of: blob.id, limit: Self.maxHolders).map {
            AssetHolder(environment: $0.environment.rawValue, database: $0.scope.wireName, owner: $0.owner)
        }
        return Answer(status)
    }

    /// Answers with the blobs that are pending deletion, in order of due time.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func jobs(_ request: OpenedRequest) async throws -> Answer {
        let query = try AssetJobsRequest(request)
        let (blobs, total) = try await table.jobs(in: query.container, limit: try Self.entries(query.limit))
        let jobs = blobs.map { blob in
            var status = AssetStatus(blob, withCondition: false)
            status.setCondemnation(of: blob)
            return status
        }
        return Answer(AssetJobsRequest.Answer(jobs: jobs, total: total))
    }

    /// Returns the maximum number of entries in a list: `limit`, but at most 1,000; 100 if `limit` is nil.
    ///
    /// - Throws: `BAD_REQUEST` for a limit below 1.
    static func entries(_ limit: Int?) throws(ServerError) -> Int {
        guard limit ?? 1 > 0 else { throw .wrongKind("limit", expected: "a positive number") }
        return min(limit ?? 100, 1000)
    }
}

extension AssetStatus {
    /// Creates the state of a blob.
    ///
    /// - Parameter withCondition: whether to include the state (live, condemned or quarantined) and any damage.
    init(_ blob: StoredBlob, withCondition: Bool) {
        self.init(
            container: blob.container, checksum: blob.checksum.hex, fileChecksum: blob.checksum.fileChecksum,
            blob: blob.id.rawValue, size: blob.size)
        guard withCondition else { return }
        state = blob.damage != nil ? "quarantined" : blob.condemnation == nil ? "live" : "condemned"
        verifiedAt = blob.verifiedAt
        damage = blob.damage?.kind.rawValue
        damagedAt = blob.damage?.at
    }

    fileprivate mutating func setCondemnation(of blob: StoredBlob) {
        condemnedAt = blob.condemnation?.at
        due = blob.condemnation?.due
    }
}
