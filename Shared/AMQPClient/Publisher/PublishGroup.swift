/// Messages handed over together, until the last of them is answered.
///
/// `@unchecked Sendable`: after the hand-over through the inbox, whose lock orders the memory, the mutable part belongs
/// to the connection's thread.
final class PublishGroup: @unchecked Sendable {
    typealias Results = [Result<Void, AMQPError>]

    let messages: [AMQPMessage]
    private let whenDone: @Sendable (Results) -> Void
    private var openCount: Int
    private var failures: [Int: AMQPError] = [:]
    /// Those the broker returned; their confirm follows.
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

    /// The messages that can be sent.
    var sendableIndices: [Int] {
        failures.isEmpty ? Array(messages.indices) : messages.indices.filter { failures[$0] == nil }
    }

    /// Tells the caller at once, when there was nothing that can be sent.
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

    /// The connection is lost: the message will be sent again, whatever was said about it.
    func forgetReturned(_ index: Int) {
        returned[index] = nil
    }

    /// The broker's answer to one message; each gets one.
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
