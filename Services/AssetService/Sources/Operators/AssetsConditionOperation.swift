internal import AMQPClient
internal import AssetStorage
internal import BlobStorage
internal import CloudKitModel
internal import OperatorMessages
internal import RequestServing
internal import ServiceMessages

/// `assets.quarantine` and `assets.reconcile`, for operators: reports of damaged blobs and inconsistencies.
struct AssetsConditionOperation: Sendable {
    let table: BlobTable

    /// Answers with the blobs in quarantine, in the order in which they were quarantined.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func quarantine(_ request: OpenedRequest) async throws -> Answer {
        let query = try AssetQuarantineRequest(request)
        let limit = try AssetsAdminOperation.entries(query.limit)
        let (blobs, total) = try await table.quarantined(in: query.container, limit: limit)
        let contents = blobs.map { blob in
            var status = AssetStatus(blob, withCondition: true)
            status.key = blob.key.rawValue
            return status
        }
        return Answer(AssetQuarantineRequest.Answer(blobs: contents, total: total))
    }

    /// Answers with the result of the reconciler's last round.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func reconcile(_ request: OpenedRequest) async throws -> Answer {
        let limit = try AssetsAdminOperation.entries(AssetReconcileRequest(request).limit)
        let (round, usesAreGuarded) = try await table.lastRound()
        let (strays, straysTotal) = try await table.strays(limit: limit)
        let (_, quarantined) = try await table.quarantined(in: nil, limit: 1)
        return Answer(
            AssetReconcileRequest.Answer(
                endedAt: round.endedAt, files: round.files, filesWithoutRow: straysTotal, filesRemoved: round.removed,
                rowsChecked: round.rowsChecked, rowsWithoutFile: round.missing, condemnedInUse: round.revived,
                quarantined: quarantined, usesAreGuarded: usesAreGuarded,
                strays: strays.map { .init(key: $0.key, firstSeen: $0.firstSeen, lastSeen: $0.lastSeen) }))
    }
}
