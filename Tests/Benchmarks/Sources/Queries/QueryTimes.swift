internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import ServiceMessages

/// One query, asked again and again.
struct QueryTimes: Sendable {
    private static let requestLimit: Duration = .seconds(10)
    /// How long the service may take to build the indexes that a query wants.
    private static let indexLimit: Duration = .seconds(600)
    /// How often a statement is explained.
    private static let explainCount = 21

    let query: BenchQuery
    let zone: String

    /// What was measured.
    struct Result {
        /// The seconds of each request, in order of their length.
        let seconds: [Double]
        /// From the beginning of the first to the end of the last.
        let elapsed: Duration
        /// Of one request.
        let requestBytes: Int
        /// Of one answer.
        let answerBytes: Int
        /// Of one answer.
        let recordCount: Int
    }

    /// Asks once a second until the service has the indexes that the query wants.
    ///
    /// - Throws: ``LimitFailure`` when that takes too long.
    func waitForIndexes() async throws {
        let end = ContinuousClock.now + Self.indexLimit
        while try await !hasIndexes() {
            guard ContinuousClock.now < end else { throw LimitFailure("'\(query.name)': there is still no index") }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func hasIndexes() async throws -> Bool {
        do {
            let answer = try await ServiceAnswer.to(query.operation, body: query.body(zone: zone))
            return answer.firstIndex(of: #""warnings":"#) == nil
        } catch let failure as LimitFailure where failure.description.contains(#""reasonCode":"scan_too_large""#) {
            // With this many records nothing is reported without an index.
            return false
        }
    }

    /// Asks for `duration`, as fast as answers come: the service, or who answers what comes to `queue`.
    ///
    /// - Throws: ``LimitFailure`` when an answer is an error or has other records than the first, and the first failure of a
    ///   request.
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

    /// The milliseconds that PostgreSQL plans and runs the service's statement, the median of some; nil where the
    /// service does not tell.
    ///
    /// - Throws: ``LimitFailure`` when the service refuses it.
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

    /// The same of the hand-written statement.
    ///
    /// - Throws: `PostgresError`.
    func explained(over table: BareTable, _ pool: PostgresPool) async throws -> Double? {
        guard let call = query.statement?(table) else { return nil }
        let explain = PostgresStatement("explain (analyze, format json) \(call.statement.sql)", isPrepared: false)
        var times: [Double] = []
        for _ in 0..<Self.explainCount {
            let rows = try await pool.withConnection { try await $0.query(explain, call.parameters) }
            // The column is of type json, whose binary form is its text.
            let plan = try JSONValue(parsing: rows[0].withBytes(0) { Array($0) })[0]
            times.append((plan?["Planning Time"]?.double ?? 0) + (plan?["Execution Time"]?.double ?? 0))
        }
        return times.sorted()[times.count / 2]
    }
}

extension QueryTimes.Result {
    /// One object. `milliseconds` is the mean time of a request.
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
