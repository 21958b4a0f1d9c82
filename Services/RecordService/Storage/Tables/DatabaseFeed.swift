package import CloudKitModel
package import Foundation
package import PostgresClient

/// The SQL statements for the feed of a database, which lists its changed zones.
///
/// A zone is listed if its last change is not visible in the client's snapshot of PostgreSQL's transactions. A listing
/// that spans several pages continues after a (transaction id, zone) pair, and ends at the snapshot of its first page.
package enum DatabaseFeed {
    /// A zone that changed.
    package struct ChangedZone: Sendable {
        /// The row of the zone.
        package let row: ZoneRow
        /// The incarnation of the zone.
        package let incarnation: UUID
        /// The name of the zone.
        package let name: ZoneName
        /// The id of the transaction that last changed the zone.
        package let xid: UInt64
        /// The reason for the zone's deletion; nil if the zone is live.
        package let deletion: ZoneDeletionReason?

        fileprivate init(_ row: PostgresRow) {
            self.row = ZoneRow(row.int64(0))
            (incarnation, name) = (row.uuid(1), ZoneName(unchecked: row.string(2)))
            (xid, deletion) = (row.xid8(3), row.stringIfPresent(4).flatMap(ZoneDeletionReason.init))
        }
    }

    /// The place after which a page begins.
    package struct Place: Sendable {
        /// The id of the transaction that last changed the last zone listed; 0 for the first page.
        package var xid: UInt64 = 0
        /// The row of the last zone listed.
        package var zone: Int64 = 0

        /// Creates a place.
        package init(xid: UInt64, zone: Int64) { (self.xid, self.zone) = (xid, zone) }
    }

    /// Reads the current snapshot; ``snapshot(_:)`` decodes it.
    package static func snapshot(of database: DatabaseEntry) -> PostgresCall {
        PostgresCall(
            "select pg_current_snapshot()::text from record.database where id = $1", [.int8(database.id)])
    }

    /// The snapshot that ``snapshot(of:)`` read; nil if the database is gone.
    package static func snapshot(_ result: PostgresResult) -> String? { result.first?.string(0) }

    /// Reads zones that changed after `since` and up to `snapshot`; ``zones(_:)`` decodes them.
    ///
    /// A private database's feed does not list the default zone (semantics 1.3). A public database's feed does, because
    /// a public database has no other zone. A deleted zone is left out if the client has no snapshot yet, or if a zone
    /// with the same name has since been created.
    ///
    /// - Parameter since: the snapshot that the client has; nil if it has none yet.
    package static func changes(
        of database: DatabaseEntry, since: String?, upTo snapshot: String, after place: Place?, isPublic: Bool,
        limit: Int
    ) -> PostgresCall {
        PostgresCall(
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
                .int8(database.id), .xid8(place?.xid ?? 0), .int8(place?.zone ?? 0), .text(snapshot), .text(since),
                .bool(isPublic), .int4(Int32(limit)),
            ])
    }

    /// The zones that ``changes(of:since:upTo:after:isPublic:limit:)`` found.
    package static func zones(_ result: PostgresResult) -> [ChangedZone] { result.map(ChangedZone.init) }

    /// Checks whether a purge has removed the row of a deleted zone whose deletion a client with the snapshot `since`
    /// might not know about. This includes a deletion that was in progress when the client's token was issued. The
    /// result has one row if there was such a deletion; otherwise, no rows.
    package static func purged(in database: DatabaseEntry, since: String) -> PostgresCall {
        PostgresCall(
            "select from record.database where id = $1 and purge_mark >= pg_snapshot_xmin($2::text::pg_snapshot)",
            [.int8(database.id), .text(since)])
    }
}
