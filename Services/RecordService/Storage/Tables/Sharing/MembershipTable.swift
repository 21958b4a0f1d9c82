package import CloudKitModel
package import PostgresClient

/// The SQL statements for the records that belong to shares.
package struct MembershipTable: Sendable {
    let environment: EnvironmentRow

    /// Creates the statements for the records of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// Returns the SQL condition that the share of a record has ended. `row` is the alias of the record's table.
    static func hasEnded(_ row: String) -> String {
        """
        \(row).share is not null and not exists (select from record.share e
            where e.zone = \(row).zone and e.id = \(row).share and e.ended_seq is null)
        """
    }

    /// The column that ``membership(_:)`` decodes, for rows `r` of records. It is a single column because most records
    /// belong to no share, and each column of a result has a size even if its value is null.
    static let column = """
        case when r.share is not null then array[r.share, r.share_seq, r.share_since, (\(hasEnded("r")))::int] end
        """

    /// Returns the membership that ``column`` contains.
    static func membership(_ column: [Int64]) -> Membership {
        Membership(share: ShareID(column[0]), seq: column[1], since: column[2], isEnded: column[3] != 0)
    }

    /// Reads up to `limit` live records below `names` in the parent tree; ``Node/nodes(_:)`` decodes them.
    /// ``ReferenceTable/byTarget`` must precede the statement. The recursion ends even if the parents form a cycle,
    /// because `union` includes each record only once.
    package func below(_ names: [RecordName], in zone: ZoneRow, limit: Int) -> PostgresCall {
        let children = { (name: String) in
            """
            select t.source from \(environment.referenceTable) t
            where t.environment = $1 and t.zone = $2 and t.target = \(name) and t.action = 3
            order by t.source, t.field offset 0
            """
        }
        return PostgresCall(
            PostgresStatement(
                """
                with recursive below(name, parent) as (
                    select c.source, k.name collate "C" from unnest($3::text[]) as k(name)
                    cross join lateral (\(children("k.name"))) c
                    union
                    select c.source, b.name from below b cross join lateral (\(children("b.name"))) c)
                select b.name, b.parent, r.share, r.share_since, \(Self.hasEnded("r")),
                    r.share is not null and exists (
                        select from record.share s
                        where s.zone = $2 and s.id = r.share and s.root = b.name and s.ended_seq is null)
                from below b
                left join lateral (select r.zone, r.share, r.share_since from \(environment.recordTable) r
                    where r.environment = $1 and r.zone = $2 and r.name = b.name offset 0) r on true
                limit $4
                """),
            [.int4(environment.rawValue), .int8(zone.rawValue), .names(names), .int8(Int64(limit))])
    }

    /// A record below another record.
    package struct Node: Sendable {
        /// The record's name.
        package let name: RecordName
        /// The record's parent.
        package let parent: RecordName
        /// The share that the record belongs to, if any. `seq` is the number of the change that brought the record into
        /// the share.
        package let membership: Membership?
        /// Whether the record is the root of a live share.
        package let isRoot: Bool

        /// Creates a node.
        package init(name: RecordName, parent: RecordName, membership: Membership?, isRoot: Bool) {
            self.name = name
            self.parent = parent
            self.membership = membership
            self.isRoot = isRoot
        }

        /// Decodes the rows of ``MembershipTable/below(_:in:limit:)``.
        package static func nodes(_ result: PostgresResult) -> [Node] {
            result.map { row in
                let membership = row.int64IfPresent(2).map { share in
                    Membership(share: ShareID(share), seq: row.int64(3), since: row.int64(3), isEnded: row.bool(4))
                }
                return Node(
                    name: row.recordName(0), parent: row.recordName(1), membership: membership, isRoot: row.bool(5))
            }
        }
    }

    /// A group of records that one change moves into the same share, or out of their share.
    package struct Move: Sendable {
        /// The zone.
        package let zone: ZoneRow
        /// The records.
        package let names: [RecordName]
        /// The share that the records enter; nil if they only leave one.
        package let share: ShareID?
        /// The number of the change.
        package let seq: Int64

        /// Creates a move.
        package init(zone: ZoneRow, names: [RecordName], share: ShareID?, seq: Int64) {
            self.zone = zone
            self.names = names
            self.share = share
            self.seq = seq
        }
    }

    /// Moves records that the transaction does not otherwise write. Their change tags and their numbers in the zone's
    /// feed remain the same. The shares that they enter are marked as changed. A record that is already in the share
    /// stays there; participants receive it again.
    package func move(_ moves: [Move]) -> [PostgresCall] {
        moves.map { move in
            PostgresCall(
                PostgresStatement(
                    """
                    with touched as (\(ShareTable.touch("(values ($2::int8, $4::int8)) as w(zone, share)")))
                    update \(environment.recordTable) r set share = $4, share_seq = $5,
                        share_since = case when r.share = $4 then r.share_since else $5 end
                    where r.ctid = any(array(
                        select r.ctid from unnest($3::text[]) as k(name) cross join lateral (
                            select r.ctid from \(environment.recordTable) r
                            where r.environment = $1 and r.zone = $2 and r.name = k.name and r.fields is not null
                            offset 0) r))
                    """),
                [
                    .int4(environment.rawValue), .int8(move.zone.rawValue), .names(move.names),
                    .int8(move.share?.rawValue), .int8(move.share == nil ? nil : move.seq),
                ])
        }
    }

    /// Removes up to `limit` records from the ended shares of a zone whose lock the transaction holds. Each departure
    /// has the number of the change that ended the share or, for a deleted record, of the deletion. ``count(_:)``
    /// decodes the result.
    package func leaveEndedShares(in zone: ZoneRow, limit: Int) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with leaving as materialized (
                    select r.ctid, r.name, r.share, r.share_since,
                        case when r.is_live then e.ended_seq else r.share_seq end as seq from (
                        select id, ended_seq from record.share
                        where zone = $2 and ended_seq is not null and not is_empty) e
                    cross join lateral (select r.ctid, r.name, r.share, r.share_since, r.share_seq,
                            r.fields is not null as is_live from \(environment.recordTable) r
                        where r.environment = $1 and r.zone = $2 and r.share = e.id limit $3) r
                    limit $3),
                left_share as (
                    update \(environment.recordTable) set share = null, share_seq = null, share_since = null
                    where ctid = any(array(select ctid from leaving))),
                departed as (
                    insert into record.departure (environment, zone, share, seq, name, since)
                    select $1, $2, share, seq, name, share_since from leaving on conflict do nothing)
                select count(*) from leaving
                """),
            [.int4(environment.rawValue), .int8(zone.rawValue), .int8(Int64(limit))])
    }

    /// Deletes up to `limit` requesters, and up to `limit` participants who never had access, from the ended shares of a
    /// zone whose lock the transaction holds. The unused one-time links are deleted with their participants. Nothing
    /// reports these rows, so they are not kept for the retention period.
    package static func forgetUninvolved(in zone: ZoneRow, limit: Int) -> [PostgresCall] {
        [
            ("record.requester", "true"),
            ("record.participant", "t.status = 1 and t.role <> 1 and t.since_seq is null"),
        ].map { table, condition in
            PostgresCall(
                PostgresStatement(
                    """
                    delete from \(table) where ctid = any(array(
                        select t.ctid from (
                            select id from record.share
                            where zone = $1 and ended_seq is not null and not is_empty) e
                        cross join lateral (
                            select t.ctid from \(table) t where t.zone = $1 and t.share = e.id and \(condition) limit $2) t
                        limit $2))
                    """), [.int8(zone.rawValue), .int8(Int64(limit))])
        }
    }

    /// Marks the ended shares of a zone as empty.
    package static func endEmptying(of zone: ZoneRow) -> PostgresCall {
        PostgresCall(
            "update record.share set is_empty = true where zone = $1 and ended_seq is not null and not is_empty",
            [.int8(zone.rawValue)])
    }

    /// The number of records that ``leaveEndedShares(in:limit:)`` removed.
    package static func count(_ result: PostgresResult) -> Int { Int(result.first?.int64(0) ?? 0) }

    /// The departure of a record from a share.
    package struct Departure: Sendable {
        /// The record.
        package let key: RecordKey
        /// The share that the record left.
        package let share: ShareID
        /// The number of the change.
        package let seq: Int64
        /// The number of the change that had brought the record into the share.
        package let since: Int64
        /// Whether the departure takes the place of a tombstone, so that participants see nothing new.
        package let replacesTombstone: Bool

        /// Creates a departure.
        package init(key: RecordKey, share: ShareID, seq: Int64, since: Int64, replacesTombstone: Bool = false) {
            self.key = key
            self.share = share
            self.seq = seq
            self.since = since
            self.replacesTombstone = replacesTombstone
        }
    }

    /// Writes departures, and marks the shares as changed.
    package func depart(_ rows: [Departure]) -> [PostgresCall] {
        guard !rows.isEmpty else { return [] }
        return [
            PostgresCall(
                PostgresStatement(
                    """
                    with touched as (\(ShareTable.touch("unnest($2::int8[], $7::int8[]) as w(zone, share)")))
                    insert into record.departure (environment, zone, share, seq, name, since)
                    select $1, * from unnest($2::int8[], $3::int8[], $4::int8[], $5::text[], $6::int8[])
                    on conflict do nothing
                    """),
                [
                    .int4(environment.rawValue), .int8Array(rows.map(\.key.zone.rawValue)),
                    .int8Array(rows.map(\.share.rawValue)), .int8Array(rows.map(\.seq)),
                    .names(rows.map(\.key.name)), .int8Array(rows.map(\.since)),
                    .int8Array(rows.map { $0.replacesTombstone ? nil : $0.share.rawValue }),
                ])
        ]
    }
}
