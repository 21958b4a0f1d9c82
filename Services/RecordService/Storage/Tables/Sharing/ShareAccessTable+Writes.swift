package import CloudKitModel
package import PostgresClient

/// The SQL statements for writes by participants to other users' zones.
extension ShareAccessTable {
    /// A user who writes to a zone of another user.
    package struct Writer: Hashable, Sendable {
        /// The zone.
        package let zone: ZoneRow
        /// The user.
        package let user: String

        /// Creates a writer.
        package init(zone: ZoneRow, user: String) {
            self.zone = zone
            self.user = user
        }
    }

    /// Reads the live shares to which each writer has access; ``accesses(_:)`` decodes them.
    package static func read(of writers: [Writer], in environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select k.zone, k.user_name, a.id, a.is_of_zone, a.permission, a.since_seq, a.is_administrator
                from unnest($2::int8[], $3::text[]) as k(zone, user_name)
                cross join lateral (
                    select s.id, s.root is null as is_of_zone, p.since_seq, p.role = 2 as is_administrator,
                        case when p.role = 4 then s.public_permission else p.permission end as permission
                    from record.participant p join record.share s on s.zone = p.zone and s.id = p.share
                    where p.environment = $1 and p.zone = k.zone and p.user_name = k.user_name and \(hasAccess)
                    offset 0) a
                """),
            [
                .int4(environment.rawValue), .int8Array(writers.map(\.zone.rawValue)), .textArray(writers.map(\.user)),
            ])
    }

    /// The access of each writer. Writers without access are left out.
    package static func accesses(_ result: PostgresResult) -> [Writer: ShareAccess] {
        var shares: [Writer: [ShareAccess.Share]] = [:]
        for row in result {
            shares[Writer(zone: ZoneRow(row.int64(0)), user: row.string(1)), default: []].append(
                ShareAccess.Share(
                    id: ShareID(row.int64(2)), isOfZone: row.bool(3),
                    permission: SharePermission(rawValue: row.int16(4)) ?? .none,
                    since: row.int64IfPresent(5) ?? 0, isAdministrator: row.bool(6)))
        }
        return shares.mapValues { ShareAccess(shares: $0) }
    }

    /// Reads the numbers and record names of at most `limit` live shares to which `user` has access in a zone, in order
    /// of the numbers; ``shares(_:)`` decodes them.
    ///
    /// - Parameter last: the number after which the reading begins; nil for the beginning.
    package static func shares(of user: String, in zone: ZoneRow, after last: ShareID?, limit: Int) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select s.id, s.name from (select * from record.participant p
                    where p.zone = $1 and p.user_name = $2 and p.role <> 1 and p.since_seq is not null
                        and p.share > $3 and p.status = 2 offset 0) p
                join record.share s on s.zone = p.zone and s.id = p.share
                where \(hasAccess) order by s.id limit $4
                """),
            [.int8(zone.rawValue), .text(user), .int8(last?.rawValue ?? 0), .int8(Int64(limit))])
    }

    /// The shares that ``shares(of:in:after:limit:)`` found.
    package static func shares(_ result: PostgresResult) -> [(id: ShareID, name: RecordName)] {
        result.map { (ShareID($0.int64(0)), $0.recordName(1)) }
    }
}
