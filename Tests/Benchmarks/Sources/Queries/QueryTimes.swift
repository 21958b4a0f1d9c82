internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// One query that is sent repeatedly.
struct QueryTimes: Sendable {
    private static let requestLimit: Duration = .seconds(10)
    /// The time limit for the service to build the indexes that a query needs.
    private static let indexLimit: Duration = .seconds(600)
    /// The number of times that a statement is explained.
    private static let explainCount = 21

    let query: BenchQuery
    let zone: String

    /// The result of a measurement.
    struct Result {
        /// The durations of the requests in seconds, in ascending order.
        let seconds: [Double]
        /// The time from the start of the first request to the end of the last.
        let elapsed: Duration
        /// The size of a request.
        let requestBytes: Int
        /// The size of an answer.
        let answerBytes: Int
        /// The number of records in an answer.
        let recordCount: Int
    }

    /// Sends the query once a second until the service has the indexes that it needs.
    ///
    /// - Throws: ``LimitFailure`` if this takes too long.
    func waitForIndexes() async throws {
        let end = ContinuousClock.now + Self.indexLimit
        while try await !hasIndexes() {
            guard ContinuousClock.now < end else { throw LimitFailure("'\(query.name)': the indexes are missing") }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func hasIndexes() async throws -> Bool {
        do {
            let answer = try await ServiceAnswer.to(query.operation, body: query.body(zone: zone))
            return answer.firstIndex(of: #""warnings":"#) == nil
        } catch let failure as LimitFailure where failure.description.contains(#""reasonCode":"scan_too_large""#) {
            // The zone has more records than the limit for a scan, so a query without an index is refused.
            return false
        }
    }

    /// Sends requests for `duration`, each as soon as another one has been answered, to the service or to the program
    /// that answers `queue`.
    ///
    /// - Throws: ``LimitFailure`` if an answer is an error or has other records than the first one; the first failure
    ///   of a request.
    func run(_ producers: Producers, queue: String? = nil, duration: Duration) async throws -> Result {
        let (headers, ids) = (LoadShape.headers(), MessageIDs())
        let body = query.body(zone: zone)
        let expected = try await ServiceAnswer.to(query.operation, body: body)
        let expectedCount = expected.occurrences(of: #""recordName":"#)
        let (places, elapsed) = try await producers.run { client, place in
            let end = ContinuousClock.now + duration
            var seconds: [Double] = []
            while ContinuousClock.now < end {
                let start = ContinuousClock.now
                let message = LoadShape.message(
                    exchange: queue == nil ? query.operation.exchange : "",
                    routingKey: queue ?? query.operation.rawValue, headers: headers,
                    messageID: ids.id(slot: place, number: seconds.count), limit: Self.requestLimit, body: body)
                let reply = try await client.call(message, timeout: Self.requestLimit)
                seconds.append((ContinuousClock.now - start).seconds)
                guard reply.properties.headers.int64(Header.status) == 200,
                    reply.body.occurrences(of: #""recordName":"#) == expectedCount
                else {
                    throw LimitFailure("another answer: \(String(decoding: reply.body.prefix(1000), as: UTF8.self))")
                }
            }
            return seconds
        }
        return Result(
            seconds: places.flatMap(\.self).sorted(), elapsed: elapsed, requestBytes: body.count,
            answerBytes: expected.count, recordCount: expectedCount)
    }

    /// Returns the median time, in milliseconds, in which PostgreSQL plans and executes the service's statement; nil if
    /// the service does not report it.
    ///
    /// - Throws: ``LimitFailure`` if the service refuses the request.
    func explainedByService() async throws -> Double? {
        guard query.limit != nil else { return nil }
        var times: [Double] = []
        for _ in 0..<Self.explainCount {
            let answer = try await ServiceAnswer.to(.recordsExplain, body: query.body(zone: zone))
            guard let time = try JSONValue(parsing: answer)["milliseconds"]?.double else { return nil }
            times.append(time)
        }
        return times.sorted()[times.count / 2]
    }

    /// Returns the same time for the hand-written statement.
    ///
    /// - Throws: `PostgresError`.
    func explained(over table: BareTable, _ pool: PostgresPool) async throws -> Double? {
        guard let call = query.statement?(table) else { return nil }
        let explain = PostgresStatement("explain (analyze, format json) \(call.statement.sql)", isPrepared: false)
        var times: [Double] = []
        for _ in 0..<Self.explainCount {
            let rows = try await pool.withConnection { try await $0.query(explain, call.parameters) }
            // The column has the type json, whose binary form is its text.
            let plan = try JSONValue(parsing: rows[0].withBytes(0) { Array($0) })[0]
            times.append((plan?["Planning Time"]?.double ?? 0) + (plan?["Execution Time"]?.double ?? 0))
        }
        return times.sorted()[times.count / 2]
    }
}

extension QueryTimes.Result {
    /// Returns the result as an object. `milliseconds` is the mean time of a request.
    func json(statement: Double?) -> JSONValue {
        func milliseconds(_ seconds: Double) -> JSONValue { .double((seconds * 1000).rounded(places: 4)) }
        var members = Throughput(count: seconds.count, elapsed: elapsed).members(unit: "requests")
        members += [
            .init("milliseconds", milliseconds(seconds.reduce(0, +) / Double(Swift.max(1, seconds.count)))),
            .init("p50", milliseconds(seconds[seconds.count / 2])),
            .init("requestBytes", .int(Int64(requestBytes))), .init("replyBytes", .int(Int64(answerBytes))),
            .init("records", .int(Int64(recordCount))),
        ]
        if let statement { members.append(.init("statementMilliseconds", .double(statement.rounded(places: 4)))) }
        return .object(members)
    }
}
