internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `zones.list` and `zones.lookup` (web-services 2.12, 2.13).
struct ZonesListOperation: Sendable {
    let pool: PostgresPool
    let directory: ZoneDirectory
    let tokens: ZoneTokenIssuer
    let limits: Limits

    /// Lists every live zone of the database: the default zone first, then the others by name.
    func list(_ request: OpenedRequest) async throws -> Answer {
        guard request.context.scope != .shared else { return try await listShared(request.context) }
        let zones = try await self.zones(of: request.context, named: nil)
        try checkCount(zones.count)
        return Answer { writer in
            writer.key("zones")
            if zones.isEmpty {
                writer.array([request.context.address(ofZone: "_defaultZone")]) { writer, address in
                    ZoneDictionary(tokens: tokens).writeUnborn(address, to: &writer)
                }
            } else {
                writer.array(zones) { writer, zone in
                    ZoneDictionary(tokens: tokens).write(zone.entry, changeSeq: zone.changeSeq, to: &writer)
                }
            }
        }
    }

    func checkCount(_ count: Int) throws(ServerError) {
        guard count <= maxZones else {
            throw ServerError(
                .replyTooLarge, "The database's zones do not fit in one reply; use changes.database",
                limit: maxZones)
        }
    }

    /// The maximum number of zones in an answer: the number that fits if their names are short.
    var maxZones: Int { limits.maxAnswerBytes / 256 }

    /// Looks up the requested zones. The answer contains one item per zone, in the order of the request.
    func lookup(_ request: OpenedRequest) async throws -> Answer {
        let body = try LookupZonesRequest(decoding: request.delivery.body, limits: limits)
        guard request.context.scope != .shared else { return try await lookupShared(body, request.context) }
        for zone in body.zones { try ZoneAccess.check(zone, for: request.context) }
        let found = try await zones(of: request.context, named: body.zones.map(\.zoneName))
        let byName = Dictionary(found.map { ($0.entry.address.zone, $0) }, uniquingKeysWith: { first, _ in first })
        let lost = try await directory.deletions(
            of: body.zones.filter { byName[$0.zoneName] == nil }, for: request.context)
        return Answer { writer in
            writer.key("zones")
            writer.array(body.zones) { writer, zoneID in
                if let zone = byName[zoneID.zoneName] {
                    ZoneDictionary(tokens: tokens).write(zone.entry, changeSeq: zone.changeSeq, to: &writer)
                } else if zoneID.isDefault {
                    ZoneDictionary(tokens: tokens).writeUnborn(
                        request.context.address(ofZone: zoneID.zoneName), to: &writer)
                } else {
                    writer.itemError(.zoneNotFound(zoneID, deleted: lost[zoneID.zoneName]))
                }
            }
        }
    }

    private func zones(of context: RequestContext, named names: [ZoneName]?) async throws
        -> [(entry: ZoneEntry, changeSeq: Int64)]
    {
        guard let database = try await directory.database(for: context, create: false) else { return [] }
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                ZoneTable.list(database, named: names, limit: names?.count ?? maxZones + 1)
            ])
        }
        let zones = ZoneTable.listed(results[0])
        if names == nil, zones.isEmpty {
            // Every database has a default zone, so another instance has deleted this database together with its
            // container.
            directory.forget(container: context.container)
            guard try await directory.database(for: context, create: false) != nil else { return [] }
        }
        return zones.map { zone in
            let entry = ZoneEntry(
                database: database, row: zone.row, incarnation: zone.incarnation,
                address: context.address(ofZone: zone.name))
            return (entry, zone.changeSeq)
        }
    }
}
