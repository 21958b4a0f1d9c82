/// Messages that were handed over together. The group completes when the last one is answered.
///
/// `@unchecked Sendable`: the mutable state belongs to the connection's thread after the hand-over through the inbox,
/// whose lock orders memory accesses.
final class PublishGroup: @unchecked Sendable {
    typealias Results = [Result<Void, AMQPError>]

    let messages: [AMQPMessage]
    private let whenDone: @Sendable (Results) -> Void
    private var openCount: Int
    private var failures: [Int: AMQPError] = [:]
    /// The messages that the broker returned. Their confirms follow.
    private var returned: [Int: AMQPError] = [:]

    init(
        _ messages: [AMQPMessage], configuration: AMQPConfiguration, whenDone: @escaping @Sendable (Results) -> Void
    ) {
        self.messages = messages
        self.whenDone = whenDone
        openCount = messages.count
        for (index, message) in messages.enumerated() {
            do throws(AMQPError) {
                try message.validate(for: configuration)
            } catch {
                failures[index] = error
                openCount -= 1
            }
        }
    }

    /// The indices of the messages that can be sent.
    var sendableIndices: [Int] {
        failures.isEmpty ? Array(messages.indices) : messages.indices.filter { failures[$0] == nil }
    }

    /// Completes the group immediately if none of its messages can be sent. Returns whether it did.
    func completeIfEmpty() -> Bool {
        guard openCount == 0 else {
            return false
        }
        complete()
        return true
    }

    func isReturned(_ index: Int) -> Bool {
        returned[index] != nil
    }

    func markReturned(_ index: Int, _ error: AMQPError) {
        returned[index] = error
    }

    /// Discards the return of a message that will be sent again, because its connection or channel was lost.
    func forgetReturned(_ index: Int) {
        returned[index] = nil
    }

    /// Records the broker's answer to one message. Must be called once for each.
    func settle(_ index: Int, _ failure: AMQPError?) {
        if let failure = failure ?? returned[index] {
            failures[index] = failure
        }
        openCount -= 1
        if openCount == 0 {
            complete()
        }
    }

    private func complete() {
        var results = Results(repeating: .success(()), count: messages.count)
        for (index, error) in failures {
            results[index] = .failure(error)
        }
        whenDone(results)
    }
}
