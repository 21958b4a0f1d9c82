package import CloudKitModel
internal import PostgresClient
package import ServiceMessages

extension ZoneDirectory {
    /// Returns the error for a request that names a nonexistent zone. If the zone was deleted, the error includes the
    /// reason. Takes one round trip.
    ///
    /// - Throws: the same errors as ``database(for:create:)``.
    package func missing(_ zoneID: ZoneID, for context: RequestContext) async throws -> ServerError {
        .zoneNotFound(zoneID, deleted: try await deletions(of: [zoneID], for: context)[zoneID.zoneName])
    }

    /// Returns an error for each zone in `zoneIDs` that does not exist, keyed by zone name. A default zone always
    /// exists. Takes at most two round trips.
    ///
    /// - Throws: the same errors as ``database(for:create:)``.
    package func missing(among zoneIDs: [ZoneID], for context: RequestContext) async throws -> [ZoneName: ServerError] {
        let custom = zoneIDs.filter { !$0.isDefault }
        guard !custom.isEmpty else { return [:] }
        var live: Set<ZoneName> = []
        if let database = try await database(for: context, create: false) {
            let results = try await pool.withConnection { connection in
                try await connection.pipeline([ZoneTable.live(custom.map(\.zoneName), in: database)])
            }
            live = Set(results[0].map { ZoneName(unchecked: $0.string(0)) })
        }
        let lost = custom.filter { !live.contains($0.zoneName) }
        let reasons = try await deletions(of: lost, for: context)
        return Dictionary(
            lost.map { ($0.zoneName, .zoneNotFound($0, deleted: reasons[$0.zoneName])) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the deletion reasons of zones, keyed by zone name. Zones that never existed are left out. Takes one
    /// round trip.
    ///
    /// - Throws: the same errors as ``database(for:create:)``.
    package func deletions(
        of zoneIDs: [ZoneID], for context: RequestContext
    ) async throws -> [ZoneName: ZoneDeletionReason] {
        guard !zoneIDs.isEmpty, let database = try await database(for: context, create: false) else { return [:] }
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([ZoneTable.deletions(of: zoneIDs.map(\.zoneName), in: database)])
        }
        return ZoneTable.deletionReasons(results[0])
    }
}
