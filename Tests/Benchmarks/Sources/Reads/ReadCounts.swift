internal import CloudKitWire

/// What was read, and the bytes it took.
package struct ReadCounts: Sendable, Equatable {
    /// Records.
    package var records = 0
    /// Answers.
    package var answers = 0
    /// Bytes of the requests' bodies.
    package var requestBytes = 0
    /// Bytes of the answers' bodies.
    package var answerBytes = 0

    /// Nothing yet.
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

    /// One object: records, and the mean sizes of a request and its answer, so that the broker can be given the same.
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
    /// Runs `place` so many times side by side and adds up what they did.
    ///
    /// - Throws: the first failure of one.
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
