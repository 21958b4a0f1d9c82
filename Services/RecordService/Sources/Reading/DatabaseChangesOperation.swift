internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// `changes.database` and the older `zones.changes` (web-services 2.7, 2.15): the zones that changed, were made or were
/// deleted since a token.
///
/// A token is a PostgreSQL snapshot; a zone whose last change it does not see is listed. A listing of several pages
/// goes by (transaction, zone) under the snapshot of its first page, and hands that snapshot on at its end. A zone that
/// changes meanwhile leaves the listing and is in the next one: repeats are possible, skips are not.
struct DatabaseChangesOperation: Sendable {
    let store: RecordStore

    private struct ChangedZone {
        let entry: ZoneEntry
        let xid: UInt64
        let deletion: ZoneDeletionReason?
    }

    private struct Page {
        let zones: [ChangedZone]
        let syncToken: String
        let moreComing: Bool
    }

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try DatabaseChangesRequest(decoding: request.delivery.body)
        return answer(try await page(after: body.syncToken, body, request.context), tokenKey: "syncToken")
    }

    /// The same with its own name for the token; another is ignored.
    func zoneChanges(_ request: OpenedRequest) async throws -> Answer {
        let body = try DatabaseChangesRequest(decoding: request.delivery.body)
        return answer(try await page(after: body.metaSyncToken, body, request.context), tokenKey: "metaSyncToken")
    }

    private func answer(_ page: Page, tokenKey: StaticString) -> Answer {
        Answer { writer in
            writer.key("zones")
            writer.array(page.zones) { writer, zone in
                let records = RecordAnswer(zone: zone.entry.address)
                writer.object { writer in
                    writer.key("zoneID")
                    writer.zoneID(records.zoneID)
                    writer.member("deleted", zone.deletion != nil)
                    writer.member("deletionReason", zone.deletion?.rawValue)
                }
            }
            writer.member(tokenKey, page.syncToken)
            writer.member("moreComing", page.moreComing)
        }
    }

    private func page(
        after syncToken: String?, _ body: DatabaseChangesRequest, _ context: RequestContext
    ) async throws -> Page {
        try store.limits.profile.checkChanges(in: context.scope)
        guard let database = try await store.directory.database(for: context, create: true) else {
            throw ServerError.internalError(.databaseNotMade)
        }
        let address = AddressDigest.database(of: context.address(ofZone: "_defaultZone"))
        let token = try syncToken.map { try open($0, of: database, address) }
        let limit = min(max(1, body.resultsLimit ?? store.limits.defaultResults), store.limits.maxResults)
        let (zones, snapshot) = try await read(database, context, token: token, limit: limit)
        // Nothing changed: the token is as good as a newer one.
        if zones.isEmpty, let syncToken, token?.page == nil {
            return Page(zones: [], syncToken: syncToken, moreComing: false)
        }
        let moreComing = zones.count == limit
        var next = DatabaseChangeToken(
            store: store.incarnation, address: address, database: database.id, since: snapshot, page: nil)
        if moreComing, let last = zones.last {
            next.since = token?.since
            next.page = DatabaseChangeToken.Page(
                snapshot: snapshot, afterXID: last.xid, afterZone: last.entry.row.rawValue)
        }
        return Page(zones: zones, syncToken: next.sealed(with: store.keys), moreComing: moreComing)
    }

    private func open(_ text: String, of database: DatabaseEntry, _ address: UInt64) throws(ServerError)
        -> DatabaseChangeToken
    {
        guard let token = DatabaseChangeToken(opening: text, with: store.keys) else {
            if ZoneChangeToken(opening: text, with: store.keys) != nil { throw .changeTokenForeign() }
            if SealedToken.open(text, with: store.keys) != nil { throw .changeTokenExpired(.outdated) }
            throw .changeTokenInvalid()
        }
        guard token.address == address else { throw .changeTokenForeign() }
        guard token.store == store.incarnation else { throw .changeTokenExpired(.restored) }
        guard token.database == database.id else { throw .changeTokenExpired(.recreated) }
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
                select z.id, z.incarnation, z.name, z.changed_xid, z.deletion_reason
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
                        address: context.address(ofZone: ZoneName(unchecked: row.string(2)))),
                    xid: row.xid8(3), deletion: row.stringIfPresent(4).flatMap(ZoneDeletionReason.init))
            }
            // After the zones: a row that went before them has raised the mark by now. Deletions up to the mark have to be
            // known all, also those that were under way when the token was made.
            if let token {
                let expired = try await connection.query(
                    "select from record.database where id = $1 and purge_mark >= pg_snapshot_xmin($2::text::pg_snapshot)",
                    [.int8(database.id), .text(token.since ?? upTo)])
                guard expired.isEmpty else { throw ServerError.changeTokenExpired(.purged) }
            }
            return (zones, upTo)
        }
    }
}
