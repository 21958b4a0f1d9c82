internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordService
internal import RecordStorage
internal import ServiceMessages

/// A zone's change feed, read from the beginning to the end by a few walkers, each of which repeats this.
struct Walks: Sendable {
    let zone: ReadZone
    /// The number of records in a page.
    let pageCount: Int
    let duration: Duration
    /// The requests of the walkers.
    var service = ServiceAnswer()

    /// Reads the feed with the service.
    ///
    /// - Throws: ``LimitFailure`` if a walk has not found every record once; the first failure of a request.
    func byService(_ walkers: Producers) async throws -> (counts: ReadCounts, elapsed: Duration) {
        let (counts, elapsed) = try await walkers.run { client, place in
            let end = ContinuousClock.now + duration
            var counts = ReadCounts()
            var (token, met) = (String?.none, 0)
            while ContinuousClock.now < end {
                let body = zone.changes(after: token, limit: pageCount)
                let answer = try await service.answer(
                    to: .changesZone, body: body, over: client, slot: place, number: counts.answers)
                let page = try Page(answer)
                counts.add(records: page.recordCount, requestBytes: body.count, answerBytes: answer.count)
                (token, met) = try step(from: met, by: page.recordCount, to: page.moreComing ? page.syncToken : nil)
            }
            return counts
        }
        return (counts.reduce(ReadCounts(), +), elapsed)
    }

    /// Reads the feed with only the service's statements, as `ZoneChangesOperation` sends them. Each walker has a
    /// connection.
    ///
    /// - Throws: ``LimitFailure`` if a walk has not found every record once; `PostgresError`.
    func byDatabase(_ pool: PostgresPool, walkers: Int) async throws -> (counts: ReadCounts, elapsed: Duration) {
        let row = try await zone.row(over: pool)
        let table = RecordTable(row.database.environment)
        return try await ReadCounts.sum(over: walkers) {
            let end = ContinuousClock.now + duration
            var counts = ReadCounts()
            var (position, met) = (Int64?.none, 0)
            while ContinuousClock.now < end {
                let page = table.changes(
                    in: row.row, after: position ?? 0, skippingTombstonesTo: nil, limit: pageCount,
                    maxBytes: RecordTable.maxBytesRead)
                let results = try await pool.withConnection {
                    try await $0.pipeline([ZoneTable.state(of: row.row), page])
                }
                guard let counter = results[0].first?.int64(0), let last = results[1].last?.int64(3) else {
                    throw LimitFailure("the zone is empty")
                }
                counts.add(records: results[1].count, requestBytes: 0, answerBytes: 0)
                (position, met) = try step(from: met, by: results[1].count, to: last < counter ? last : nil)
            }
            return counts
        }
    }

    /// Moves to the next page, or back to the beginning after the last one.
    private func step<Position>(
        from met: Int, by count: Int, to next: Position?
    ) throws -> (position: Position?, met: Int) {
        guard next == nil else { return (next, met + count) }
        guard met + count == zone.recordCount else {
            throw LimitFailure("a walk found \(met + count) of \(zone.recordCount) records")
        }
        return (nil, 0)
    }

    /// The parts of an answer that a walker reads. Only the members after the records are parsed.
    struct Page {
        let recordCount: Int
        let syncToken: String
        let moreComing: Bool

        init(_ answer: [UInt8]) throws {
            guard let records = answer.firstIndex(of: #"],"syncToken":"#) else {
                throw LimitFailure("the answer has no page: \(String(decoding: answer.prefix(1000), as: UTF8.self))")
            }
            let tail = try JSONValue(parsing: Array(#"{"zones":[{"#.utf8) + answer[(records + 2)...])
            guard let page = tail["zones"]?[0], let token = page["syncToken"]?.string else {
                throw LimitFailure("the page has no token")
            }
            // The name of a record also occurs in other places, for example as a parent.
            recordCount = answer.occurrences(of: #""recordChangeTag":"#)
            syncToken = token
            moreComing = page["moreComing"]?.bool ?? false
        }
    }
}
