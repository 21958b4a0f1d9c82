internal import CloudKitModel
internal import PostgresClient
internal import RequestServing
internal import SignedTokens

/// What the operations work with.
struct RecordStore: Sendable {
    let pool: PostgresPool
    var directory: Directory
    var schema: SchemaStore
    let keys: SigningKeys
    /// Signs the markers of queries.
    let markerKeys: SigningKeys
    /// The first eight bytes of the store's incarnation, as tokens carry it.
    var incarnation: UInt64 { present.value }
    /// Where ``incarnation`` comes from.
    var present: StoreIncarnation
    var limits: Limits
    /// The addresses of assets in answers; nil: they have none.
    let downloads: AssetDownloads?
    /// The connections of queries, whose statements end after a while, so that none holds up anything else.
    var queryPool: PostgresPool
    /// How long one request may work at a query in memory.
    var queryTime: Duration = .seconds(5)
    /// The indexes that queries want.
    var indexes: QueryIndexes
    /// How often requests may come, for capabilities.
    var throttle = ThrottleConfiguration()
    /// Which writes were executed.
    var ledger: RequestLedger { RequestLedger(pool: pool, table: .record) }

    /// Hands out tokens of zones.
    var tokens: ZoneTokenIssuer { ZoneTokenIssuer(keys: keys, incarnation: present) }

    /// The same with an incarnation that stays: a request that began under the former one must not end with a token of the
    /// new one, which would hide what was lost in between.
    func pinned() -> RecordStore {
        var pinned = self
        pinned.present = StoreIncarnation(incarnation)
        return pinned
    }

    /// A token for a zone.
    func token(
        for zone: ZoneEntry, position: Int64, horizon: Int64, descent: ZoneChangeToken.Descent? = nil
    ) -> String {
        tokens.token(
            row: zone.row, address: zone.address, position: position, horizon: horizon, descent: descent)
    }

    /// Those of `records` that are not about to go with a deletion (``CascadeTable``): nobody sees half of a tree.
    ///
    /// - Parameter isCascading: whether the zone has such deletions; if not, this costs nothing.
    func visible(_ records: [StoredRecord], in zone: ZoneEntry, isCascading: Bool) async throws -> [StoredRecord] {
        guard isCascading else { return records }
        let names = records.lazy.filter { !$0.isTombstone }.map(\.name)
        let table = CascadeTable(zone.database.environment)
        let doomed = try await pool.withConnection { [names = Array(names)] connection in
            Set(try await connection.pipeline([table.doomed(names, in: zone.row)])[0].map { $0.recordName(0) })
        }
        return records.filter { $0.isTombstone || !doomed.contains($0.name) }
    }
}
