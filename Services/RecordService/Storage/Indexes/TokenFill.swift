internal import CloudKitWire
package import PostgresClient

/// Writes the words of existing records before a word index is built, and again when the set of searched fields has
/// changed. It walks through an environment's records in order of their keys, in pieces of limited size.
///
/// Once the index has been requested, every writer adds the words itself. If a record is written after the walk has
/// read it, its change number differs, and the walk does not overwrite it. The words do not count as a change to the
/// record, and no feed reports them. Each transaction locks the schema and the zones, as every writer does. The
/// position of the walk is stored in the index's row, so that an interrupted walk can continue from there.
package struct TokenFill {
    /// The maximum number of records of any type in a piece, and the maximum total size, in bytes, of the records whose
    /// words are written.
    private static let (maxRecords, maxBytes): (Int32, Int64) = (500, 8 << 20)

    private struct Position {
        var zone: Int64
        var name: String
    }

    private struct Piece {
        var end: Position?
        var zones: [ZoneRow: [(name: String, seq: Int64, words: String?)]] = [:]
    }

    private let environment: EnvironmentRow
    private let recordType: RecordTypeID
    /// The row of the index.
    private let id: Int32

    /// Creates a walk for the index in the row `id`.
    package init(environment: EnvironmentRow, recordType: RecordTypeID, id: Int32) {
        (self.environment, self.recordType, self.id) = (environment, recordType, id)
    }

    /// Runs the walk to the end.
    ///
    /// - Returns: false if the index is no longer wanted or its build must start over.
    /// - Throws: `PostgresError`.
    package func run(on connection: PostgresConnection) async throws -> Bool {
        let start = try await connection.query(
            """
            select coalesce(filled_zone, 0), coalesce(filled_name, '') from record.field_index
            where id = $1 and state = 'building'
            """, [.int4(id)])
        guard let row = start.first else { return false }
        var position = Position(zone: row.int64(0), name: row.string(1))
        while true {
            let piece = try await read(after: position, on: connection)
            guard let end = piece.end else { return true }
            guard try await write(piece.zones, upTo: end, on: connection) else { return false }
            position = end
        }
    }

    /// Reads a piece. The statements are planned for each execution, because a plan made for a small table would scan a
    /// large one in full.
    private func read(after position: Position, on connection: PostgresConnection) async throws -> Piece {
        let page = PostgresCall(
            PostgresStatement(
                """
                select zone, name, change_seq, fields
                from (select zone, name, change_seq, fields, sum(size) over (order by zone, name) - size as running
                    from (select zone, name, change_seq, case when record_type = $5 then fields end as fields,
                            case when record_type = $5 and fields is not null then size else 0 end as size
                        from \(environment.recordTable)
                        where environment = $1 and (zone, name) > ($2, $3) order by zone, name limit $4) r) r
                where running <= $6 order by zone, name
                """, isPrepared: false),
            [
                .int4(environment.rawValue), .int8(position.zone), .text(position.name), .int4(Self.maxRecords),
                .int4(recordType.rawValue), .int8(Self.maxBytes),
            ])
        // The schema is read after the records, so that it contains every field of the records.
        let results = try await connection.pipeline([page, EnvironmentSchema.read(environment)])
        let type = EnvironmentSchema(results[1])?.type(recordType)
        var piece = Piece()
        for row in results[0] {
            let (zone, name) = (row.int64(0), row.string(1))
            piece.end = Position(zone: zone, name: name)
            guard let json = row.jsonbIfPresent(3) else { continue }
            // A record that cannot be decoded must not prevent the index from being built.
            let words = type?.tokens(of: try? StoredFields(parsing: json))
            piece.zones[ZoneRow(zone), default: []].append((name, row.int64(2), RecordTable.joinedWords(words)))
        }
        return piece
    }

    /// Writes the words of a piece: first in all zones that no other transaction has locked, then in the other zones
    /// one by one. The walk therefore never waits for a zone while it is holding the lock on another zone or on the
    /// schema.
    private func write(
        _ zones: [ZoneRow: [(name: String, seq: Int64, words: String?)]], upTo end: Position,
        on connection: PostgresConnection
    ) async throws -> Bool {
        var (rest, waiting) = (zones, false)
        repeat {
            let next = waiting ? Array(rest.keys.sorted().prefix(1)) : Array(rest.keys)
            let results = try await connection.pipeline([
                .begin, ZoneTable.lock(next, waiting: waiting), SchemaLock.tryShared(environment),
                PostgresCall(
                    "select from record.field_index where id = $1 and state = 'building'", [.int4(id)]),
            ])
            guard !results[3].isEmpty else {
                _ = try await connection.pipeline([.rollback])
                return false
            }
            guard results[2].first?.bool(0) == true else {
                // Another transaction is changing the schema.
                _ = try await connection.pipeline([.rollback])
                try await Task.sleep(for: .milliseconds(100))
                continue
            }
            let locked = ZoneTable.locked(results[1])
            // The records of a deleted zone will be removed with it.
            let calls = update(rest.filter { locked[$0.key]?.isDeleted == false })
            for zone in waiting ? next : Array(locked.keys) { rest[zone] = nil }
            _ = try await connection.pipeline(calls + (rest.isEmpty ? [advance(to: end)] : []) + [.commit])
            waiting = true
        } while !rest.isEmpty
        return true
    }

    private func update(_ zones: [ZoneRow: [(name: String, seq: Int64, words: String?)]]) -> [PostgresCall] {
        let records = zones.flatMap { zone, records in records.map { (zone: zone, record: $0) } }
        guard !records.isEmpty else { return [] }
        return [
            PostgresCall(
                PostgresStatement(
                    """
                    update \(environment.recordTable) r set tokens = w.words
                    from (select zone, name, seq, \(RecordTable.splitWords("words")) as words
                        from unnest($2::int8[], $3::text[], $4::int8[], $5::text[]) as w(zone, name, seq, words)) w
                    where r.environment = $1 and r.zone = w.zone and r.name = w.name and r.change_seq = w.seq
                        and r.tokens is distinct from w.words
                    """, isPrepared: false),
                [
                    .int4(environment.rawValue), .int8Array(records.map(\.zone.rawValue)),
                    .textArray(records.map(\.record.name)), .int8Array(records.map(\.record.seq)),
                    .textArray(records.map(\.record.words)),
                ])
        ]
    }

    private func advance(to position: Position) -> PostgresCall {
        PostgresCall(
            "update record.field_index set filled_zone = $2, filled_name = $3 where id = $1",
            [.int4(id), .int8(position.zone), .text(position.name)])
    }
}
