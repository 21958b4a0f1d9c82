internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// The zones of the shared database: the zones of other users that contain a share in which the caller participates.
extension ZonesListOperation {
    /// Lists every zone, by owner and name.
    func listShared(_ context: RequestContext) async throws -> Answer {
        let zones = try await sharedZones(of: context, named: nil)
        try checkCount(zones.count)
        return Answer { writer in
            writer.key("zones")
            writer.array(zones) { $0.zone($1.id, syncToken: token(of: $1, context)) }
        }
    }

    /// Looks up the requested zones. The answer contains one item per zone, in the order of the request. A zone that
    /// the caller may not see is reported as nonexistent.
    func lookupShared(_ body: LookupZonesRequest, _ context: RequestContext) async throws -> Answer {
        var names: [(owner: String, zone: ZoneName)] = []
        for zone in body.zones {
            guard let owner = zone.ownerRecordName else { throw ServerError.missingKey("ownerRecordName") }
            names.append((owner.rawValue, zone.zoneName))
        }
        let found = Dictionary(
            try await sharedZones(of: context, named: names).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        return Answer { writer in
            writer.key("zones")
            writer.array(body.zones) { writer, zoneID in
                if let zone = found[zoneID] {
                    writer.zone(zoneID, syncToken: token(of: zone, context))
                } else {
                    writer.itemError(.zoneNotFound(zoneID))
                }
            }
        }
    }

    private func token(of zone: ShareAccessTable.Zone, _ context: RequestContext) -> String {
        var owner = context
        owner.zoneOwner = zone.id.ownerRecordName?.rawValue
        return tokens.token(
            row: zone.row, address: owner.address(ofZone: zone.id.zoneName), reader: context.user,
            isWhole: zone.isWhole, reached: zone.changeSeq)
    }

    private func sharedZones(
        of context: RequestContext, named names: [(owner: String, zone: ZoneName)]?
    ) async throws -> [ShareAccessTable.Zone] {
        let environment = try await directory.environment(for: context).row
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                ShareAccessTable.zones(
                    of: context.user, in: environment, named: names, limit: names?.count ?? maxZones + 1)
            ])
        }
        return ShareAccessTable.zones(results[0])
    }
}
