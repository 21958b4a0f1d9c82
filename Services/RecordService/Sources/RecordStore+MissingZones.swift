internal import CloudKitModel
internal import PostgresClient
internal import ServiceMessages

extension RecordStore {
    /// The error of a request on a zone that is not there: it never was, or it tells why it went. One round trip.
    func missing(_ zoneID: ZoneID, for context: RequestContext) async throws -> ServerError {
        .zoneNotFound(zoneID, deleted: try await deletions(of: [zoneID], for: context)[zoneID.zoneName])
    }

    /// The errors of those of `zoneIDs` that are not there, by name. A default zone always is. Two round trips at most.
    func missing(among zoneIDs: [ZoneID], for context: RequestContext) async throws -> [ZoneName: ServerError] {
        let custom = zoneIDs.filter { !$0.isDefault }
        guard !custom.isEmpty else { return [:] }
        var live: Set<ZoneName> = []
        if let database = try await directory.database(for: context, create: false) {
            let rows = try await pool.withConnection { connection in
                try await connection.query(
                    "select name from record.zone where database = $1 and name = any($2) and deleted_at is null",
                    [.int8(database.id), .textArray(custom.map(\.zoneName.rawValue))])
            }
            live = Set(rows.map { ZoneName(unchecked: $0.string(0)) })
        }
        let lost = custom.filter { !live.contains($0.zoneName) }
        let reasons = try await deletions(of: lost, for: context)
        return Dictionary(
            lost.map { ($0.zoneName, .zoneNotFound($0, deleted: reasons[$0.zoneName])) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Why zones went that are not there, by name; nothing for those that never were. One round trip.
    func deletions(of zoneIDs: [ZoneID], for context: RequestContext) async throws -> [ZoneName: ZoneDeletionReason] {
        guard !zoneIDs.isEmpty, let database = try await directory.database(for: context, create: false) else {
            return [:]
        }
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([ZoneTable.deletions(of: zoneIDs.map(\.zoneName), in: database)])
        }
        return ZoneTable.deletionReasons(results[0])
    }
}
