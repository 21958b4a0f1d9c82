package import CloudKitModel
package import PostgresClient

extension ZoneTable {
    /// Deletes live custom zones of a database: they are out of sight at the commit, and their rows go in the background
    /// (``Reclaimer``). Returns their names, in order. Waits for writers of the zones.
    ///
    /// - Parameters:
    ///   - names: nil: all zones but the default one, as many as `limit`.
    ///   - reason: what clients are told of it.
    package static func delete(
        _ names: [String]?, of database: DatabaseEntry, reason: ZoneDeletionReason, limit: Int
    ) -> PostgresCall {
        // Two statements, so that each has the index that it needs.
        let wanted = names == nil ? "cardinality($2::text[]) = 0" : "name = any($2)"
        return PostgresCall(
            PostgresStatement(
                """
                with found as (
                    select id from record.zone
                    where database = $1 and \(wanted) and deleted_at is null and name <> '_defaultZone'
                    order by id limit $3 for update),
                gone as (
                    update record.zone
                    set deleted_at = now(), deletion_reason = $4, changed_xid = pg_current_xact_id()
                    where id = any(array(select id from found)) returning id, name),
                jobs as (
                    insert into record.job (kind, arguments)
                    select 'zone.reclaim', jsonb_build_object('environment', $5::int4, 'zone', id) from gone)
                select name from gone order by id
                """),
            [
                .int8(database.id), .textArray(names ?? []), .int8(Int64(limit)), .text(reason.rawValue),
                .int4(database.environment.rawValue),
            ])
    }

    /// Reads why zones of a database went that are not there; no row for those that never were.
    package static func deletions(of names: [String], in database: DatabaseEntry) -> PostgresCall {
        PostgresCall(
            """
            select k.name, z.deletion_reason from unnest($2::text[]) as k(name)
            cross join lateral (select deletion_reason from record.zone
                where database = $1 and name = k.name order by id desc limit 1) z
            where z.deletion_reason is not null
            """, [.int8(database.id), .textArray(names)])
    }

    /// The reasons that ``deletions(of:in:)`` found, by the zones' names.
    package static func deletionReasons(_ result: PostgresResult) -> [String: ZoneDeletionReason] {
        var reasons: [String: ZoneDeletionReason] = [:]
        for row in result { reasons[row.string(0)] = ZoneDeletionReason(rawValue: row.string(1)) }
        return reasons
    }

    /// The client's own deletion of a zone that went for the reset of its keys: it is told no more (semantics 6: delete,
    /// make again, upload). Affects a row if it was such a zone.
    package static func acknowledgeReset(of name: String, in database: DatabaseEntry) -> PostgresCall {
        PostgresCall(
            """
            update record.zone set deletion_reason = 'deleted'
            where deletion_reason = 'encryptedDataReset' and id = (
                select id from record.zone where database = $1 and name = $2 order by id desc limit 1)
            """, [.int8(database.id), .text(name)])
    }
}
