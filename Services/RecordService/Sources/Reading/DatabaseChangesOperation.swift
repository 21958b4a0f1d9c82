internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// `changes.database` and the older `zones.changes` (web-services 2.7, 2.15): the zones that have been changed, created
/// or deleted since the given token was issued.
///
/// A token contains a PostgreSQL snapshot. A zone is listed if its last change is not visible in that snapshot. A
/// listing that spans several pages is ordered by (transaction, zone). All of its pages use the snapshot of the first
/// page, and the last token contains this snapshot. A zone that changes in the meantime leaves the listing and is
/// included in the next one. A zone can therefore be listed twice, but is never omitted.
struct DatabaseChangesOperation: Sendable {
    let pool: PostgresPool
    let directory: ZoneDirectory
    let tokens: ZoneTokenIssuer
    let limits: Limits

    /// A page of a listing.
    struct Page {
        let zones: [Zone]
        let syncToken: String
        let moreComing: Bool

        /// A zone that changed.
        struct Zone {
            let id: ZoneID
            let deletion: ZoneDeletionReason?
        }
    }

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try DatabaseChangesRequest(decoding: request.delivery.body)
        return answer(try await page(after: body.syncToken, body, request.context), "syncToken")
    }

    /// Answers `zones.changes`, in which the token is called `metaSyncToken`. A `syncToken` is ignored.
    func zoneChanges(_ request: OpenedRequest) async throws -> Answer {
        let body = try DatabaseChangesRequest(decoding: request.delivery.body)
        return answer(try await page(after: body.metaSyncToken, body, request.context), "metaSyncToken")
    }

    private func answer(_ page: Page, _ tokenKey: StaticString) -> Answer {
        Answer { writer in
            writer.key("zones")
            writer.array(page.zones) { writer, zone in
                writer.object { writer in
                    writer.key("zoneID")
                    writer.zoneID(zone.id)
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
        try limits.profile.checkChanges(in: context.scope)
        guard context.scope != .shared else { return try await sharedPage(after: syncToken, body, context) }
        guard let database = try await directory.database(for: context, create: true) else {
            throw ServerError.internalError(.databaseNotMade)
        }
        let address = AddressDigest.database(of: context.address(ofZone: "_defaultZone"))
        let token = try syncToken.map { try open($0, of: database.id, address) }
        let limit = limit(of: body)
        let (zones, snapshot) = try await read(database, context, token: token, limit: limit)
        // Nothing has changed, so the client can keep its token.
        if zones.isEmpty, let syncToken, token?.page == nil {
            return Page(zones: [], syncToken: syncToken, moreComing: false)
        }
        let moreComing = zones.count == limit
        var next = DatabaseChangeToken(
            store: tokens.store, address: address, database: database.id, since: snapshot, page: nil)
        if moreComing, let last = zones.last {
            next.since = token?.since
            next.page = DatabaseChangeToken.Page(
                snapshot: snapshot, afterXID: last.xid, afterZone: last.row.rawValue)
        }
        return Page(
            zones: zones.map {
                Page.Zone(id: RecordAnswer(zone: context.address(ofZone: $0.name)).zoneID, deletion: $0.deletion)
            }, syncToken: next.sealed(with: tokens.keys), moreComing: moreComing)
    }

    /// Returns the maximum number of zones on a page.
    func limit(of body: DatabaseChangesRequest) -> Int {
        min(max(1, body.resultsLimit ?? limits.defaultResults), limits.maxResults)
    }

    /// Opens a token.
    ///
    /// - Parameters:
    ///   - database: the row of the database or, for the shared database, of the environment.
    ///   - address: the digest of the database.
    func open(_ text: String, of database: Int64, _ address: UInt64) throws(ServerError)
        -> DatabaseChangeToken
    {
        guard let token = DatabaseChangeToken(opening: text, with: tokens.keys) else {
            if ZoneChangeToken(opening: text, with: tokens.keys) != nil
                || SharedZoneToken(opening: text, with: tokens.keys) != nil
            {
                throw .changeTokenForeign()
            }
            if SealedToken.open(text, with: tokens.keys) != nil { throw .changeTokenExpired(.outdated) }
            throw .changeTokenInvalid()
        }
        guard token.address == address else { throw .changeTokenForeign() }
        guard token.store == tokens.store else { throw .changeTokenExpired(.restored) }
        guard token.database == database else { throw .changeTokenExpired(.recreated) }
        return token
    }

    /// - Returns: a page of zones, and the snapshot of the listing's first page.
    private func read(
        _ database: DatabaseEntry, _ context: RequestContext, token: DatabaseChangeToken?, limit: Int
    ) async throws -> ([DatabaseFeed.ChangedZone], snapshot: String) {
        try await pool.withConnection { connection in
            var snapshot = token?.page?.snapshot
            if snapshot == nil {
                let present = try await connection.pipeline([DatabaseFeed.snapshot(of: database)])
                guard let text = DatabaseFeed.snapshot(present[0]) else {
                    // Another instance has deleted the database together with its container.
                    directory.forget(container: context.container)
                    throw ServerError.badContainer(context.container)
                }
                snapshot = text
            }
            let upTo = snapshot ?? ""
            let found = try await connection.pipeline([
                DatabaseFeed.changes(
                    of: database, since: token?.since, upTo: upTo,
                    after: token?.page.map { DatabaseFeed.Place(xid: $0.afterXID, zone: $0.afterZone) },
                    isPublic: context.scope == .public, limit: limit)
            ])
            // This must happen after the zones have been read: if a zone's row was removed earlier, the purge mark has
            // been raised by now.
            if let token {
                let purged = try await connection.pipeline([
                    DatabaseFeed.purged(in: database, since: token.since ?? upTo)
                ])
                guard purged[0].isEmpty else { throw ServerError.changeTokenExpired(.purged) }
            }
            return (DatabaseFeed.zones(found[0]), upTo)
        }
    }
}
