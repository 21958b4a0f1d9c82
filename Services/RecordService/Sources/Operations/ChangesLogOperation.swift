internal import RequestServing
internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// `changes.log`, for the other services: the change log of one zone from a number on, which fills a gap between
/// events, or of all zones since a snapshot, which finds events that were lost whole (DESIGN 4).
///
/// Request: `{incarnation, afterSeq, limit?}` or `{since?, upTo?, after?, limit?}`; `since`, a snapshot, is left out to
/// learn the present one. Answer: `{events, moreComing, changeSeq?, snapshot?, after?}`: pages of one sweep repeat `since`, hand
/// back `snapshot` as `upTo`, and go on `after`.
struct ChangesLogOperation: Sendable {
    let store: RecordStore

    private static let maxRows = 500
    private static let maxBytes = 8 << 20

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let limit = min(max(1, body["limit"]?.int ?? 200), Int64(Self.maxRows))
        if let text = body["incarnation"]?.string {
            guard let incarnation = UUID(uuidString: text) else {
                throw ServerError.wrongKind("incarnation", expected: "a UUID")
            }
            return try await zone(incarnation, after: body["afterSeq"]?.int ?? 0, limit: limit)
        }
        return try await sweep(body, limit: limit)
    }

    private func zone(_ incarnation: UUID, after seq: Int64, limit: Int64) async throws -> Answer {
        let results = try await store.pool.withConnection { connection in
            try await connection.pipeline([
                PostgresCall("select change_seq from record.zone where incarnation = $1", [.uuid(incarnation)]),
                PostgresCall(
                    Self.statement(where: "z.incarnation = $1 and l.to_seq > $2", order: "l.to_seq"),
                    [.uuid(incarnation), .int8(seq), .int8(limit), .int8(Int64(Self.maxBytes))]),
            ])
        }
        guard let counter = results[0].first?.int64(0) else {
            throw ServerError(
                .zoneNotFound, reasonCode: "zone_not_found", reason: "There is no zone of that incarnation",
                field: "incarnation")
        }
        let rows = results[1]
        return Answer { writer in
            // With no events and a counter above `afterSeq`, the log does not reach back that far.
            writer.member("changeSeq", counter)
            write(rows, to: &writer)
            writer.member("moreComing", rows.count == Int(limit) || Self.isCut(rows))
        }
    }

    private func sweep(_ body: JSONValue, limit: Int64) async throws -> Answer {
        let since = try snapshot("since", of: body)
        let after = try Place(body["after"]?.string)
        let upTo = try snapshot("upTo", of: body)
        return try await store.pool.withConnection { connection in
            var snapshot = upTo
            if snapshot == nil {
                snapshot = try await connection.query("select pg_current_snapshot()::text").first?.string(0)
            }
            guard let since, let upTo = snapshot else {
                return Answer { writer in
                    write([], to: &writer)
                    writer.member("snapshot", snapshot)
                    writer.member("moreComing", false)
                }
            }
            let rows = try await connection.query(
                Self.statement(
                    where: """
                        l.xid >= pg_snapshot_xmin($1::text::pg_snapshot)
                        and not pg_visible_in_snapshot(l.xid, $1::text::pg_snapshot)
                        and pg_visible_in_snapshot(l.xid, $2::text::pg_snapshot)
                        and (l.xid, l.zone, l.to_seq) > ($5, $6, $7)
                        """, order: "l.xid, l.zone, l.to_seq"),
                [
                    .text(since), .text(upTo), .int8(limit), .int8(Int64(Self.maxBytes)), .xid8(after.xid),
                    .int8(after.zone), .int8(after.seq),
                ])
            return Answer { writer in
                write(rows, to: &writer)
                writer.member("snapshot", upTo)
                writer.member("moreComing", rows.count == Int(limit) || Self.isCut(rows))
                writer.member("after", rows.last.map { Place($0).text })
            }
        }
    }

    /// A snapshot as PostgreSQL writes it: `xmin:xmax:xip,xip…`.
    private func snapshot(_ key: String, of body: JSONValue) throws(ServerError) -> String? {
        guard let text = body[key]?.string else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isSound =
            parts.count == 3 && parts[0...1].allSatisfy { UInt64($0) != nil }
            && parts[2].split(separator: ",").allSatisfy { UInt64($0) != nil }
        guard isSound else { throw .wrongKind(key, expected: "a snapshot that an earlier answer gave") }
        return text
    }

    /// A place in a sweep: the last row read.
    private struct Place {
        var xid: UInt64 = 0
        var zone: Int64 = 0
        var seq: Int64 = 0

        init(_ text: String?) throws(ServerError) {
            guard let text else { return }
            let parts = text.split(separator: ".")
            guard parts.count == 3, let xid = UInt64(parts[0]), let zone = Int64(parts[1]), let seq = Int64(parts[2])
            else { throw .wrongKind("after", expected: "the 'after' of the page before") }
            (self.xid, self.zone, self.seq) = (xid, zone, seq)
        }

        init(_ row: PostgresRow) {
            (xid, zone, seq) = (row.xid8(8), row.int64(13), row.int64(7))
        }

        var text: String { "\(xid).\(zone).\(seq)" }
    }

    /// Rows with everything an event says; the last column tells a row that the byte bound cut off after.
    private static func statement(where condition: String, order: String) -> PostgresStatement {
        PostgresStatement(
            """
            select * from (
                select c.name as container, e.name as environment, d.scope, d.owner, z.name, l.incarnation, l.from_seq,
                    l.to_seq, l.xid, l.client, l.user_name, l.at, l.records, l.zone,
                    length(l.records::text) as size,
                    sum(length(l.records::text)) over (order by \(order)) as running
                from record.change l join record.zone z on z.id = l.zone join record.database d on d.id = z.database
                join record.environment e on e.id = d.environment join record.container c on c.id = e.container
                where \(condition) order by \(order) limit $3) l
            where l.running - l.size <= $4 order by \(order)
            """)
    }

    private static func isCut(_ rows: PostgresResult) -> Bool {
        rows.last.map { $0.int64(15) > Int64(maxBytes) } ?? false
    }

    private func write(_ rows: some Sequence<PostgresRow>, to writer: inout WireWriter) {
        writer.key("events")
        writer.array(rows) { writer, row in
            let address = ZoneAddress(
                container: row.string(0), environment: row.string(1),
                scope: row.int16(2) == DatabaseScope.public.rawValue ? "public" : "private", owner: row.string(3),
                zone: row.string(4))
            let event = ChangeEvent(
                address: address,
                incarnation: row.uuid(5), fromSeq: row.int64(6), toSeq: row.int64(7), xid: row.xid8(8),
                client: row.stringIfPresent(9), user: row.string(10), at: row.milliseconds(11),
                syncToken: store.tokens.token(row: ZoneRow(row.int64(13)), address: address, reached: row.int64(7)),
                records: row.jsonb(12))
            writer.raw(event.json(bounded: false))
        }
    }
}
