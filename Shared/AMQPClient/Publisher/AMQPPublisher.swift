package import Logging
import ServiceLifecycle

/// Publishes messages with publisher confirms over its own connection, and reconnects when the connection is lost.
///
/// Any number of tasks may publish concurrently. Messages are sent in the order in which they are handed over, and at
/// most `maxInFlight` of them are unconfirmed at any time. Callers wait while the broker is unreachable. After a
/// reconnect, all unconfirmed messages are sent again. A message can therefore arrive twice, with the same
/// `message-id`, but is not lost. A message that causes the broker to close the channel or connection is found and
/// discarded (``PoisonSearch``), so that it does not block the other messages.
package final class AMQPPublisher: AMQPConnectionClient {
    private let inbox: Inbox<PublishGroup>
    package let status = ConnectionStatus()
    private let keeper: ConnectionKeeper
    private let configuration: AMQPConfiguration

    /// Creates a publisher, which connects when `run()` is called.
    ///
    /// - Parameters:
    ///   - configuration: the broker's address, credentials and limits.
    ///   - topology: the exchanges, queues and bindings to declare on every new connection.
    ///   - maxInFlight: the maximum number of messages that are sent but not yet confirmed.
    ///   - logger: logs connects, disconnects and messages that are discarded.
    package init(
        configuration: AMQPConfiguration, topology: AMQPTopology = .empty, maxInFlight: Int = 5000, logger: Logger
    ) {
        let thread = ConnectionThread(name: "amqp-publish")
        inbox = Inbox(thread: thread, closesAt: .graceful)
        self.configuration = configuration
        keeper = ConnectionKeeper(
            thread: thread, configuration: configuration, status: status,
            role: PublisherRole(
                inbox: inbox, status: status, topology: topology, maxInFlight: maxInFlight,
                closeTimeout: configuration.closeTimeout, logger: logger),
            logger: logger)
    }

    /// Runs until graceful shutdown, which waits at most `closeTimeout` for outstanding confirms, or until the task is
    /// cancelled, which fails all unconfirmed messages. Reconnects indefinitely. Must be called only once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// The maximum size of a reply's body in bytes: see ``AMQPConfiguration/maxAnswerBytes``.
    package var maxAnswerBytes: Int { configuration.maxAnswerBytes }

    /// Publishes one message and returns when the broker has confirmed it.
    ///
    /// - Throws: `.nacked`, `.returned`, `.channelClosed`, `.givenUp`, `.refused`; `.closed` if the publisher is shut
    ///   down; `.cancelled` if the task is cancelled, in which case the message might still be published.
    package func publish(_ message: AMQPMessage) async throws(AMQPError) {
        try await publish([message])[0].get()
    }

    /// Publishes messages with a single suspension. Returns one result per message, in order, when all results are
    /// known.
    package func publish(_ messages: [AMQPMessage]) async -> [Result<Void, AMQPError>] {
        let completion = Completion<[Result<Void, AMQPError>]>()
        publish(messages) { completion.complete($0) }
        let cancelled = AMQPError(.cancelled, "the task was cancelled before the broker confirmed the message")
        return await completion.value(whenCancelled: messages.map { _ in .failure(cancelled) })
    }

    /// Publishes messages without waiting.
    ///
    /// The number of messages handed over but not yet sent is unbounded, so a caller that publishes in a loop must
    /// limit its own unconfirmed messages.
    ///
    /// - Parameter whenConfirmed: receives one result per message, in order, when all results are known. Called once,
    ///   on the connection's thread, or on the caller's thread if no message can be sent. It must not block.
    package func publish(
        _ messages: [AMQPMessage], whenConfirmed: @escaping @Sendable ([Result<Void, AMQPError>]) -> Void
    ) {
        let group = PublishGroup(messages, configuration: configuration, whenDone: whenConfirmed)
        if group.completeIfEmpty() {
            return
        }
        if !inbox.put(group) {
            let closed = AMQPError(.closed, "the publisher has been shut down")
            whenConfirmed(messages.map { _ in .failure(closed) })
        }
    }
}
