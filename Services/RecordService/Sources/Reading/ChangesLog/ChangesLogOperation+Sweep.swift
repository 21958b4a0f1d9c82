internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

extension ChangesLogOperation {
    /// The changes of all zones that a snapshot does not see: those from its end on, and those that were under way. (Not
    /// everything from its beginning on: one long transaction would have every sweep walk the log since its start.)
    ///
    /// Both parts begin where the last page ended, and end with this page, however much follows. Planned each time, since
    /// only the snapshots tell how little of the log that is: a plan for all of them once read the whole log for a page.
    static let sweepStatement = statement(
        log: """
            (
                (\(part("l.xid >= greatest(pg_snapshot_xmax($1::text::pg_snapshot), $5)")))
                union all
                (\(part("l.xid = any (array(select pg_snapshot_xip($1::text::pg_snapshot))) and l.xid >= $5")))
            )
            """,
        where: "true", order: sweepOrder, isPrepared: false)

    private static let sweepOrder = "l.xid, l.zone, l.to_seq"

    /// A page of the changes of a condition, after the last one and up to the sweep's end.
    private static func part(_ condition: String) -> String {
        """
        select * from record.change l
        where \(condition) and l.xid < pg_snapshot_xmax($2::text::pg_snapshot)
            and pg_visible_in_snapshot(l.xid, $2::text::pg_snapshot) and (\(sweepOrder)) > ($5, $6, $7)
        order by \(sweepOrder) limit $3
        """
    }

    /// A page of a sweep, or the present moment.
    func sweep(_ body: JSONValue, limit: Int64) async throws -> Answer {
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
                Self.sweepStatement,
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
}
