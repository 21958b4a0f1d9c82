internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// The changed zones of the shared database, across their owners. A zone is listed if something that the caller can see
/// in it has changed. It is listed as deleted if the caller has lost access to the last of its shares.
///
/// The pages of a listing are ordered by zone. Each page reads the caller's access again. The token of the last page
/// contains the snapshot of the first page, so that the next listing includes the changes made during this listing.
extension DatabaseChangesOperation {
    func sharedPage(
        after syncToken: String?, _ body: DatabaseChangesRequest, _ context: RequestContext
    ) async throws -> Page {
        let environment = try await directory.environment(for: context).row
        let (database, address) = (Int64(environment.rawValue), AddressDigest.sharedDatabase(context))
        let token = try syncToken.map { try open($0, of: database, address) }
        let limit = limit(of: body)
        let (found, snapshot) = try await readShared(environment, context, token: token, limit: limit)
        // If the page is full, the zones after the last one on the page have not been listed yet.
        let end = found.zones.count == limit ? found.zones.last?.row : found.lastExamined
        // The token is renewed even if nothing has changed. Otherwise, the purge mark, which other users' losses of
        // access also raise, would expire the token of a client that asks regularly.
        var next = DatabaseChangeToken(
            store: tokens.store, address: address, database: database, since: snapshot, page: nil)
        if let end {
            next.since = token?.since
            next.page = DatabaseChangeToken.Page(snapshot: snapshot, afterXID: 0, afterZone: end.rawValue)
        }
        return Page(
            // The answer does not disclose why the caller lost access.
            zones: found.zones.map { Page.Zone(id: $0.id, deletion: $0.isLost ? .deleted : nil) },
            syncToken: next.sealed(with: tokens.keys), moreComing: end != nil)
    }

    /// - Returns: a page of zones, and the snapshot of the listing's first page.
    private func readShared(
        _ environment: EnvironmentRow, _ context: RequestContext, token: DatabaseChangeToken?, limit: Int
    ) async throws -> (SharedDatabaseFeed.Page, snapshot: String) {
        // Each statement has its own snapshot. The zones are therefore read after the token's snapshot, and the mark is
        // read after the zones: if a loss of access was purged before the zones were read, the mark has already been
        // raised.
        var calls = [
            SharedDatabaseFeed.snapshot(in: environment),
            SharedDatabaseFeed.changes(
                for: context.user, in: environment, since: token?.since,
                after: token?.page.map { ZoneRow($0.afterZone) }, limit: limit),
        ]
        if let since = token?.since ?? token?.page?.snapshot {
            calls.append(SharedDatabaseFeed.purged(in: environment, since: since))
        }
        let results = try await pool.withConnection { try await $0.pipeline(calls) }
        guard let snapshot = SharedDatabaseFeed.snapshot(results[0]) else {
            // Another instance has deleted the environment together with its container.
            directory.forget(container: context.container)
            throw ServerError.badContainer(context.container)
        }
        guard results.count < 3 || results[2].isEmpty else { throw ServerError.changeTokenExpired(.purged) }
        return (SharedDatabaseFeed.page(results[1]), token?.page?.snapshot ?? snapshot)
    }
}
