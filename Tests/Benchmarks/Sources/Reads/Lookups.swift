internal import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import PostgresClient
internal import RecordService
internal import RecordStorage
internal import ServiceMessages

/// Look-ups of a zone's records, one by one in random order.
struct Lookups: Sendable {
    let zone: ReadZone
    let duration: Duration

    /// Looks up records with the service, one per message.
    ///
    /// - Throws: ``LimitFailure`` if an answer does not contain the record; the first failure of a request.
    func byService(_ producers: Producers) async throws -> (counts: ReadCounts, elapsed: Duration) {
        let service = ServiceAnswer()
        let (counts, elapsed) = try await producers.run { client, place in
            let end = ContinuousClock.now + duration
            var counts = ReadCounts()
            while ContinuousClock.now < end {
                let body = zone.lookup(of: zone.anyName())
                let answer = try await service.answer(
                    to: .recordsLookup, body: body, over: client, slot: place, number: counts.answers)
                try ReadZone.check(answer)
                counts.add(records: 1, requestBytes: body.count, answerBytes: answer.count)
            }
            return counts
        }
        return (counts.reduce(ReadCounts(), +), elapsed)
    }

    /// Looks up records with only the service's statements, as `RecordsLookupOperation` sends them, one at a time on
    /// each connection.
    ///
    /// - Throws: ``LimitFailure`` if a record is missing; `PostgresError`.
    func byDatabase(_ pool: PostgresPool, connections: Int) async throws -> (counts: ReadCounts, elapsed: Duration) {
        let row = try await zone.row(over: pool)
        let table = RecordTable(row.database.environment)
        return try await ReadCounts.sum(over: connections) {
            let end = ContinuousClock.now + duration
            var counts = ReadCounts()
            while ContinuousClock.now < end {
                let key = RecordKey(zone: row.row, name: RecordName(unchecked: zone.anyName()))
                let results = try await pool.withConnection {
                    try await $0.pipeline([ZoneTable.state(of: row.row), table.read([key])])
                }
                guard results[0].count == 1, results[1].count == 1 else { throw LimitFailure("a record is missing") }
                counts.add(records: 1, requestBytes: 0, answerBytes: 0)
            }
            return counts
        }
    }
}
