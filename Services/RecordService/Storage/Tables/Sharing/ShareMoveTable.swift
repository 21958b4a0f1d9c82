package import CloudKitModel
package import Foundation
package import PostgresClient

/// The SQL statements for moves that take more records into or out of shares than one transaction moves
/// (`record.share_move`).
///
/// Such a move writes only the records that the request names. For each of them, a row says that its descendants must be
/// examined. From then on, until the last row of the zone is gone, the share to which a record belongs follows from its
/// parents, and might differ from the share in which it is stored. Readers of participants leave out records that are
/// still stored in a share that they left; writers decide from the parents; and ``ShareMoveJob`` moves the descendants.
package struct ShareMoveTable: Sendable {
    private let environment: EnvironmentRow

    /// Creates the statements for the moves of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// A record whose descendants must be examined.
    package struct Pending: Sendable, Hashable {
        /// The record. It might have been deleted since.
        package let name: RecordName
        /// The child that was examined last; empty at the beginning.
        package var after: RecordName

        /// Creates a row.
        package init(name: RecordName, after: RecordName = RecordName(unchecked: "")) {
            (self.name, self.after) = (name, after)
        }
    }

    /// Adds records whose descendants must be examined, from the first child on, and starts a background job for each
    /// zone that has none. The zones must be locked.
    ///
    /// - Parameter records: the records, each with the moves that its descendants might have to make.
    package func begin(_ records: [(key: RecordKey, moves: ShareMoves)]) -> [PostgresCall] {
        var moves: [ZoneRow: ShareMoves] = [:]
        for record in records { moves[record.key.zone] = max(moves[record.key.zone] ?? .entering, record.moves) }
        let zones = moves.keys.sorted()
        guard !zones.isEmpty else { return [] }
        let rows = PostgresParameter.int8Array(zones.map(\.rawValue))
        let keys = Set(records.map(\.key))
        return [
            PostgresCall(
                """
                insert into record.job (kind, arguments)
                select 'share.move', jsonb_build_object('environment', $1::int4, 'zone', z.id)
                from record.zone z where z.id = any($2) and z.share_moves = 0
                """, [.int4(environment.rawValue), rows]),
            PostgresCall(
                """
                update record.zone z set share_moves = greatest(z.share_moves, ($2::int2[])[array_position($1::int8[], z.id)])
                where z.id = any($1)
                """, [rows, .int2Array(zones.map { moves[$0]?.rawValue ?? 0 })]),
        ] + add(keys.map { ($0.zone, Pending(name: $0.name)) })
    }

    private func add(_ rows: [(zone: ZoneRow, row: Pending)]) -> [PostgresCall] {
        guard !rows.isEmpty else { return [] }
        return [
            PostgresCall(
                """
                insert into record.share_move as m (environment, zone, name, after)
                select $1, * from unnest($2::int8[], $3::text[], $4::text[])
                on conflict (zone, name) do update set after = least(m.after, excluded.after)
                """,
                [
                    .int4(environment.rawValue), .int8Array(rows.map(\.zone.rawValue)), .names(rows.map(\.row.name)),
                    .names(rows.map(\.row.after)),
                ])
        ]
    }

    /// Reads up to `limit` records whose descendants must be examined; ``pending(_:)`` decodes them.
    package func next(in zone: ZoneRow, limit: Int) -> PostgresCall {
        PostgresCall(
            "select name, after from record.share_move where zone = $1 order by zone, name limit $2",
            [.int8(zone.rawValue), .int8(Int64(limit))])
    }

    /// The records that ``next(in:limit:)`` found.
    package static func pending(_ result: PostgresResult) -> [Pending] {
        result.map { Pending(name: $0.recordName(0), after: $0.recordName(1)) }
    }

    /// Replaces the rows `done` by `rest`.
    package func replace(_ done: [Pending], by rest: [Pending], in zone: ZoneRow) -> [PostgresCall] {
        [
            PostgresCall(
                "delete from record.share_move where zone = $1 and name = any($2)",
                [.int8(zone.rawValue), .names(done.map(\.name))])
        ] + add(rest.map { (zone, $0) })
    }

    /// A child of a record whose descendants are examined.
    package struct Child: Sendable {
        /// The child; nil if the reference is left over from a record that does not exist.
        package let node: MembershipTable.Node?
        /// The name of the child.
        package let name: RecordName
        /// Whether the child has children.
        package let hasChildren: Bool
    }

    /// Reads up to `limit` children of each of `records`, in order of their names, beginning after the last one that was
    /// examined; ``children(_:of:)`` decodes them. ``ReferenceTable/byTarget`` must precede the statement.
    package func children(of records: [Pending], in zone: ZoneRow, limit: Int) -> PostgresCall {
        let references = environment.referenceTable
        return PostgresCall(
            PostgresStatement(
                """
                select i.position, c.source, r.name is not null, r.share, r.share_since,
                    \(MembershipTable.hasEnded("r")),
                    exists (select from record.share s
                        where s.zone = $2 and s.root = c.source and s.ended_seq is null),
                    exists (select from \(references) x
                        where x.environment = $1 and x.zone = $2 and x.target = c.source and x.action = 3)
                from unnest($3::text[], $4::text[]) with ordinality as i(name, after, position)
                cross join lateral (
                    select t.source from \(references) t
                    where t.environment = $1 and t.zone = $2 and t.target = i.name and t.action = 3
                        and t.source > i.after
                    order by t.source, t.field limit $5) c
                left join lateral (
                    select r.zone, r.name, r.share, r.share_since from \(environment.recordTable) r
                    where r.environment = $1 and r.zone = $2 and r.name = c.source and r.fields is not null offset 0
                ) r on true
                order by i.position, c.source
                """),
            [
                .int4(environment.rawValue), .int8(zone.rawValue), .names(records.map(\.name)),
                .names(records.map(\.after)), .int8(Int64(limit)),
            ])
    }

    /// The children that ``children(of:in:limit:)`` found, for each of `records`.
    package static func children(_ result: PostgresResult, of records: [Pending]) -> [[Child]] {
        var children = Array(repeating: [Child](), count: records.count)
        for row in result {
            let (place, name) = (Int(row.int64(0)) - 1, row.recordName(1))
            let membership = row.int64IfPresent(3).map { share in
                Membership(share: ShareID(share), seq: row.int64(4), since: row.int64(4), isEnded: row.bool(5))
            }
            let node = MembershipTable.Node(
                name: name, parent: records[place].name, membership: membership, isRoot: row.bool(6))
            children[place].append(Child(node: row.bool(2) ? node : nil, name: name, hasChildren: row.bool(7)))
        }
        return children
    }

    /// Reads the incarnation and the owner of a live zone; ``zone(_:)`` decodes them.
    package static func zone(_ zone: ZoneRow) -> PostgresCall {
        PostgresCall(
            """
            select z.incarnation, d.owner from record.zone z join record.database d on d.id = z.database
            where z.id = $1 and z.deleted_at is null
            """, [.int8(zone.rawValue)])
    }

    /// The zone that ``zone(_:)-(ZoneRow)`` found; nil if it was deleted.
    package static func zone(_ result: PostgresResult) -> (incarnation: UUID, owner: String)? {
        result.first.map { ($0.uuid(0), $0.string(1)) }
    }

    /// Marks a zone as having no move in progress.
    package static func finish(_ zone: ZoneRow) -> PostgresCall {
        PostgresCall("update record.zone set share_moves = 0 where id = $1", [.int8(zone.rawValue)])
    }
}
