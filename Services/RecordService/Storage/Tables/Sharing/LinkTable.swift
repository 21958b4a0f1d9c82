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
    }

    /// Finds the live shares to which `links` lead; ``targets(_:)`` decodes them. The statement compares digests, so
    /// its duration reveals nothing about other links.
    package static func find(_ links: [String], in environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            """
            select k.link, d.owner, z.name, s.name, s.root
            from unnest($2::text[]) as k(link)
            join record.link l on l.digest = sha256(convert_to(k.link, 'UTF8')) and l.environment = $1
            join record.zone z on z.id = l.zone and z.deleted_at is null
            join record.database d on d.id = z.database
            join record.share s on s.zone = l.zone and coalesce(s.root, s.name) = l.name and s.ended_seq is null
            """, [.int4(environment.rawValue), .textArray(links)])
    }

    /// The targets that ``find(_:in:)`` found, keyed by link.
    package static func targets(_ result: PostgresResult) -> [String: Target] {
        var targets: [String: Target] = [:]
        for row in result {
            targets[row.string(0)] = Target(
                owner: row.string(1), zone: ZoneName(unchecked: row.string(2)), share: row.recordName(3),
                root: row.recordNameIfPresent(4))
        }
        return targets
    }

    /// Finds the environment of a link; ``place(_:)`` decodes it. Links of ended shares are found too.
    package static func locate(_ link: String) -> PostgresCall {
        PostgresCall(
            """
            select c.name, e.name from record.link l join record.environment e on e.id = l.environment
            join record.container c on c.id = e.container where l.digest = sha256(convert_to($1, 'UTF8'))
            """, [.text(link)])
    }

    /// The container and the environment that ``locate(_:)`` found; nil if the link is unknown.
    package static func place(_ result: PostgresResult) -> (container: String, environment: String)? {
        result.first.map { ($0.string(0), $0.string(1)) }
    }
}
