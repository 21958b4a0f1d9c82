package import CloudKitModel
package import PostgresClient

/// The statements over an environment's uses of blobs.
package struct AssetUseTable: Sendable {
    /// The foreign key to the asset service's blobs, as `0002_asset_uses.sql` names it; partitions inherit the name.
    fileprivate static let blobConstraint = "asset_use_blob_fkey"

    private let table: String
    private let environment: EnvironmentRow

    /// The table of that environment.
    package init(_ environment: EnvironmentRow) {
        self.environment = environment
        table = environment.assetUseTable
    }

    /// Makes `changes`: statements for what goes, then one for what comes, none where there is nothing.
    ///
    /// The insert locks each blob's row against deletion until the commit, and fails when there is none:
    /// ``PostgresClient/PostgresError/missingBlob``.
    package func write(_ changes: AssetUseChanges) -> [PostgresCall] {
        var calls: [PostgresCall] = []
        if !changes.cleared.isEmpty { calls.append(clear(changes.cleared)) }
        if !changes.removed.isEmpty { calls.append(remove(changes.removed)) }
        if !changes.added.isEmpty { calls.append(add(changes.added)) }
        return calls
    }

    /// All uses of records. (By `ctid`, since a `delete … using` may turn the join round.)
    private func clear(_ records: [RecordKey]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                delete from \(table) where ctid = any(array(
                    select u.ctid from unnest($2::int8[], $3::text[]) as k(zone, record)
                    cross join lateral (select u.ctid from \(table) u
                        where u.environment = $1 and u.zone = k.zone and u.record = k.record offset 0) u))
                """),
            [
                .int4(environment.rawValue), .int8Array(records.map(\.zone.rawValue)), .names(records.map(\.name)),
            ])
    }

    /// Single uses, each by its whole key: a record may have thousands.
    private func remove(_ uses: [AssetUse]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                delete from \(table) where ctid = any(array(
                    select u.ctid
                    from unnest($2::int8[], $3::text[], $4::text[], $5::int4[]) as k(zone, record, field, position)
                    cross join lateral (select u.ctid from \(table) u
                        where u.environment = $1 and u.zone = k.zone and u.record = k.record and u.field = k.field
                            and u.position = k.position offset 0) u))
                """),
            [
                .int4(environment.rawValue), .int8Array(uses.map(\.record.zone.rawValue)),
                .names(uses.map(\.record.name)), .textArray(uses.map(\.field)),
                .int4Array(uses.map(\.position)),
            ])
    }

    private func add(_ uses: [AssetUse]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                insert into \(table) (environment, zone, record, field, position, blob)
                select $1, * from unnest($2::int8[], $3::text[], $4::text[], $5::int4[], $6::int8[])
                """),
            [
                .int4(environment.rawValue), .int8Array(uses.map(\.record.zone.rawValue)),
                .names(uses.map(\.record.name)), .textArray(uses.map(\.field)),
                .int4Array(uses.map(\.position)), .int8Array(uses.map(\.blob)),
            ])
    }

    /// Which of `blobs` are in use: one column.
    package func used(_ blobs: [Int64]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select b.blob from unnest($1::int8[]) as b(blob)
                cross join lateral (select from \(table) u where u.blob = b.blob limit 1) u
                """), [.int8Array(blobs)])
    }

    /// Which databases use `blobs`, by blob and database from `after` on: blob, database, scope, owner.
    package func holders(of blobs: [Int64], after: (blob: Int64, database: Int64), limit: Int) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select h.blob, h.database, d.scope, d.owner
                from (select distinct u.blob, z.database
                    from \(table) u join record.zone z on z.id = u.zone
                    where u.blob = any($1) and u.blob >= $2 and (u.blob, z.database) > ($2, $3)
                    order by 1, 2 limit $4) h
                join record.database d on d.id = h.database order by 1, 2
                """), [.int8Array(blobs), .int8(after.blob), .int8(after.database), .int8(Int64(limit))])
    }

    /// Which of `blobs` a record of one database uses: one column. Of each blob no more than a thousand uses are looked
    /// at, so that one that all the world uses costs no more than others, and says nothing by how long it takes.
    package func used(_ blobs: [Int64], by scope: DatabaseScope, owner: String) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select b.blob from unnest($1::int8[]) as b(blob)
                cross join lateral (select from (select zone from \(table) u where u.blob = b.blob limit 1000) u
                    join record.zone z on z.id = u.zone join record.database d on d.id = z.database
                    where d.scope = $2 and d.owner = $3 limit 1) u
                """), [.int8Array(blobs), .int2(scope.rawValue), .text(owner)])
    }

    /// Who uses `blob`, up to `limit`: scope, owner, zone, record, field, position.
    package func references(to blob: Int64, limit: Int) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select d.scope, d.owner, z.name, u.record, u.field, u.position
                from \(table) u join record.zone z on z.id = u.zone join record.database d on d.id = z.database
                where u.blob = $1 order by u.zone, u.record, u.field, u.position limit $2
                """), [.int8(blob), .int8(Int64(limit))])
    }
}

extension PostgresError {
    /// Whether a use refers to a blob that is not there.
    package var isOfMissingBlob: Bool {
        sqlState == .foreignKeyViolation && constraint == AssetUseTable.blobConstraint
    }

    /// That blob, out of `Key (blob)=(123) is not present in table "blob".`, whose numbers stand the same in every
    /// language of the server.
    package var missingBlob: Int64? {
        guard isOfMissingBlob, let key = diagnostics?.detail?.split(separator: ")=(", maxSplits: 1).last else {
            return nil
        }
        return Int64(key.prefix { $0 != ")" })
    }
}
