internal import AMQPClient
internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// `assets.stat` and `assets.jobs`, for operators.
struct AssetsAdminOperation: Sendable {
    private static let defaultJobs = 100
    private static let maxJobs = 1000

    let table: BlobTable
    let store: any BlobStore

    /// Answers with the state of one content: `{container, checksum}`.
    func stat(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        guard let container = body["container"]?.string else { throw ServerError.missingKey("container") }
        guard let text = body["checksum"]?.string else { throw ServerError.missingKey("checksum") }
        guard let checksum = AssetChecksum(text) else {
            throw ServerError.checksumInvalid(field: "checksum")
        }
        guard let blob = try await table.find(checksum, in: container) else {
            throw ServerError.assetNotFound(field: "checksum")
        }
        let isStored = try await store.size(of: blob.key) == blob.size
        let holders = try await table.holders(of: blob.id, limit: Self.defaultJobs)
        return Answer { writer in
            Self.write(blob, to: &writer)
            Self.writeCondition(of: blob, to: &writer)
            writer.member("createdAt", blob.createdAt)
            writer.member("receiptUntil", blob.receiptUntil)
            Self.write(blob.condemnation, to: &writer)
            writer.member("isStored", isStored)
            writer.key("holders")
            writer.array(holders) { writer, holder in
                writer.object { writer in
                    writer.member("environment", holder.environment.rawValue)
                    writer.member("database", holder.scope.wireName)
                    writer.member("owner", holder.owner)
                }
            }
        }
    }

    /// Answers with the condemned contents, next due first: `{container?, limit?}`.
    func jobs(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let limit = body["limit"]?.int ?? Int64(Self.defaultJobs)
        guard limit > 0 else { throw ServerError.wrongKind("limit", expected: "a positive number") }
        let (blobs, total) = try await table.jobs(
            in: body["container"]?.string, limit: Int(min(limit, Int64(Self.maxJobs))))
        return Answer { writer in
            writer.key("jobs")
            writer.array(blobs) { writer, blob in
                writer.object { writer in
                    Self.write(blob, to: &writer)
                    Self.write(blob.condemnation, to: &writer)
                }
            }
            writer.member("total", total)
        }
    }

    /// Writes whether a blob is live, condemned or in quarantine.
    static func writeCondition(of blob: StoredBlob, to writer: inout WireWriter) {
        let state = blob.condemnation == nil ? "live" : "condemned"
        writer.member("state", blob.damage == nil ? state : "quarantined")
        writer.member("verifiedAt", blob.verifiedAt)
        writer.member("damage", blob.damage?.kind.rawValue)
        writer.member("damagedAt", blob.damage?.at)
    }

    static func write(_ blob: StoredBlob, to writer: inout WireWriter) {
        writer.member("container", blob.container)
        writer.member("checksum", blob.checksum.hex)
        writer.member("fileChecksum", blob.checksum.fileChecksum)
        writer.member("blob", blob.id.rawValue)
        writer.member("size", blob.size)
    }

    private static func write(_ condemnation: StoredBlob.Condemnation?, to writer: inout WireWriter) {
        writer.member("condemnedAt", condemnation?.at)
        writer.member("due", condemnation?.due)
    }
}
