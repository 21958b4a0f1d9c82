/// A group of messages that were handed over together. It completes when every message has a result.
///
/// `@unchecked Sendable`, because only the connection's thread uses the mutable state after the group has been put into
/// the inbox, whose lock orders memory accesses.
final class PublishGroup: @unchecked Sendable {
    typealias Results = [Result<Void, AMQPError>]

    let messages: [AMQPMessage]
    private let whenDone: @Sendable (Results) -> Void
    private var openCount: Int
    private var failures: [Int: AMQPError] = [:]
    /// The errors of the messages that the broker returned. The confirm for such a message arrives later.
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

    /// The indices of the valid messages, which can be sent.
    var sendableIndices: [Int] {
        failures.isEmpty ? Array(messages.indices) : messages.indices.filter { failures[$0] == nil }
    }

    /// Completes the group immediately if none of its messages can be sent. Returns whether the group was completed.
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

    /// Forgets that a message was returned, because it will be sent again after the loss of its connection or channel.
    func forgetReturned(_ index: Int) {
        returned[index] = nil
    }

    /// Records the result of one message. Must be called once for each message that can be sent.
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
