internal import AMQPClient
internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// `assets.quarantine` and `assets.reconcile`, for operators: damaged and inconsistent contents.
struct AssetsConditionOperation: Sendable {
    private static let defaultLimit = 100
    private static let maxLimit = 1000

    let table: BlobTable

    /// Answers with the contents in quarantine, earliest first: `{container?, limit?}`.
    func quarantine(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let limit = try Self.limit(in: body)
        let (blobs, total) = try await table.quarantined(in: body["container"]?.string, limit: limit)
        return Answer { writer in
            writer.key("blobs")
            writer.array(blobs) { writer, blob in
                writer.object { writer in
                    AssetsAdminOperation.write(blob, to: &writer)
                    AssetsAdminOperation.writeCondition(of: blob, to: &writer)
                    writer.member("key", blob.key.rawValue)
                }
            }
            writer.member("total", total)
        }
    }

    /// Answers with the result of the reconciler's last round: `{limit?}`.
    func reconcile(_ request: OpenedRequest) async throws -> Answer {
        let limit = try Self.limit(in: try JSONValue(parsing: request.delivery.body))
        let (round, usesAreGuarded) = try await table.lastRound()
        let (strays, straysTotal) = try await table.strays(limit: limit)
        let (_, quarantined) = try await table.quarantined(in: nil, limit: 1)
        return Answer { writer in
            writer.member("endedAt", round.endedAt)
            writer.member("files", round.files)
            writer.member("filesWithoutRow", straysTotal)
            writer.member("filesRemoved", round.removed)
            writer.member("rowsChecked", round.rowsChecked)
            writer.member("rowsWithoutFile", round.missing)
            writer.member("condemnedInUse", round.revived)
            writer.member("quarantined", quarantined)
            writer.member("usesAreGuarded", usesAreGuarded)
            writer.key("strays")
            writer.array(strays) { writer, stray in
                writer.object { writer in
                    writer.member("key", stray.key)
                    writer.member("firstSeen", stray.firstSeen)
                    writer.member("lastSeen", stray.lastSeen)
                }
            }
        }
    }

    private static func limit(in body: JSONValue) throws(ServerError) -> Int {
        let limit = body["limit"]?.int ?? Int64(defaultLimit)
        guard limit > 0 else { throw .wrongKind("limit", expected: "a positive number") }
        return Int(min(limit, Int64(maxLimit)))
    }
}
