internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// `changes.log`, for the other services: the change log of one zone from a number on, which fills a gap between
/// events, or of all zones since a snapshot, which finds events that were lost whole (DESIGN 4).
///
/// Request: `{incarnation, afterSeq, limit?}` or `{since?, upTo?, after?, limit?}`; `since`, a snapshot, is left out to
/// learn the present one. Answer: `{events, moreComing, changeSeq?, snapshot?, after?}`: pages of one sweep repeat `since`, hand
/// back `snapshot` as `upTo`, and go on `after`. Where the log does not reach back to `afterSeq`, a zone's events begin with
/// ``MergedChanges``.
struct ChangesLogOperation: Sendable {
    let store: RecordStore

    static let maxRows = 500
    /// Of the records of the rows of an answer.
    static let maxBytes = 8 << 20

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let limit = min(max(1, body["limit"]?.int ?? 200), Int64(Self.maxRows))
        if let text = body["incarnation"]?.string {
            guard let incarnation = UUID(uuidString: text) else {
                throw ServerError.wrongKind("incarnation", expected: "a UUID")
            }
            let seq = min(max(0, body["afterSeq"]?.int ?? 0), Int64.max - 1)
            return try await zone(incarnation, after: seq, limit: limit)
        }
        return try await sweep(body, limit: limit)
    }

    /// The bytes of a row's records.
    private static let size = "coalesce(l.bytes, octet_length(l.records::text))"

    /// Rows of `log` with everything an event says, or without an address when their container is gone; the
    /// last column tells whether another row follows.
    static func statement(
        log: String = "record.change", where condition: String, order: String, isPrepared: Bool = true
    ) -> PostgresStatement {
        PostgresStatement(
            """
            select * from (
                select c.name as container, e.name as environment, d.scope, d.owner, z.name, l.incarnation, l.from_seq,
                    l.to_seq, l.xid, l.client, l.user_name, l.at, l.records, l.zone, \(size) as size,
                    sum(\(size)) over (order by \(order)) as running, e.rights, l.is_deletion,
                    lead(l.zone) over (order by \(order)) is not null
                from \(log) l left join record.zone z on z.id = l.zone left join record.database d on d.id = z.database
                left join record.environment e on e.id = d.environment
                left join record.container c on c.id = e.container
                where \(condition) order by \(order) limit $3) l
            where l.running <= $4 or l.running = l.size order by \(order)
            """, isPrepared: isPrepared)
    }

    /// Whether more rows follow.
    static func isCut(_ rows: PostgresResult) -> Bool {
        rows.last?.bool(18) ?? false
    }

    /// Writes the events of `merged` and of rows of ``statement(log:where:order:isPrepared:)``.
    func write(merged: [ChangeEvent] = [], _ rows: some Sequence<PostgresRow>, to writer: inout WireWriter) {
        writer.key("events")
        writer.beginArray()
        for event in merged { writer.raw(event.json(bounded: false)) }
        for row in rows where row.stringIfPresent(0) != nil { writer.raw(event(row).json(bounded: false)) }
        writer.endArray()
    }

    private func event(_ row: PostgresRow) -> ChangeEvent {
        let address = Self.address(row, from: 0)
        return ChangeEvent(
            address: address,
            incarnation: row.uuid(5), fromSeq: row.int64(6), toSeq: row.int64(7), xid: row.xid8(8),
            client: row.stringIfPresent(9), user: row.string(10), at: row.milliseconds(11),
            syncToken: store.tokens.token(row: ZoneRow(row.int64(13)), address: address, reached: row.int64(7)),
            records: row.jsonb(12), isDeletion: row.bool(17), rights: row.int64(16))
    }

    /// Five columns from `first` on: container, environment, scope, owner, zone.
    static func address(_ row: PostgresRow, from first: Int) -> ZoneAddress {
        ZoneAddress(
            container: row.string(first), environment: row.string(first + 1),
            scope: row.int16(first + 2) == DatabaseScope.public.rawValue ? "public" : "private",
            owner: row.string(first + 3), zone: ZoneName(unchecked: row.string(first + 4)))
    }
}
