package import CloudKitModel
package import PostgresClient

/// The SQL statements for deletions with too many dependents for one transaction (`record.cascade`).
///
/// Such a deletion writes only the tombstones of the records that are deleted by name. From then on, a record that
/// refers to one of them by `DELETE_SELF`, directly or through other records, is *pending deletion* unless it has
/// changed since then. Readers leave it out, writers treat it as deleted, and ``CascadeJob`` deletes it.
package struct CascadeTable: Sendable {
    private let environment: EnvironmentRow

    /// Creates the statements for the cascades of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// Adds deletions and starts a background job for each of their zones.
    package func begin(_ cascades: [Cascade]) -> [PostgresCall] {
        let zones = Set(cascades.map(\.key.zone.rawValue)).sorted()
        return add(cascades) + [
            PostgresCall("update record.zone set is_cascading = true where id = any($1)", [.int8Array(zones)]),
            PostgresCall(
                """
                insert into record.job (kind, arguments)
                select 'cascade', jsonb_build_object('environment', $1::int4, 'zone', zone) from unnest($2::int8[]) as z(zone)
                """, [.int4(environment.rawValue), .int8Array(zones)]),
        ]
    }

    /// Adds deletions in zones that already have a background job.
    package func add(_ cascades: [Cascade]) -> [PostgresCall] {
        guard !cascades.isEmpty else { return [] }
        return [
            PostgresCall(
                """
                insert into record.cascade (environment, zone, name, seq, user_name)
                select $1, * from unnest($2::int8[], $3::text[], $4::int8[], $5::text[]) on conflict do nothing
                """,
                [
                    .int4(environment.rawValue), .int8Array(cascades.map(\.key.zone.rawValue)),
                    .names(cascades.map(\.key.name)), .int8Array(cascades.map(\.seq)),
                    .textArray(cascades.map(\.user)),
                ])
        ]
    }

    /// Finds which of `names` are pending deletion or do not exist; ``pending(_:in:)`` decodes them. The result
    /// contains the number of the deletion for a record that is pending deletion, and 0 for a record that does not
    /// exist. The statement follows the `DELETE_SELF` references of each record upwards until it finds a deletion that
    /// is newer than all records on the path.
    package func pending(_ names: [RecordName], in zone: ZoneRow) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with recursive up(origin, name, newest) as (
                    select r.name, t.target, r.change_seq
                    from unnest($3::text[]) as k(name)
                    cross join lateral (\(live("k.name"))) r cross join lateral (\(targets(of: "r.name"))) t
                    union
                    select u.origin, t.target, greatest(u.newest, r.change_seq)
                    from up u
                    cross join lateral (\(live("u.name"))) r cross join lateral (\(targets(of: "r.name"))) t)
                select u.origin, min(c.seq) from up u cross join lateral (
                    select c.seq from record.cascade c
                    where c.zone = $2 and c.name = u.name and c.seq > u.newest offset 0) c
                group by u.origin
                union all
                select k.name, 0 from unnest($3::text[]) as k(name) where not exists (\(live("k.name")))
                """),
            [.int4(environment.rawValue), .int8(zone.rawValue), .names(names)])
    }

    /// The records that ``pending(_:in:)`` found, each with the number of the deletion, or 0 if the record does not
    /// exist.
    package static func pending(_ result: PostgresResult, in zone: ZoneRow) -> [(key: RecordKey, seq: Int64)] {
        result.map { (RecordKey(zone: zone, name: $0.recordName(0)), $0.int64(1)) }
    }

    private func live(_ name: String) -> String {
        """
        select r.name, r.change_seq from \(environment.recordTable) r
        where r.environment = $1 and r.zone = $2 and r.name = \(name) and r.fields is not null offset 0
        """
    }

    private func targets(of name: String) -> String {
        """
        select t.target from \(environment.referenceTable) t
        where t.environment = $1 and t.zone = $2 and t.source = \(name) and t.action = 1 offset 0
        """
    }

    /// The next step of a zone's cascades.
    package struct Next: Sendable {
        /// A record to be deleted.
        package struct Dependent: Sendable {
            /// The record.
            package let key: RecordKey
            /// The number of the deletion that causes this record to be deleted. A record that refers to this one but
            /// was changed after that deletion is kept.
            package var seq: Int64
            /// The user who requested that deletion.
            package let user: String

            /// Creates a dependent.
            package init(key: RecordKey, seq: Int64, user: String) {
                self.key = key
                self.seq = seq
                self.user = user
            }
        }

        /// The records to be deleted. Each record is listed once, with the earliest of the deletions that cause it to
        /// be deleted.
        package var dependents: [Dependent] = []
        /// The deletions that have no dependents left.
        package var finished: [Cascade] = []

        /// Decodes the rows of ``next(in:limit:)``.
        package init(_ rows: PostgresResult, in zone: ZoneRow) {
            var places: [RecordName: Int] = [:]
            for row in rows {
                let seq = row.int64(1)
                if let source = row.recordNameIfPresent(3) {
                    if let place = places[source] {
                        dependents[place].seq = min(dependents[place].seq, seq)
                    } else {
                        places[source] = dependents.count
                        let key = RecordKey(zone: zone, name: source)
                        dependents.append(Dependent(key: key, seq: seq, user: row.string(2)))
                    }
                } else {
                    let key = RecordKey(zone: zone, name: row.recordName(0))
                    finished.append(Cascade(key: key, seq: seq, user: row.string(2)))
                }
            }
        }
    }

    /// Reads the next dependents to be deleted, in at most `limit` rows; ``Next`` decodes them.
    package func next(in zone: ZoneRow, limit: Int) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select c.name, c.seq, c.user_name, r.source
                from (select * from record.cascade where zone = $2 order by zone, name, seq limit $3) c
                left join lateral (
                    select t.source from \(environment.referenceTable) t
                    cross join lateral (select from \(environment.recordTable) r
                        where r.environment = $1 and r.zone = $2 and r.name = t.source and r.fields is not null
                            and r.change_seq < c.seq offset 0) r
                    where t.environment = $1 and t.zone = $2 and t.target = c.name and t.action = 1 limit $3) r on true
                limit $3
                """),
            [.int4(environment.rawValue), .int8(zone.rawValue), .int8(Int64(limit))])
    }

    /// Removes deletions that have no dependents left.
    package func end(_ cascades: [Cascade], in zone: ZoneRow) -> PostgresCall {
        PostgresCall(
            """
            delete from record.cascade where ctid = any(array(
                select c.ctid from unnest($2::text[], $3::int8[]) as k(name, seq) cross join lateral (
                    select c.ctid from record.cascade c
                    where c.zone = $1 and c.name = k.name and c.seq = k.seq offset 0) c))
            """,
            [.int8(zone.rawValue), .names(cascades.map(\.key.name)), .int8Array(cascades.map(\.seq))])
    }

    /// Marks a zone as having no cascade in progress.
    package func finish(_ zone: ZoneRow) -> PostgresCall {
        PostgresCall("update record.zone set is_cascading = false where id = $1", [.int8(zone.rawValue)])
    }
}
