internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// `zones.list` and `zones.lookup` (web-services 2.12, 2.13).
struct ZonesListOperation: Sendable {
    let store: RecordStore

    /// Every live zone of the database, the default zone first, then by name.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let zones = try await self.zones(of: request.context, named: nil)
        guard zones.count <= maxZones else {
            throw ServerError(
                .replyTooLarge, "The database has too many zones for one reply; walk through changes.database",
                limit: maxZones)
        }
        return Answer { writer in
            writer.key("zones")
            if zones.isEmpty {
                writer.array([request.context.address(ofZone: "_defaultZone")]) { writer, address in
                    ZoneDictionary(store: store).writeUnborn(address, to: &writer)
                }
            } else {
                writer.array(zones) { writer, zone in
                    ZoneDictionary(store: store).write(zone.entry, changeSeq: zone.changeSeq, to: &writer)
                }
            }
        }
    }

    /// As many zones as an answer has room for when their names are short.
    private var maxZones: Int { store.limits.maxAnswerBytes / 256 }

    /// The zones asked for, one item each, in the order of the request.
    func lookup(_ request: OpenedRequest) async throws -> Answer {
        let body = try LookupZonesRequest(decoding: request.delivery.body, limits: store.limits)
        for zone in body.zones { try ZoneAccess.check(zone, for: request.context) }
        let found = try await zones(of: request.context, named: body.zones.map(\.zoneName))
        let byName = Dictionary(found.map { ($0.entry.address.zone, $0) }, uniquingKeysWith: { first, _ in first })
        let lost = try await store.deletions(
            of: body.zones.filter { byName[$0.zoneName] == nil }, for: request.context)
        return Answer { writer in
            writer.key("zones")
            writer.array(body.zones) { writer, zoneID in
                if let zone = byName[zoneID.zoneName] {
                    ZoneDictionary(store: store).write(zone.entry, changeSeq: zone.changeSeq, to: &writer)
                } else if zoneID.isDefault {
                    ZoneDictionary(store: store).writeUnborn(
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
        guard let database = try await store.directory.database(for: context, create: false) else { return [] }
        let rows = try await store.pool.withConnection { connection in
            try await connection.query(
                """
                select id, incarnation, name, change_seq from record.zone
                where database = $1 and deleted_at is null and ($2 or name = any($3))
                order by name <> '_defaultZone', name limit $4
                """,
                [
                    .int8(database.id), .bool(names == nil), .textArray(names?.map(\.rawValue) ?? []),
                    .int8(Int64(names?.count ?? maxZones + 1)),
                ])
        }
        if names == nil, rows.isEmpty {
            // Every database has a default zone: this one went with its container, at another instance.
            store.directory.forget(container: context.container)
            guard try await store.directory.database(for: context, create: false) != nil else { return [] }
        }
        return rows.map { row in
            let entry = ZoneEntry(
                database: database, row: ZoneRow(row.int64(0)), incarnation: row.uuid(1),
                address: context.address(ofZone: ZoneName(unchecked: row.string(2))))
            return (entry, row.int64(3))
        }
    }
}
