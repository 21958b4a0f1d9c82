package import PostgresClient

/// The SQL statements for an environment's references, which are indexed by target and by source.
package struct ReferenceTable: Sendable {
    private let environment: EnvironmentRow
    private let table: String

    /// Creates the statements for an environment's table.
    package init(_ environment: EnvironmentRow) {
        self.environment = environment
        table = environment.referenceTable
    }

    /// Makes the planner read the references to a record through the primary key, for the rest of the transaction. It
    /// must precede statements that read the references to thousands of records.
    ///
    /// If a zone is new, or the table has not been analyzed, the planner assumes that the zone has one reference. It then
    /// considers the index of sources equally good, with which each read examines all references of the zone. The
    /// statements request the order of the primary key, so that any other index would need a sort.
    package static let byTarget = PostgresCall(
        "select set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true)")

    /// Reads the records that refer to `keys` or to any record that would be deleted together with them;
    /// ``load(incoming:into:)`` decodes them. ``byTarget`` must precede the statement. The statement returns at most `limit` targets, and at most `holders`
    /// sources for each action on a target.
    ///
    /// The recursion ends even if the references form a cycle, because `union` includes each record only once.
    package func incoming(to keys: [RecordKey], limit: Int, holders: Int) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with recursive gone(zone, name) as (
                    select k.zone, k.name collate "C" from unnest($2::int8[], $3::text[]) as k(zone, name)
                    union
                    select g.zone, r.source from gone g cross join lateral (
                        select r.source from \(table) r
                        where r.environment = $1 and r.zone = g.zone and r.target = g.name and r.action = 1
                        order by r.source, r.field limit $4) r)
                select g.zone, g.name, r.source, r.field, r.action
                from (select * from gone limit $4) g
                left join lateral (
                    select r.* from unnest(array[1, 2, 3]::int2[]) as a(action) cross join lateral (
                        select r.source, r.field, r.action from \(table) r
                        where r.environment = $1 and r.zone = g.zone and r.target = g.name and r.action = a.action
                        order by r.source, r.field limit $5) r) r on true
                """),
            [
                .int4(environment.rawValue), .int8Array(keys.map(\.zone.rawValue)), .names(keys.map(\.name)),
                .int8(Int64(limit)), .int8(Int64(holders)),
            ])
    }

    /// Checks which targets exist and, for targets in `owners`, counts the `DELETE_SELF` references to them, up to
    /// `limit`; ``load(targets:into:)`` decodes them.
    ///
    /// `offset 0` prevents the planner from choosing a scan of the whole table if it assumes that the table is empty.
    package func targets(_ keys: [RecordKey], owners: Set<RecordKey>, limit: Int) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select k.zone, k.name, t.name is not null,
                    case when k.is_owner then (select count(*) from (select from \(table) r
                        where r.environment = $1 and r.zone = k.zone and r.target = k.name and r.action = 1
                        limit $4) c) end, case when not (\(MembershipTable.hasEnded("t")))
                        and not (\(MembershipTable.hasLeft("t", in: environment))) then t.share end,
                    t.share is not null and exists (select from record.share s
                        where s.zone = k.zone and s.name = k.name and s.ended_seq is null)
                from unnest($2::int8[], $3::text[], $5::bool[]) as k(zone, name, is_owner)
                left join lateral (select r.zone, r.name, r.parent, r.share from \(environment.recordTable) r
                    where r.environment = $1 and r.zone = k.zone and r.name = k.name and r.fields is not null offset 0
                ) t on true
                """),
            [
                .int4(environment.rawValue), .int8Array(keys.map(\.zone.rawValue)), .names(keys.map(\.name)),
                .int8(Int64(limit)), .boolArray(keys.map(owners.contains)),
            ])
    }

    /// Adds the rows of ``incoming(to:limit:holders:)`` to `graph`.
    package static func load(incoming result: PostgresResult, into graph: inout ReferenceGraph) {
        var found: [RecordKey: [ReferenceGraph.Incoming]] = [:]
        for row in result {
            let target = RecordKey(zone: ZoneRow(row.int64(0)), name: row.recordName(1))
            guard let source = row.recordNameIfPresent(2), let action = RecordLink.Action(rawValue: row.int16(4)) else {
                found[target] = found[target] ?? []
                continue
            }
            let link = RecordLink(target: target.name, action: action, field: row.string(3))
            found[target, default: []].append(ReferenceGraph.Incoming(source: source, link: link))
        }
        for (target, incoming) in found { graph.read(incoming, to: target) }
    }

    /// Adds the rows of ``targets(_:owners:limit:)`` to `graph`.
    package static func load(targets result: PostgresResult, into graph: inout ReferenceGraph) {
        for row in result {
            graph.read(
                ReferenceGraph.Target(
                    isLive: row.bool(2), owned: row.int64IfPresent(3).map(Int.init),
                    share: row.int64IfPresent(4).map(ShareID.init), isShare: row.bool(5)),
                at: RecordKey(zone: ZoneRow(row.int64(0)), name: row.recordName(1)))
        }
    }

    /// Returns the statements that write `changes`: first the deletions, then the insertion. Statements that would have
    /// no effect are left out.
    func write(_ changes: ReferenceChanges) -> [PostgresCall] {
        changes.statements(clear: clear, remove: remove, add: add)
    }

    /// Deletes all rows of `sources`. The statement deletes by `ctid`, because the planner might reverse the join of a
    /// `delete … using`.
    private func clear(_ sources: [RecordKey]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                delete from \(table) where ctid = any(array(
                    select r.ctid from unnest($2::int8[], $3::text[]) as k(zone, source)
                    cross join lateral (select r.ctid from \(table) r
                        where r.environment = $1 and r.zone = k.zone and r.source = k.source offset 0) r))
                """),
            [
                .int4(environment.rawValue), .int8Array(sources.map(\.zone.rawValue)), .names(sources.map(\.name)),
            ])
    }

    /// Deletes individual rows, each by its complete key, because a record can have thousands of rows.
    private func remove(_ rows: [ReferenceRow]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                delete from \(table) where ctid = any(array(
                    select r.ctid
                    from unnest($2::int8[], $3::text[], $4::int2[], $5::text[], $6::text[])
                        as k(zone, target, action, source, field)
                    cross join lateral (select r.ctid from \(table) r
                        where r.environment = $1 and r.zone = k.zone and r.target = k.target and r.action = k.action
                            and r.source = k.source and r.field = k.field offset 0) r))
                """), parameters(rows))
    }

    private func add(_ rows: [ReferenceRow]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                insert into \(table) (environment, zone, target, action, source, field)
                select $1, * from unnest($2::int8[], $3::text[], $4::int2[], $5::text[], $6::text[])
                on conflict do nothing
                """), parameters(rows))
    }

    private func parameters(_ rows: [ReferenceRow]) -> [PostgresParameter] {
        [
            .int4(environment.rawValue), .int8Array(rows.map(\.source.zone.rawValue)),
            .names(rows.map(\.link.target)), .int2Array(rows.map(\.link.action.rawValue)),
            .names(rows.map(\.source.name)), .textArray(rows.map(\.link.field)),
        ]
    }
}
