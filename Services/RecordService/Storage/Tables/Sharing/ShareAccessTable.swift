package import CloudKitModel
package import PostgresClient

/// The SQL statements that determine what users may see of other users' zones.
package enum ShareAccessTable {
    /// The SQL condition that the participant `p` of the share `s` has access.
    private static let hasAccess = """
        s.ended_seq is null and p.status = 2 and p.role <> 1
        and case when p.role = 4 then s.public_permission else p.permission end <> 1
        """

    /// Reads the shares of a zone to which `user` has, or had, access; ``access(_:)`` decodes them.
    package static func read(of user: String, in zone: ZoneRow) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select s.id, s.root is null, case when p.role = 4 then s.public_permission else p.permission end,
                    p.since_seq, coalesce(p.until_seq, s.ended_seq), \(hasAccess)
                from record.participant p join record.share s on s.zone = p.zone and s.id = p.share
                where p.zone = $1 and p.user_name = $2 and p.role <> 1 and p.since_seq is not null
                """), [.int8(zone.rawValue), .text(user)])
    }

    /// The access that ``read(of:in:)`` found; nil if there is none.
    package static func access(_ result: PostgresResult) -> ShareAccess? {
        var (shares, lost): ([ShareAccess.Share], [ShareAccess.Lost]) = ([], [])
        for row in result {
            let id = ShareID(row.int64(0))
            if row.bool(5) {
                let permission = SharePermission(rawValue: row.int16(2)) ?? .none
                shares.append(
                    ShareAccess.Share(id: id, isOfZone: row.bool(1), permission: permission, since: row.int64(3)))
            } else if let until = row.int64IfPresent(4) {
                lost.append(ShareAccess.Lost(id: id, until: until))
            }
        }
        return shares.isEmpty ? nil : ShareAccess(shares: shares, lost: lost)
    }

    /// Reads the live zones to which `user` has access, ordered by owner and name; ``zones(_:)`` decodes them.
    ///
    /// - Parameter names: the owners and the names of the zones to read; nil for all zones.
    package static func zones(
        of user: String, in environment: EnvironmentRow, named names: [(owner: String, zone: ZoneName)]?, limit: Int
    ) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select z.name, d.owner from (
                    select distinct p.zone from record.participant p
                    join record.share s on s.zone = p.zone and s.id = p.share
                    where p.environment = $1 and p.user_name = $2 and \(hasAccess)) p
                join record.zone z on z.id = p.zone and z.deleted_at is null
                join record.database d on d.id = z.database
                where $3 or (d.owner, z.name) in (select owner, name from unnest($4::text[], $5::text[]) as k(owner, name))
                order by d.owner collate "C", z.name limit $6
                """),
            [
                .int4(environment.rawValue), .text(user), .bool(names == nil), .textArray(names?.map(\.owner) ?? []),
                .textArray(names?.map(\.zone.rawValue) ?? []), .int8(Int64(limit)),
            ])
    }

    /// The zones that ``zones(of:in:named:limit:)`` found.
    package static func zones(_ result: PostgresResult) -> [ZoneID] {
        result.map { row in
            ZoneID(zoneName: ZoneName(unchecked: row.string(0)), ownerRecordName: UserName(unchecked: row.string(1)))
        }
    }
}
