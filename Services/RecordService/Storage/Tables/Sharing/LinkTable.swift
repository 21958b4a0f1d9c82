package import CloudKitModel
package import PostgresClient

/// The SQL statements for the links of an environment.
package enum LinkTable {
    /// A live share to which a link leads. The names of the share and its root might be out of date; they are read
    /// again with the records.
    package struct Target: Sendable, Hashable {
        /// The user who owns the zone.
        package let owner: String
        /// The zone.
        package let zone: ZoneName
        /// The share, with those participants and requesters that determine what the user may do.
        package let share: StoredShare
        /// The link.
        package let entrance: ShareEntrance

        /// Returns the relationship between the share and `caller`, for whom the share was read.
        package func standing(of caller: ShareCaller) -> ShareStanding {
            ShareStanding(
                of: caller, among: share.participants, publicPermission: share.publicPermission,
                requests: share.requests, through: entrance)
        }
    }

    /// Finds the live shares to which `links` lead, and what determines what `caller` may do; ``targets(_:)`` decodes
    /// them. The statement compares digests, so its duration reveals nothing about other links. A one-time link leads to
    /// its share as long as its participant is invited or has accepted.
    package static func find(
        _ links: [String], for caller: ShareCaller, _ intent: ShareVisitor.Intent, in environment: EnvironmentRow
    ) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select k.link, d.owner, z.name, k.one_time, \(ShareColumns.ofVisitor.list)
                from (
                    select w.link, l.zone, s.id as share, 0 as one_time, $3::text as user_name, $4::text as email,
                        $5::int2 as intent
                    from unnest($2::text[]) as w(link)
                    join record.link l on l.digest = sha256(convert_to(w.link, 'UTF8')) and l.environment = $1
                    cross join lateral (
                        select s.id from record.share s
                        where s.zone = l.zone and s.root = l.name and s.ended_seq is null
                        union all
                        select s.id from record.share s
                        where s.zone = l.zone and s.name = l.name and s.root is null and s.ended_seq is null
                        limit 1) s
                    union all
                    select w.link, l.zone, l.share, l.participant, $3, $4, $5
                    from unnest($2::text[]) as w(link)
                    join record.one_time_link l on l.digest = sha256(convert_to(w.link, 'UTF8')) and l.environment = $1
                    join record.participant p on p.zone = l.zone and p.share = l.share and p.id = l.participant
                        and p.status in (1, 2)) k
                join record.share s on s.zone = k.zone and s.id = k.share and s.ended_seq is null
                join record.zone z on z.id = k.zone and z.deleted_at is null
                join record.database d on d.id = z.database
                """),
            [
                .int4(environment.rawValue), .textArray(links), .text(caller.user), .text(caller.email),
                .int2(intent.rawValue),
            ])
    }

    /// The targets that ``find(_:for:_:in:)`` found, keyed by link.
    package static func targets(_ result: PostgresResult) -> [String: Target] {
        var targets: [String: Target] = [:]
        for row in result {
            let (link, oneTime) = (row.string(0), row.int32(3))
            // A one-time link is not the link of the share.
            guard let share = ShareColumns.share(row, at: 4, link: oneTime == 0 ? link : nil) else { continue }
            targets[link] = Target(
                owner: row.string(1), zone: ZoneName(unchecked: row.string(2)), share: share,
                entrance: oneTime == 0 ? .link : .oneTime(oneTime, link: link))
        }
        return targets
    }

    /// Finds the environment of a link; ``place(_:)`` decodes it. Links of ended shares are found too.
    package static func locate(_ link: String) -> PostgresCall {
        PostgresCall(
            """
            select c.name, e.name from (
                select environment from record.link where digest = sha256(convert_to($1, 'UTF8'))
                union all
                select environment from record.one_time_link where digest = sha256(convert_to($1, 'UTF8'))) l
            join record.environment e on e.id = l.environment join record.container c on c.id = e.container
            """, [.text(link)])
    }

    /// The container and the environment that ``locate(_:)`` found; nil if the link is unknown.
    package static func place(_ result: PostgresResult) -> (container: String, environment: String)? {
        result.first.map { ($0.string(0), $0.string(1)) }
    }
}
