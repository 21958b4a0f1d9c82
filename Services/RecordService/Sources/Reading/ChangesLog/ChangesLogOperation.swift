internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `changes.log`, for the other services. It has two forms. The first returns the change log of one zone after a given
/// change number, to fill a gap between events. The second, a sweep, returns the log of all zones since a snapshot, to
/// find events that were lost entirely.
///
/// `{incarnation, afterSeq, limit?}` or `{since?, upTo?, after?, limit?}` → `{events, moreComing, changeSeq?,
/// snapshot?, after?}`. `since` is a snapshot; without it, the answer contains only the current snapshot. In a sweep
/// that spans several pages, each request repeats `since`, and sends the `snapshot` and the `after` of the previous
/// answer as `upTo` and `after`. If the log of a zone does not reach back to `afterSeq`, the events begin with
/// ``MergedChanges``.
struct ChangesLogOperation: Sendable {
    let pool: PostgresPool
    let tokens: ZoneTokenIssuer

    static let maxRows = 500
    /// The maximum total size of the records in an answer's rows, in bytes.
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

    /// Writes the events of `merged` and of `rows`.
    ///
    /// - Parameter moves: the shares that records entered or left by changes that name no records, keyed by the number of
    ///   the change; nil if there are too many to list.
    func write(
        merged: [ChangeEvent] = [], _ rows: some Sequence<LoggedChanges>, moves: [Int64: [Int64]?] = [:],
        to writer: inout WireWriter
    ) {
        writer.key("events")
        writer.beginArray()
        for event in merged { writer.raw(event.json(bounded: false)) }
        for row in rows {
            if let event = event(row, unlisted: moves[row.toSeq] ?? .some([])) {
                writer.raw(event.json(bounded: false))
            }
        }
        writer.endArray()
    }

    /// Returns the event of a row; nil if the zone's container no longer exists.
    private func event(_ row: LoggedChanges, unlisted: [Int64]?) -> ChangeEvent? {
        guard let address = row.address else { return nil }
        let toSeq = row.toSeq
        return ChangeEvent(
            address: address, incarnation: row.incarnation, fromSeq: row.fromSeq, toSeq: toSeq, xid: row.xid,
            client: row.client, user: row.user, at: row.at,
            syncToken: tokens.token(row: row.zone, address: address, reached: toSeq), records: row.records,
            isDeletion: row.isDeletion, rights: row.rights,
            shares: ChangeEvent.Shares(
                zone: row.zoneShare, unlisted: unlisted ?? [],
                isAll: row.isDeletion && row.isShared || unlisted == nil))
    }
}
