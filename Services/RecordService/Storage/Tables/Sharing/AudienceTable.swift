package import Foundation
package import PostgresClient

/// The SQL statements for the audiences of shares: the users who are notified of changes to shared records.
///
/// The version of an audience is `record.share.audience`. Each change through which a participant gains or loses access
/// increments the version in the same transaction.
package enum AudienceTable {
    /// The versions of the audiences of a zone's shares.
    package struct Versions: Sendable {
        /// The versions, keyed by share.
        package var versions: [ShareID: Int64] = [:]
        /// The live zone-wide share, if there is one.
        package var zoneShare: ShareID?

        /// Creates a value that contains no versions.
        package init() {}
    }

    /// Reads the audience versions of `shares` and of the zone-wide shares of `zones`; ``versions(_:)`` decodes the
    /// result.
    package static func versions(of shares: [(zone: ZoneRow, share: ShareID)], zones: [ZoneRow]) -> PostgresCall {
        PostgresCall(
            """
            select s.zone, s.id, s.audience, false from unnest($1::int8[], $2::int8[]) as k(zone, id)
            join record.share s on s.zone = k.zone and s.id = k.id
            union all
            select s.zone, s.id, s.audience, true from record.share s
            where s.zone = any($3) and s.root is null and s.ended_seq is null
            """,
            [
                .int8Array(shares.map(\.zone.rawValue)), .int8Array(shares.map(\.share.rawValue)),
                .int8Array(zones.map(\.rawValue)),
            ])
    }

    /// The versions that ``versions(of:zones:)`` found.
    package static func versions(_ result: PostgresResult) -> [ZoneRow: Versions] {
        result.reduce(into: [:]) { zones, row in
            let (zone, share) = (ZoneRow(row.int64(0)), ShareID(row.int64(1)))
            zones[zone, default: Versions()].versions[share] = row.int64(2)
            if row.bool(3) { zones[zone]?.zoneShare = share }
        }
    }

    /// A place in the list that ``read(_:of:lostSince:after:limit:)`` returns.
    package struct Place: Sendable, Hashable {
        /// The share.
        package let share: ShareID
        /// The participant's number.
        package let number: Int32

        /// Creates a place.
        package init(share: ShareID, number: Int32) { (self.share, self.number) = (share, number) }

        /// The beginning of the list.
        package static let start = Place(share: ShareID(0), number: 0)
    }

    /// A user who has or had access to a share.
    package struct Member: Sendable {
        /// The place in the list.
        package let place: Place
        /// The version of the share's audience.
        package let audience: Int64
        /// The user.
        package let user: String
        /// The number of the change through which the user last gained access.
        package let since: Int64
        /// The number of the change through which the user last lost access; nil if there is no such change.
        package let until: Int64?
    }

    /// Reads the participants in a zone's shares, except the owner, ordered by share and by number; ``members(_:)``
    /// decodes the result. Participants who lost access through a change before number `seq` are left out.
    ///
    /// - Parameter shares: the shares; nil for all shares of the zone.
    package static func read(
        _ shares: [ShareID]?, of incarnation: UUID, lostSince seq: Int64, after place: Place, limit: Int
    ) -> PostgresCall {
        let until = "case when p.status = 2 then coalesce(s.ended_seq, p.until_seq) else p.until_seq end"
        let wanted = shares == nil ? "cardinality($2::int8[]) = 0" : "s.id = any($2)"
        return PostgresCall(
            PostgresStatement(
                """
                select p.share, p.id, s.audience, p.user_name, p.since_seq, \(until)
                from record.zone z join record.share s on s.zone = z.id and \(wanted)
                join record.participant p on p.zone = s.zone and p.share = s.id
                where z.incarnation = $1 and p.role <> 1 and p.user_name is not null and p.since_seq is not null
                    and ((p.status = 2 and s.ended_seq is null) or \(until) >= $3)
                    and (p.status <> 2
                        or case when p.role = 4 then s.public_permission else p.permission end <> 1)
                    and (p.share, p.id) > ($4, $5)
                order by p.share, p.id limit $6
                """),
            [
                .uuid(incarnation), .int8Array(shares?.map(\.rawValue) ?? []), .int8(seq),
                .int8(place.share.rawValue), .int4(place.number), .int8(Int64(limit)),
            ])
    }

    /// The participants that ``read(_:of:lostSince:after:limit:)`` found.
    package static func members(_ result: PostgresResult) -> [Member] {
        result.map { row in
            Member(
                place: Place(share: ShareID(row.int64(0)), number: row.int32(1)), audience: row.int64(2),
                user: row.string(3), since: row.int64(4), until: row.int64IfPresent(5))
        }
    }

    /// Reads, for each range of changes in `ranges`, the shares of a zone that the changes affected; ``touched(_:)``
    /// decodes the result.
    package static func touched(
        by ranges: [ClosedRange<Int64>], in zone: ZoneRow, of environment: EnvironmentRow, limit: Int
    ) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select r.position, s.id
                from unnest($3::int8[], $4::int8[]) with ordinality as r(low, high, position)
                join record.share s on s.zone = $2
                where s.ended_seq between r.low and r.high
                    or exists (select from \(environment.recordTable) m
                        where m.environment = $1 and m.zone = $2 and m.share = s.id
                            and m.share_seq between r.low and r.high)
                    or exists (select from record.departure d
                        where d.zone = $2 and d.share = s.id and d.seq between r.low and r.high)
                order by r.position, s.id limit $5
                """),
            [
                .int4(environment.rawValue), .int8(zone.rawValue), .int8Array(ranges.map(\.lowerBound)),
                .int8Array(ranges.map(\.upperBound)), .int8(Int64(limit)),
            ])
    }

    /// The shares that ``touched(by:in:of:limit:)`` found, keyed by the position of the range.
    package static func touched(_ result: PostgresResult) -> [Int: [Int64]] {
        result.reduce(into: [:]) { $0[Int($1.int64(0)) - 1, default: []].append($1.int64(1)) }
    }
}
