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
        /// The name of the share.
        package let share: RecordName
        /// The name of the root; nil for the share of a whole zone.
        package let root: RecordName?
        /// The number of the participant to whom a one-time link belongs; nil for the link of the share.
        package let oneTime: Int32?
    }

    /// Finds the live shares to which `links` lead; ``targets(_:)`` decodes them. The statement compares digests, so
    /// its duration reveals nothing about other links. A one-time link leads to its share as long as its participant is
    /// invited or has accepted.
    package static func find(_ links: [String], in environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            """
            select k.link, d.owner, z.name, s.name, s.root, null::int4
            from unnest($2::text[]) as k(link)
            join record.link l on l.digest = sha256(convert_to(k.link, 'UTF8')) and l.environment = $1
            join record.zone z on z.id = l.zone and z.deleted_at is null
            join record.database d on d.id = z.database
            join record.share s on s.zone = l.zone and coalesce(s.root, s.name) = l.name and s.ended_seq is null
            union all
            select k.link, d.owner, z.name, s.name, s.root, p.id
            from unnest($2::text[]) as k(link)
            join record.one_time_link l on l.digest = sha256(convert_to(k.link, 'UTF8')) and l.environment = $1
            join record.participant p on p.zone = l.zone and p.share = l.share and p.id = l.participant
                and p.status in (1, 2)
            join record.share s on s.zone = l.zone and s.id = l.share and s.ended_seq is null
            join record.zone z on z.id = l.zone and z.deleted_at is null
            join record.database d on d.id = z.database
            """, [.int4(environment.rawValue), .textArray(links)])
    }

    /// The targets that ``find(_:in:)`` found, keyed by link.
    package static func targets(_ result: PostgresResult) -> [String: Target] {
        var targets: [String: Target] = [:]
        for row in result {
            targets[row.string(0)] = Target(
                owner: row.string(1), zone: ZoneName(unchecked: row.string(2)), share: row.recordName(3),
                root: row.recordNameIfPresent(4), oneTime: row.int32IfPresent(5))
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
