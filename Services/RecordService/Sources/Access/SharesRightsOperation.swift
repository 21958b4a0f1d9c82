internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `shares.rights`, for the asset service: the caller's permission in a zone of the shared database.
///
/// `{zoneID}` → `{permission}`. The permission is the highest one that the zone's shares give the caller. It is read
/// from the database for each request and never cached, so that a participant who has been removed cannot upload.
struct SharesRightsOperation: Sendable {
    /// The maximum number of attempts to read the caller's permission in a zone that is repeatedly deleted and
    /// recreated.
    private static let maxAttempts = 5

    let pool: PostgresPool
    let directory: ZoneDirectory

    /// Answers a request. Takes one round trip if the zone is cached.
    ///
    /// - Throws: `BAD_REQUEST`, `ZONE_BUSY`, `PostgresError`, or `ZONE_NOT_FOUND` if the zone does not exist or the
    ///   caller may not see it.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let zoneID = try Self.zoneID(in: try JSONValue(parsing: request.delivery.body))
        guard request.context.scope == .shared else {
            throw ServerError(
                .databaseInvalid, "'\(request.operation.rawValue)' requires the shared database", field: Header.database
            )
        }
        let context = try ZoneAccess.context(of: zoneID, for: request.context)
        guard let permission = try await permission(in: zoneID, for: context) else {
            throw ServerError.zoneNotFound(zoneID)
        }
        return Answer { $0.member("permission", permission.wireName) }
    }

    private func permission(in zoneID: ZoneID, for context: RequestContext) async throws -> SharePermission? {
        for _ in 0..<Self.maxAttempts {
            guard let zone = try await directory.zone(zoneID.zoneName, for: context, createDatabase: false) else {
                return nil
            }
            let results = try await pool.withConnection { connection in
                try await connection.pipeline([
                    .begin(.repeatableRead.readOnly), ZoneTable.state(of: zone.row),
                    ShareAccessTable.read(of: context.user, in: zone.row), .commit,
                ])
            }
            if let state = ZoneTable.state(results[1]), !state.isDeleted {
                return ShareAccessTable.access(results[2])?.shares.map(\.permission).max()
            }
            // The zone was deleted, and might have been created again. The directory looks it up again.
            directory.forget(zone.address)
        }
        throw ServerError(.zoneBusy, "The zone changed repeatedly while it was being read")
    }

    private static func zoneID(in body: JSONValue) throws(ServerError) -> ZoneID {
        guard let name = body["zoneID"]?["zoneName"]?.string else { throw .missingKey("zoneName") }
        do {
            return ZoneID(
                zoneName: try ZoneName(validating: name),
                ownerRecordName: body["zoneID"]?["ownerRecordName"]?.string.map(UserName.init(unchecked:)))
        } catch {
            throw ServerError(error, field: "zoneName")
        }
    }
}
