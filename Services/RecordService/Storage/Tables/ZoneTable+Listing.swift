package import CloudKitModel
package import Foundation
package import PostgresClient

/// A live zone of a database.
package struct ListedZone: Sendable {
    /// The row of the zone.
    package let row: ZoneRow
    /// The incarnation of the zone.
    package let incarnation: UUID
    /// The name of the zone.
    package let name: ZoneName
    /// The number of the zone's last change.
    package let changeSeq: Int64
}

extension ZoneTable {
    /// Reads live zones of a database, first the default zone and then the others, ordered by name; ``listed(_:)``
    /// decodes the result.
    ///
    /// - Parameter names: the zones to read; nil for all zones.
    package static func list(_ database: DatabaseEntry, named names: [ZoneName]?, limit: Int) -> PostgresCall {
        PostgresCall(
            """
            select id, incarnation, name, change_seq from record.zone
            where database = $1 and deleted_at is null and ($2 or name = any($3))
            order by name <> '_defaultZone', name limit $4
            """,
            [
                .int8(database.id), .bool(names == nil), .textArray(names?.map(\.rawValue) ?? []), .int8(Int64(limit)),
            ])
    }

    /// Creates a zone unless a live zone with that name exists, and then reads the zone; ``listed(_:)`` decodes the
    /// second result.
    package static func create(_ name: ZoneName, in database: DatabaseEntry) -> [PostgresCall] {
        [
            PostgresCall(
                """
                insert into record.zone (database, name) values ($1, $2)
                on conflict (database, name) where deleted_at is null do nothing
                """, [.int8(database.id), .text(name.rawValue)]),
            PostgresCall(
                """
                select id, incarnation, name, change_seq from record.zone
                where database = $1 and name = $2 and deleted_at is null
                """, [.int8(database.id), .text(name.rawValue)]),
        ]
    }

    /// Returns the zones that ``list(_:named:limit:)`` or the second statement of ``create(_:in:)`` found.
    package static func listed(_ result: PostgresResult) -> [ListedZone] {
        result.map { row in
            ListedZone(
                row: ZoneRow(row.int64(0)), incarnation: row.uuid(1), name: ZoneName(unchecked: row.string(2)),
                changeSeq: row.int64(3))
        }
    }

    /// Reads the rows and names of a database's live zones, in order of the rows; ``rows(_:)`` decodes them.
    package static func all(of database: DatabaseEntry, limit: Int) -> PostgresCall {
        PostgresCall(
            "select id, name from record.zone where database = $1 and deleted_at is null order by id limit $2",
            [.int8(database.id), .int8(Int64(limit))])
    }

    /// Returns the zones that ``all(of:limit:)`` found.
    package static func rows(_ result: PostgresResult) -> [(row: ZoneRow, name: ZoneName)] {
        result.map { (ZoneRow($0.int64(0)), ZoneName(unchecked: $0.string(1))) }
    }

    /// Finds those of `names` that belong to live zones of a database. The result has one column: the name.
    package static func live(_ names: [ZoneName], in database: DatabaseEntry) -> PostgresCall {
        PostgresCall(
            "select name from record.zone where database = $1 and name = any($2) and deleted_at is null",
            [.int8(database.id), .textArray(names.map(\.rawValue))])
    }
}
