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
        /// The user.
        package let user: String
        /// The share.
        package let share: ShareID

        /// Creates a place.
        package init(user: String, share: ShareID) { (self.user, self.share) = (user, share) }

        /// The beginning of the list.
        package static let start = Place(user: "", share: ShareID(0))
    }

    /// A user who has or had access to a share.
    package struct Member: Sendable {
        /// The place in the list.
        package let place: Place
        /// The version of the share's audience.
        package let audience: Int64
        /// The number of the change through which the user last gained access.
        package let since: Int64
        /// The number of the change through which the user last lost access; nil if there is no such change.
        package let until: Int64?
        /// The number of the change through which the user lost access before ``since``; nil if there is no such
        /// change.
        package let lost: Int64?
        /// Whether the user has access, or lost it through the change given to ``read(_:of:lostSince:after:limit:)`` or
        /// a later one.
        package let isConcerned: Bool
    }

    /// The number of the change through which a participant `p` of a share `s` last lost access.
    private static let until = """
        case when p.status = 2 and \(ShareAccessTable.permission) <> 1 then coalesce(s.ended_seq, p.until_seq)
            else p.until_seq end
        """

    private static let columns = """
        p.share, s.audience, p.user_name, p.since_seq, \(until) as until_seq, p.lost_seq,
            coalesce(\(ShareAccessTable.hasAccess) or \(until) >= $3, false) as is_concerned
        """

    private static let isParticipant = """
        p.role <> 1 and p.since_seq is not null and p.user_name >= $4 and (p.user_name, p.share) > ($4, $5)
        """

    /// Reads the users who have or had access to a zone's shares, except the owner, ordered by user and by share;
    /// ``members(_:)`` decodes the result. Of each share, and of the whole list, no more than `limit` rows are read, so
    /// that the cost does not depend on the number of participants.
    ///
    /// - Parameters:
    ///   - shares: the shares; nil for all shares of the zone.
    ///   - seq: users who lost access through an earlier change are not concerned (``Member/isConcerned``).
    package static func read(
        _ shares: [ShareID]?, of incarnation: UUID, lostSince seq: Int64, after place: Place, limit: Int
    ) -> PostgresCall {
        let source =
            if shares == nil {
                """
                cross join lateral (
                    select * from record.participant p where p.zone = z.id and cardinality($2::int8[]) = 0 and \(isParticipant)
                    order by p.user_name, p.share limit $6) p
                join record.share s on s.zone = p.zone and s.id = p.share
                """
            } else {
                """
                join record.share s on s.zone = z.id and s.id = any($2::int8[])
                cross join lateral (
                    select * from record.participant p where p.zone = s.zone and p.share = s.id and \(isParticipant)
                    order by p.user_name limit $6) p
                """
            }
        return PostgresCall(
            PostgresStatement(
                """
                select \(columns) from record.zone z \(source)
                where z.incarnation = $1 order by p.user_name, p.share limit $6
                """),
            [
                .uuid(incarnation), .int8Array(shares?.map(\.rawValue) ?? []), .int8(seq), .text(place.user),
                .int8(place.share.rawValue), .int8(Int64(limit)),
            ])
    }

    /// The participants that ``read(_:of:lostSince:after:limit:)`` found.
    package static func members(_ result: PostgresResult) -> [Member] {
        result.map { row in
            Member(
                place: Place(user: row.string(2), share: ShareID(row.int64(0))), audience: row.int64(1),
                since: row.int64(3), until: row.int64IfPresent(4), lost: row.int64IfPresent(5), isConcerned: row.bool(6)
            )
        }
    }

    /// Reads, for each range of changes in `ranges`, the shares of a zone that the changes affected: shares whose records
    /// changed, entered or left, and shares to which a participant gained or lost access. ``touched(_:)`` decodes the
    /// result.
    package static func touched(
        by ranges: [ClosedRange<Int64>], in zone: ZoneRow, of environment: EnvironmentRow, limit: Int
    ) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select r.position, t.share
                from unnest($3::int8[], $4::int8[]) with ordinality as r(low, high, position)
                cross join lateral (
                    select s.id as share from record.share s
                    where s.zone = $2 and (s.ended_seq between r.low and r.high
                        or exists (select from \(environment.recordTable) m
                            where m.environment = $1 and m.zone = $2 and m.share = s.id
                                and m.share_seq between r.low and r.high)
                        or exists (select from record.departure d
                            where d.zone = $2 and d.share = s.id and d.seq between r.low and r.high))
                    union \(Self.accessChanged("since_seq")) union \(Self.accessChanged("until_seq"))
                    union \(Self.accessChanged("lost_seq"))) t
                order by r.position, t.share limit $5
                """),
            [
                .int4(environment.rawValue), .int8(zone.rawValue), .int8Array(ranges.map(\.lowerBound)),
                .int8Array(ranges.map(\.upperBound)), .int8(Int64(limit)),
            ])
    }

    /// Returns SQL that selects the shares whose participants gained or lost access through a change in the range `r`.
    ///
    /// - Parameter column: the column with the number of the change; it has an index.
    private static func accessChanged(_ column: String) -> String {
        """
        select p.share from record.participant p
        where p.zone = $2 and p.role <> 1 and p.\(column) between r.low and r.high
        """
    }

    /// The shares that ``touched(by:in:of:limit:)`` found, keyed by the position of the range.
    package static func touched(_ result: PostgresResult) -> [Int: [Int64]] {
        result.reduce(into: [:]) { $0[Int($1.int64(0)) - 1, default: []].append($1.int64(1)) }
    }
}
