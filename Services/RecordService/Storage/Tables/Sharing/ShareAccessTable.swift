package import CloudKitModel
package import PostgresClient

/// The SQL statements that determine what users may see of other users' zones.
package enum ShareAccessTable {
    /// The permission of a participant `p` of a share `s`.
    static let permission = "case when p.role = 4 then s.public_permission else p.permission end"

    /// The condition for a participant `p` of a share `s` who has access.
    static let hasAccess = """
        (s.ended_seq is null and p.status = 2 and p.role <> 1 and p.since_seq is not null
        and \(permission) <> 1)
        """

    /// Reads those shares of a zone to which `user` has or once had access; ``access(_:)`` decodes them.
    ///
    /// Because of `offset 0`, the planner begins with the user rather than with the shares of the zone.
    package static func read(of user: String, in zone: ZoneRow) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select s.id, s.root is null, \(permission),
                    p.since_seq, coalesce(p.until_seq, s.ended_seq), \(hasAccess), p.lost_seq
                from (select * from record.participant p
                    where p.zone = $1 and p.user_name = $2 and p.role <> 1 and p.since_seq is not null offset 0) p
                join record.share s on s.zone = p.zone and s.id = p.share
                """), [.int8(zone.rawValue), .text(user)])
    }

    /// Counts the members, including tombstones, of those shares of a zone to which `user` has access, except the
    /// zone-wide share; ``members(_:)`` decodes the result. The count stops at one above `limit`. If `moves` is given, it
    /// examines every member that is hidden, so the number of members must be limited beforehand.
    ///
    /// - Parameter moves: the moves in the zone. If records are leaving shares, the parents of the members are checked.
    package static func members(
        of user: String, in zone: ZoneRow, of environment: EnvironmentRow, moves: ShareMoves, limit: Int
    ) -> PostgresCall {
        let isBelow =
            moves == .leaving ? " and (r.fields is null or \(MembershipTable.isBelowRoot("r", in: environment)))" : ""
        return PostgresCall(
            PostgresStatement(
                """
                select count(*) from (
                    select from record.participant p join record.share s on s.zone = p.zone and s.id = p.share
                    cross join lateral (
                        select from \(environment.recordTable) r
                        where r.environment = $1 and r.zone = $2 and r.share = s.id\(isBelow) offset 0) r
                    where p.zone = $2 and p.user_name = $3 and s.root is not null and \(hasAccess)
                    limit $4) r
                """),
            [.int4(environment.rawValue), .int8(zone.rawValue), .text(user), .int8(Int64(limit) + 1)])
    }

    /// Returns the number that ``members(of:in:of:moves:limit:)`` found.
    package static func members(_ result: PostgresResult) -> Int { Int(result.first?.int64(0) ?? 0) }

    /// A zone that a user sees.
    package struct Zone: Sendable {
        /// The row of the zone.
        package let row: ZoneRow
        /// The name and the owner of the zone.
        package let id: ZoneID
        /// The number of the zone's last change.
        package let changeSeq: Int64
        /// Whether the zone is shared as a whole.
        package let isWhole: Bool
    }

    /// Returns the access that ``read(of:in:)`` found; nil if there is none.
    package static func access(_ result: PostgresResult) -> ShareAccess? {
        var (shares, lost): ([ShareAccess.Share], [ShareAccess.Lost]) = ([], [])
        var lastInterruption: Int64?
        for row in result {
            let id = ShareID(row.int64(0))
            if row.bool(5) {
                let permission = SharePermission(rawValue: row.int16(2)) ?? .none
                shares.append(
                    ShareAccess.Share(id: id, isOfZone: row.bool(1), permission: permission, since: row.int64(3)))
            } else if let until = row.int64IfPresent(4) {
                lost.append(ShareAccess.Lost(id: id, since: row.int64(3), until: until))
            }
            if let interruption = row.int64IfPresent(6) {
                lastInterruption = max(lastInterruption ?? interruption, interruption)
            }
        }
        return shares.isEmpty ? nil : ShareAccess(shares: shares, lost: lost, lastInterruption: lastInterruption)
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
                select z.name, d.owner, z.id, z.change_seq, p.is_whole from (
                    select p.zone, bool_or(s.root is null) as is_whole
                    from (select * from record.participant p
                        where p.environment = $1 and p.user_name = $2 and p.role <> 1 and p.status = 2 offset 0) p
                    join record.share s on s.zone = p.zone and s.id = p.share
                    where \(hasAccess) group by p.zone) p
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

    /// Returns the zones that ``zones(of:in:named:limit:)`` found.
    package static func zones(_ result: PostgresResult) -> [Zone] {
        result.map { row in
            Zone(
                row: ZoneRow(row.int64(2)),
                id: ZoneID(
                    zoneName: ZoneName(unchecked: row.string(0)), ownerRecordName: UserName(unchecked: row.string(1))),
                changeSeq: row.int64(3), isWhole: row.bool(4))
        }
    }
}
