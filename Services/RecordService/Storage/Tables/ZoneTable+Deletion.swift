package import CloudKitModel
package import Foundation
package import PostgresClient
package import ServiceMessages

extension ZoneTable {
    /// A zone that ``delete(_:of:reason:by:limit:)`` deleted.
    package struct Deleted: Sendable {
        /// The name of the zone.
        package let name: ZoneName
        /// The row of the zone.
        package let row: ZoneRow
        /// The incarnation that ended.
        package let incarnation: UUID
        /// The change number of the deletion.
        package let seq: Int64
        /// The id of the transaction.
        package let xid: UInt64
        /// The time of the deletion, in milliseconds since 1970.
        package let at: Int64
        /// The environment's rights.
        package let rights: Int64
        /// Whether the zone contained shares.
        package let wasShared: Bool

        fileprivate init(_ row: PostgresRow) {
            name = ZoneName(unchecked: row.string(0))
            self.row = ZoneRow(row.int64(1))
            (incarnation, seq, xid) = (row.uuid(2), row.int64(3), row.xid8(4))
            (at, rights, wasShared) = (row.milliseconds(5), row.int64(6), row.bool(7))
        }
    }

    /// Returns the zones that ``delete(_:of:reason:by:limit:)`` deleted, in order of their rows.
    package static func deleted(_ result: PostgresResult) -> [Deleted] { result.map(Deleted.init) }

    /// Deletes live custom zones of a database; ``deleted(_:)`` decodes the result. The commit makes the zones
    /// invisible; their rows are removed in the background (``Reclaimer``). The last row of a zone's log reports the
    /// deletion, which has its own change number. The statement also ends the zones' shares. It waits for transactions
    /// that are writing to the zones.
    ///
    /// - Parameters:
    ///   - names: the zones to delete; nil for all zones except the default zone, up to `limit`.
    ///   - reason: the reason that clients receive.
    ///   - actor: the context of the request.
    package static func delete(
        _ names: [ZoneName]?, of database: DatabaseEntry, reason: ZoneDeletionReason, by actor: RequestContext,
        limit: Int
    ) -> PostgresCall {
        // There are two variants of the statement, so that each can use the index that it needs.
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
                    set deleted_at = now(), deletion_reason = $4, changed_xid = pg_current_xact_id(),
                        change_seq = change_seq + 1
                    where id = any(array(select id from found)) returning id, name, incarnation, change_seq, changed_xid,
                        sharing),
                ended as (
                    update record.share s set ended_seq = g.change_seq, ended_at = now(), audience = s.audience + 1,
                        changed_xid = pg_current_xact_id()
                    from gone g where s.zone = g.id and s.ended_seq is null),
                logged as (
                    insert into record.change (at, zone, incarnation, from_seq, to_seq, client, user_name, records, bytes,
                        is_deletion)
                    select now(), id, incarnation, change_seq, change_seq, $6, $7, '[]', 2, true from gone),
                jobs as (
                    insert into record.job (kind, arguments)
                    select 'zone.reclaim', jsonb_build_object('environment', $5::int4, 'zone', id) from gone)
                select g.name, g.id, g.incarnation, g.change_seq, g.changed_xid, now(), e.rights, g.sharing <> 0
                from gone g join record.environment e on e.id = $5 order by g.id
                """),
            [
                .int8(database.id), .textArray(names?.map(\.rawValue) ?? []), .int8(Int64(limit)),
                .text(reason.rawValue),
                .int4(database.environment.rawValue), .text(actor.client), .text(actor.user),
            ])
    }

    /// Reads the deletion reasons of zones that were deleted from a database; ``deletionReasons(_:)`` decodes them. The
    /// result has no row for a live zone or for a zone that never existed.
    package static func deletions(of names: [ZoneName], in database: DatabaseEntry) -> PostgresCall {
        PostgresCall(
            """
            select k.name, z.deletion_reason from unnest($2::text[]) as k(name)
            cross join lateral (select deletion_reason from record.zone
                where database = $1 and name = k.name order by id desc limit 1) z
            where z.deletion_reason is not null
            """, [.int8(database.id), .textArray(names.map(\.rawValue))])
    }

    /// Returns the reasons that ``deletions(of:in:)`` found, keyed by zone name.
    package static func deletionReasons(_ result: PostgresResult) -> [ZoneName: ZoneDeletionReason] {
        var reasons: [ZoneName: ZoneDeletionReason] = [:]
        for row in result { reasons[ZoneName(unchecked: row.string(0))] = ZoneDeletionReason(rawValue: row.string(1)) }
        return reasons
    }

    /// Notes that a client has deleted a zone that a key reset had already deleted. From then on, the reset is no
    /// longer reported (semantics 6: delete, create again, upload). Affects one row if a key reset deleted the zone;
    /// otherwise, no rows.
    package static func acknowledgeReset(of name: ZoneName, in database: DatabaseEntry) -> PostgresCall {
        PostgresCall(
            """
            update record.zone set deletion_reason = 'deleted'
            where deletion_reason = 'encryptedDataReset' and id = (
                select id from record.zone where database = $1 and name = $2 order by id desc limit 1)
            """, [.int8(database.id), .text(name.rawValue)])
    }
}
