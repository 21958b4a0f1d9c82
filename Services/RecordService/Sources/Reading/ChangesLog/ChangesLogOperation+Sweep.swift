internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

extension ChangesLogOperation {
    /// Returns a page of a sweep or, without `since`, the current snapshot.
    func sweep(_ body: JSONValue, limit: Int64) async throws -> Answer {
        let since = try snapshot("since", of: body)
        let after = try SweepPlace(body["after"]?.string)
        let upTo = try snapshot("upTo", of: body)
        return try await pool.withConnection { connection in
            var snapshot = upTo
            if snapshot == nil { snapshot = try await connection.query(ChangeLog.snapshot).first?.string(0) }
            guard let since, let upTo = snapshot else {
                return Answer { writer in
                    write([], to: &writer)
                    writer.member("snapshot", snapshot)
                    writer.member("moreComing", false)
                }
            }
            let results = try await connection.pipeline([
                ChangeLog.sweep(since: since, upTo: upTo, after: after, limit: limit, maxBytes: Self.maxBytes)
            ])
            let rows = try ChangeLog.rows(results[0])
            return Answer { writer in
                write(rows, to: &writer)
                writer.member("snapshot", upTo)
                writer.member("moreComing", rows.count == Int(limit) || rows.last?.isFollowed == true)
                writer.member("after", rows.last.map { SweepPlace($0).text })
            }
        }
    }

    /// Parses a snapshot in PostgreSQL's form: `xmin:xmax:xip,xip…`.
    private func snapshot(_ key: String, of body: JSONValue) throws(ServerError) -> String? {
        guard let text = body[key]?.string else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isSound =
            parts.count == 3 && parts[0...1].allSatisfy { UInt64($0) != nil }
            && parts[2].split(separator: ",").allSatisfy { UInt64($0) != nil }
        guard isSound else { throw .wrongKind(key, expected: "a snapshot from an earlier answer") }
        return text
    }
}

extension SweepPlace {
    /// Parses the text of a place; nil stands for the beginning.
    fileprivate init(_ text: String?) throws(ServerError) {
        guard let text else {
            self.init()
            return
        }
        let parts = text.split(separator: ".")
        guard parts.count == 3, let xid = UInt64(parts[0]), let zone = Int64(parts[1]), let seq = Int64(parts[2])
        else { throw .wrongKind("after", expected: "the 'after' of the previous page") }
        self.init(xid: xid, zone: zone, seq: seq)
    }

    /// The text of the place, for the next request.
    fileprivate var text: String { "\(xid).\(zone).\(seq)" }
}
