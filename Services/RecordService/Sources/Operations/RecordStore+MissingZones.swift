internal import CloudKitModel
internal import PostgresClient
internal import ServiceMessages

extension RecordStore {
    /// The error of a request on a zone that is not there: it never was, or it tells why it went. One round trip.
    func missing(_ zoneID: ZoneID, for context: RequestContext) async throws -> ServerError {
        .zoneNotFound(zoneID, deleted: try await deletions(of: [zoneID], for: context)[zoneID.zoneName.rawValue])
    }

    /// Why zones went that are not there, by name; nothing for those that never were. One round trip.
    func deletions(of zoneIDs: [ZoneID], for context: RequestContext) async throws -> [String: ZoneDeletionReason] {
        guard !zoneIDs.isEmpty, let database = try await directory.database(for: context, create: false) else {
            return [:]
        }
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([ZoneTable.deletions(of: zoneIDs.map(\.zoneName.rawValue), in: database)])
        }
        return ZoneTable.deletionReasons(results[0])
    }
}
