package import CloudKitModel
package import PostgresClient

/// The SQL statements for the asset uses of an environment.
package struct AssetUseTable: Sendable {
    /// The name that `0002_asset_uses.sql` gives to the foreign key to the asset service's blobs. Partitions inherit
    /// the name.
    fileprivate static let blobConstraint = "asset_use_blob_fkey"

    private let table: String
    private let environment: EnvironmentRow

    /// Creates the statements for an environment's table.
    package init(_ environment: EnvironmentRow) {
        self.environment = environment
        table = environment.assetUseTable
    }

    /// Returns the statements that write `changes`: first the deletions, then the insertion. Statements that would have
    /// no effect are left out.
    ///
    /// The insert locks each blob's row against deletion until the commit. If a blob has no row, the insert fails with
    /// an error whose ``PostgresClient/PostgresError/missingBlob`` is the blob's id.
    func write(_ changes: AssetUseChanges) -> [PostgresCall] {
        changes.statements(clear: clear, remove: remove, add: add)
    }

    /// Deletes all uses by `records`. The statement deletes by `ctid`, because the planner might reverse the join of a
    /// `delete … using`.
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

    /// Deletes individual uses, each by its complete key, because a record can have thousands of uses.
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

    /// Finds which of `blobs` are in use; ``blobs(_:)`` decodes them.
    package func used(_ blobs: [Int64]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select b.blob from unnest($1::int8[]) as b(blob)
                cross join lateral (select from \(table) u where u.blob = b.blob limit 1) u
                """), [.int8Array(blobs)])
    }

    /// A database in which a record uses a blob.
    package struct Holder: Sendable {
        /// The id of the blob, `asset.blob.id`.
        package let blob: Int64
        /// The id of the database, `record.database.id`.
        package let database: Int64
        /// The scope of the database; nil if unknown to this release.
        package let scope: DatabaseScope?
        /// The owner of the database.
        package let owner: String
    }

    /// The holders that ``holders(of:after:limit:)`` found.
    package static func holders(_ result: PostgresResult) -> [Holder] {
        result.map {
            Holder(
                blob: $0.int64(0), database: $0.int64(1), scope: DatabaseScope(rawValue: $0.int16(2)),
                owner: $0.string(3))
        }
    }

    /// The blobs that ``used(_:)`` or ``used(_:by:owner:)`` found.
    package static func blobs(_ result: PostgresResult) -> [Int64] { result.map { $0.int64(0) } }

    /// A field of a record, or an element of a list in a field, that refers to a blob.
    package struct Reference: Sendable {
        /// The scope of the database; nil if unknown to this release.
        package let scope: DatabaseScope?
        /// The owner of the database.
        package let owner: String
        /// The name of the zone.
        package let zone: String
        /// The name of the record.
        package let record: String
        /// The name of the field.
        package let field: String
        /// The position in a list, starting at 0.
        package let position: Int32
    }

    /// The references that ``references(to:limit:)`` found.
    package static func references(_ result: PostgresResult) -> [Reference] {
        result.map {
            Reference(
                scope: DatabaseScope(rawValue: $0.int16(0)), owner: $0.string(1), zone: $0.string(2),
                record: $0.string(3), field: $0.string(4), position: $0.int32(5))
        }
    }

    /// Reads the databases that use `blobs`, ordered by blob and database, starting after `after`; ``holders(_:)``
    /// decodes them.
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

    /// Finds which of `blobs` are used by records of one database; ``blobs(_:)`` decodes them. At most a thousand uses
    /// of each blob are examined. A blob with very many uses therefore costs no more than any other, and the duration
    /// of the statement does not reveal how many uses a blob has.
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

    /// Reads up to `limit` references to `blob`; ``references(_:)`` decodes them.
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
    /// Whether a statement failed because an asset use refers to a blob that does not exist.
    package var isOfMissingBlob: Bool {
        sqlState == .foreignKeyViolation && constraint == AssetUseTable.blobConstraint
    }

    /// The id of the missing blob; nil for other errors. It is taken from the error's detail, `Key (blob)=(123) is not
    /// present in table "blob".`, where the part with the id does not depend on the server's language.
    package var missingBlob: Int64? {
        guard isOfMissingBlob, let key = diagnostics?.detail?.split(separator: ")=(", maxSplits: 1).last else {
            return nil
        }
        return Int64(key.prefix { $0 != ")" })
    }
}
