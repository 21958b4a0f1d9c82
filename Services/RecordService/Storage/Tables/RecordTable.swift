internal import CloudKitModel
internal import CloudKitWire
package import PostgresClient

/// The SQL statements for an environment's records. They name the environment's own table, so that the planner neither
/// examines nor locks the indexes of other environments.
package struct RecordTable: Sendable {
    /// The total size of records, in bytes, after which a read returns the remaining records without their fields.
    package static let maxBytesRead = 8 << 20

    /// Disables bitmap scans in a transaction that needs only the first rows of an index. As long as the planner
    /// assumes that the table is small, it prefers a bitmap, which it builds from all matching rows.
    package static let noBitmaps: PostgresStatement = "set local enable_bitmapscan = off"

    let table: String
    let environment: EnvironmentRow

    /// Creates the statements for an environment's table.
    package init(_ environment: EnvironmentRow) {
        self.environment = environment
        table = environment.recordTable
    }

    /// The columns that ``records(_:)`` decodes, except the last two, which are the fields and whether they were left
    /// out.
    package static let columns = columns(participantsIf: nil)

    /// Returns ``columns`` with the participants of those shares for which `condition` is true.
    private static func columns(participantsIf condition: String?) -> String {
        """
        r.zone, r.name, r.record_type, r.change_seq, r.change_tag, r.size, r.parent, r.created_at, r.created_by,
        r.created_device, r.modified_at, r.modified_by, r.modified_device, \(MembershipTable.column),
        \(StoredSharing.column(participantsIf: condition))
        """
    }

    /// The number of columns that ``records(_:)`` decodes. A statement can append other columns.
    package static let columnCount = 17

    /// Reads records by key, in no particular order. The last two columns are the fields and whether they were left
    /// out. The fields of tombstones are null. After the first ``maxBytesRead`` bytes, the fields of the remaining
    /// records are null, and the remaining shares have no participants.
    ///
    /// `offset 0` prevents the planner from reversing the join. Otherwise, if it assumes that the table is empty, it
    /// would scan the whole table once for each key.
    ///
    /// - Parameters:
    ///   - shares: the shares that the records must belong to; nil if all records are to be read.
    ///   - moves: the moves in the zone. If records are leaving shares, the parents of the members are checked.
    ///   - withParticipants: whether the participants of shares are read.
    ///   - marksLeft: whether to append the column that ``left(_:)`` decodes.
    package func read(
        _ keys: [RecordKey], in shares: [ShareID]? = nil, moves: ShareMoves = .none, withParticipants: Bool = true,
        marksLeft: Bool = false
    ) -> PostgresCall {
        let isBelow =
            moves == .leaving ? " and (r.fields is null or \(MembershipTable.isBelowRoot("r", in: environment)))" : ""
        let condition = shares == nil ? "" : "and r.share = any($5)\(isBelow)"
        let left = marksLeft ? ", \(MembershipTable.hasLeft("r", in: environment))" : ""
        let limits = shares.map { [PostgresParameter.int8Array($0.map(\.rawValue))] } ?? []
        return PostgresCall(
            PostgresStatement(
                """
                select \(Self.columns(participantsIf: withParticipants ? "r.running <= $4" : "false")), case when r.running <= $4 then r.fields end,
                    r.fields is not null and r.running > $4\(left)
                from (select r.*, sum(r.size) over (order by k.position) - r.size as running
                    from unnest($2::int8[], $3::text[]) with ordinality as k(zone, name, position)
                    cross join lateral (select * from \(table) r
                        where r.environment = $1 and r.zone = k.zone and r.name = k.name \(condition) offset 0) r) r
                """),
            [
                .int4(environment.rawValue), .int8Array(keys.map(\.zone.rawValue)), .names(keys.map(\.name)),
                .int8(Int64(Self.maxBytesRead)),
            ] + limits)
    }

    /// Returns the keys of those records that are stored in a share to which they no longer belong, from a statement with
    /// the column.
    package static func left(_ result: PostgresResult) -> [RecordKey] {
        result.lazy.filter { $0.bool(columnCount) }.map { RecordRow(row: $0).key }
    }

    /// Reads the records of `zone` that changed after `position`, oldest change first, up to `limit` records and about
    /// `maxBytes`, but at least one record. Tombstones up to `horizon` are left out (all tombstones if it is nil),
    /// because the reader has never seen those records.
    ///
    /// - Parameter ceiling: if given, only changes with numbers below it are read, newest change first.
    package func changes(
        in zone: ZoneRow, after position: Int64, below ceiling: Int64? = nil, skippingTombstonesTo horizon: Int64?,
        limit: Int, maxBytes: Int
    ) -> PostgresCall {
        let order = ceiling == nil ? "r.change_seq" : "r.change_seq desc"
        return PostgresCall(
            PostgresStatement(
                """
                select \(Self.columns), r.fields, false
                from (select r.*, sum(r.size) over (order by \(order)) - r.size as running
                    from (select r.* from \(table) r
                        where r.environment = $1 and r.zone = $2 and r.change_seq > $3 and r.change_seq < $7
                            and r.change_seq > 0 and (r.fields is not null or r.change_seq > $4)
                        order by \(order) limit $5) r) r
                where r.running <= $6 order by \(order)
                """),
            [
                .int4(environment.rawValue), .int8(zone.rawValue), .int8(position), .int8(horizon ?? .max),
                .int4(Int32(limit)), .int8(Int64(maxBytes)), .int8(ceiling ?? .max),
            ])
    }

    /// Reads the zone that contains at least `minShare` of the environment's records, according to PostgreSQL's
    /// statistics; ``largeZone(_:)`` decodes it.
    package static func largeZone(of environment: EnvironmentRow, minShare: Double) -> PostgresCall {
        PostgresCall(
            """
            select (most_common_vals::text::int8[])[1] from pg_stats
            where format('%I.%I', schemaname, tablename) = $1 and attname = 'zone' and most_common_freqs[1] >= $2
            """, [.text(environment.recordTable), .float8(minShare)])
    }

    /// The zone that ``largeZone(of:minShare:)`` found; nil if there is none.
    package static func largeZone(_ result: PostgresResult) -> ZoneRow? { result.first.map { ZoneRow($0.int64(0)) } }

    /// Decodes the rows of ``read(_:)`` and ``changes(in:after:below:skippingTombstonesTo:limit:maxBytes:)``.
    ///
    /// - Throws: `INTERNAL_ERROR` if a record's fields cannot be parsed.
    package static func records(_ result: PostgresResult) throws -> [(
        zone: ZoneRow, record: StoredRecord, isOmitted: Bool
    )] {
        try result.map { row in
            let row = RecordRow(row: row)
            return (row.zone, try row.record(), row.isOmitted)
        }
    }

    /// The separator between the words of a record in a parameter. The words are joined because all arrays within an
    /// array must have the same length. No word contains a control character.
    private static let separator = "\u{1F}"

    /// Joins words into one string, which ``splitWords(_:)`` splits; nil if `words` is nil.
    static func joinedWords(_ words: [String]?) -> String? { words?.joined(separator: separator) }

    /// Returns the SQL that splits a string from ``joinedWords(_:)``.
    static func splitWords(_ column: String) -> String { "string_to_array(\(column), chr(31))" }

    /// Writes the latest states of records, including tombstones. A record that was deleted and recreated loses its
    /// link. Shares whose members are written are marked as changed.
    ///
    /// - Parameter inShares: whether records can belong to shares.
    /// - Parameter tokens: returns the words of a record; nil if its type has no index on words.
    package func write(
        _ records: [(zone: ZoneRow, record: StoredRecord)], inShares: Bool = false,
        tokens: (StoredRecord) -> [String]? = { _ in nil }
    ) -> PostgresCall {
        let shares = inShares ? ", share, share_seq, share_since" : ""
        let members = ShareTable.touch("unnest($2::int8[], $17::int8[]) as w(zone, share)")
        let opening = inShares ? "with touched as (\(members))\n" : ""
        return PostgresCall(
            PostgresStatement(
                """
                \(opening)insert into \(table) as r (environment, zone, name, record_type, change_seq, change_tag, fields, size,
                    parent, created_at, created_by, created_device, modified_at, modified_by, modified_device,
                    tokens\(shares))
                select $1, zone, name, type, seq, tag, fields, size, parent, created_at, created_by, created_device,
                    modified_at, modified_by, modified_device, \(Self.splitWords("words"))\(shares)
                from unnest($2::int8[], $3::text[], $4::int4[], $5::int8[], $6::text[], $7::jsonb[],
                    $8::int4[], $9::text[], $10::timestamptz[], $11::text[], $12::text[], $13::timestamptz[],
                    $14::text[], $15::text[], $16::text[]\(inShares ? ", $17::int8[], $18::int8[], $19::int8[]" : ""))
                    as w(zone, name, type, seq, tag, fields, size, parent, created_at, created_by, created_device,
                        modified_at, modified_by, modified_device, words\(shares))
                on conflict (environment, zone, name) do update set record_type = excluded.record_type,
                    change_seq = excluded.change_seq, change_tag = excluded.change_tag, fields = excluded.fields,
                    size = excluded.size, parent = excluded.parent, created_at = excluded.created_at,
                    created_by = excluded.created_by, created_device = excluded.created_device,
                    modified_at = excluded.modified_at, modified_by = excluded.modified_by,
                    modified_device = excluded.modified_device, tokens = excluded.tokens,
                    linked = case when r.fields is not null and r.created_at = excluded.created_at then r.linked end\(
                        inShares ? Self.excludedShares : "")
                """),
            [
                .int4(environment.rawValue), .int8Array(records.map(\.zone.rawValue)),
                .names(records.map(\.record.name)), .int4Array(records.map(\.record.type.rawValue)),
                .int8Array(records.map(\.record.changeSeq)), .textArray(records.map(\.record.changeTag)),
                .jsonbArray(records.map { $0.record.fields?.encoded() }),
                .int4Array(records.map { Int32($0.record.size) }), .textArray(records.map(\.record.parent?.rawValue)),
                .timestamptzArray(records.map(\.record.created.milliseconds)),
                .textArray(records.map(\.record.created.user)), .textArray(records.map(\.record.created.device)),
                .timestamptzArray(records.map(\.record.modified.milliseconds)),
                .textArray(records.map(\.record.modified.user)), .textArray(records.map(\.record.modified.device)),
                .textArray(records.map { Self.joinedWords(tokens($0.record)) }),
            ] + (inShares ? Self.memberships(of: records.map(\.record)) : []))
    }

    private static let excludedShares = """
        , share = excluded.share, share_seq = excluded.share_seq, share_since = excluded.share_since
        """

    private static func memberships(of records: [StoredRecord]) -> [PostgresParameter] {
        [
            .int8Array(records.map(\.membership?.share.rawValue)), .int8Array(records.map(\.membership?.seq)),
            .int8Array(records.map(\.membership?.since)),
        ]
    }
}
