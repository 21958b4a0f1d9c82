internal import AMQPClient
internal import ServiceMessages

/// Requests of one user over one connection, one after another.
struct TimedRequests: Sendable {
    let client: AMQPRPCClient
    let service: ServiceAnswer

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - count: the number of times that the answer must contain `text`.
    /// - Returns: the answer, and the time from the request to the answer.
    /// - Throws: ``LimitFailure`` if the answer is an error or does not contain `text` the expected number of times;
    ///   `AMQPError`.
    func ask(
        _ operation: ServiceMessages.Operation, _ body: [UInt8], expecting text: StaticString, count: Int
    ) async throws -> (answer: [UInt8], time: Duration) {
        let start = ContinuousClock.now
        let answer = try await service.answer(
            to: operation, body: body, over: client, slot: 0, number: .random(in: 0..<1 << 40))
        let time = ContinuousClock.now - start
        guard answer.occurrences(of: text) == count else {
            throw LimitFailure("another answer: \(String(decoding: answer.prefix(1000), as: UTF8.self))")
        }
        return (answer, time)
    }
}
