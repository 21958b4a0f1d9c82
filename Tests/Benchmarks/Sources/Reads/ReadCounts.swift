internal import CloudKitWire

/// The number of read records, with the sizes of requests and answers.
package struct ReadCounts: Sendable, Equatable {
    /// The number of records.
    package var records = 0
    /// The number of answers.
    package var answers = 0
    /// The total size of the requests' bodies, in bytes.
    package var requestBytes = 0
    /// The total size of the answers' bodies, in bytes.
    package var answerBytes = 0

    /// Creates empty counts.
    package init() {}

    /// Counts an answer.
    mutating func add(records: Int, requestBytes: Int, answerBytes: Int) {
        self.records += records
        answers += 1
        self.requestBytes += requestBytes
        self.answerBytes += answerBytes
    }

    package static func + (left: ReadCounts, right: ReadCounts) -> ReadCounts {
        var sum = left
        sum.records += right.records
        sum.answers += right.answers
        sum.requestBytes += right.requestBytes
        sum.answerBytes += right.answerBytes
        return sum
    }

    /// Returns an object with the records and the mean sizes of a request and an answer, so that the broker can be
    /// measured with the same sizes.
    func json(elapsed: Duration) -> JSONValue {
        .object(
            Throughput(count: records, elapsed: elapsed).members(unit: "records") + [
                .init("requestBytes", .int(Int64(requestBytes / max(1, answers)))),
                .init("replyBytes", .int(Int64(answerBytes / max(1, answers)))),
                .init("perReply", .double((Double(records) / Double(max(1, answers))).rounded(places: 2))),
            ])
    }
}

extension ReadCounts {
    /// Runs `place` several times concurrently, and returns the sum of the counts.
    ///
    /// - Throws: the first failure.
    static func sum(
        over places: Int, _ place: @escaping @Sendable () async throws -> ReadCounts
    ) async throws -> (counts: ReadCounts, elapsed: Duration) {
        let start = ContinuousClock.now
        let counts = try await withThrowingTaskGroup(of: ReadCounts.self) { group in
            for _ in 0..<places { group.addTask { try await place() } }
            return try await group.reduce(ReadCounts(), +)
        }
        return (counts, .now - start)
    }
}
