internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// `changes.database` (web-services 2.7): the zones that changed, were made or were deleted since a token.
///
/// A token is a PostgreSQL snapshot; a zone whose last change it does not see is listed. A listing of several pages
/// goes by (transaction, zone) under the snapshot of its first page, and hands that snapshot on at its end. A zone that
/// changes meanwhile leaves the listing and is in the next one: repeats are possible, skips are not.
struct DatabaseChangesOperation: Sendable {
    let store: RecordStore

    private struct ChangedZone {
        let entry: ZoneEntry
        let xid: UInt64
        let isDeleted: Bool
    }

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try DatabaseChangesRequest(decoding: request.delivery.body)
        guard let database = try await store.directory.database(for: request.context, create: true) else {
            throw ServerError.internalError(.databaseNotMade)
        }
        let token = try body.syncToken.map { try open($0, of: database) }
        let limit = min(max(1, body.resultsLimit ?? store.limits.defaultResults), store.limits.maxResults)
        let (zones, snapshot) = try await read(database, request.context, token: token, limit: limit)
        let moreComing = zones.count == limit
        var next = DatabaseChangeToken(
            store: store.incarnation, database: database.id, since: snapshot, page: nil)
        if moreComing, let last = zones.last {
            next.since = token?.since
            next.page = DatabaseChangeToken.Page(
                snapshot: snapshot, afterXID: last.xid, afterZone: last.entry.row.rawValue)
        }
        return Answer { writer in
            writer.key("zones")
            writer.array(zones) { writer, zone in
                let records = RecordAnswer(zone: zone.entry.address, schema: store.schema)
                writer.object { writer in
                    writer.key("zoneID")
                    writer.zoneID(records.zoneID)
                    writer.member("deleted", zone.isDeleted)
                }
            }
            writer.member("syncToken", next.sealed(with: store.keys))
            writer.member("moreComing", moreComing)
        }
    }

    private func open(_ text: String, of database: DatabaseEntry) throws(ServerError) -> DatabaseChangeToken {
        guard let token = DatabaseChangeToken(opening: text, with: store.keys) else {
            if ZoneChangeToken(opening: text, with: store.keys) != nil { throw .changeTokenForeign() }
            throw .changeTokenInvalid()
        }
        guard token.database == database.id else { throw .changeTokenForeign() }
        guard token.store == store.incarnation else { throw .changeTokenExpired() }
        return token
    }

    /// - Returns: a page of zones, and the snapshot of the listing's first page.
    private func read(
        _ database: DatabaseEntry, _ context: RequestContext, token: DatabaseChangeToken?, limit: Int
    ) async throws -> ([ChangedZone], snapshot: String) {
        try await store.pool.withConnection { connection in
            var snapshot = token?.page?.snapshot
            if snapshot == nil {
                let present = try await connection.query(
                    "select pg_current_snapshot()::text from record.database where id = $1", [.int8(database.id)])
                guard let row = present.first else {
                    // It went with its container, at another instance.
                    store.directory.forget(container: context.container)
                    throw ServerError.badContainer(context.container)
                }
                snapshot = row.string(0)
            }
            let upTo = snapshot ?? ""
            // The default zone takes no part in a private database's feed (semantics 1.3); a public database has
            // nothing else. A deleted zone is not told to one who knows nothing, nor when it was made again.
            let rows = try await connection.query(
                """
                select z.id, z.incarnation, z.name, z.changed_xid, z.deleted_at is not null
                from record.zone z
                where z.database = $1 and (z.changed_xid, z.id) > ($2, $3)
                    and pg_visible_in_snapshot(z.changed_xid, $4::text::pg_snapshot)
                    and ($5::text is null or (z.changed_xid >= pg_snapshot_xmin($5::text::pg_snapshot)
                        and not pg_visible_in_snapshot(z.changed_xid, $5::text::pg_snapshot)))
                    and ($6 or z.name <> '_defaultZone')
                    and (z.deleted_at is null or ($5::text is not null and not exists (
                        select from record.zone again
                        where again.database = $1 and again.name = z.name and again.deleted_at is null)))
                order by z.changed_xid, z.id limit $7
                """,
                [
                    .int8(database.id), .xid8(token?.page?.afterXID ?? 0), .int8(token?.page?.afterZone ?? 0),
                    .text(upTo), .text(token?.since), .bool(context.scope == .public), .int4(Int32(limit)),
                ])
            let zones = rows.map { row in
                ChangedZone(
                    entry: ZoneEntry(
                        database: database, row: ZoneRow(row.int64(0)), incarnation: row.uuid(1),
                        address: context.address(ofZone: row.string(2))),
                    xid: row.xid8(3), isDeleted: row.bool(4))
            }
            return (zones, upTo)
        }
    }
}
