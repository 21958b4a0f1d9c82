package import Logging
import ServiceLifecycle

/// Publishes messages, each confirmed by the broker, over a connection of its own that it keeps up.
///
/// Any number of tasks may publish at a time; what they hand over is sent in that order, with up to `maxInFlight`
/// messages under way unconfirmed. While the broker is away callers wait, and after a reconnect everything unconfirmed
/// is sent again: a message may therefore arrive twice, with the same `message-id`, but is not lost. A message for which
/// the broker ends connections is found and given up (``PoisonSearch``), so that it does not stop the others.
package final class AMQPPublisher: Service, Sendable {
    private let inbox: Inbox<PublishGroup>
    private let status = ConnectionStatus()
    private let keeper: ConnectionKeeper
    private let configuration: AMQPConfiguration

    /// Prepares a publisher; nothing is connected before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: how to reach the broker.
    ///   - topology: declared on every new connection.
    ///   - maxInFlight: how many messages may be sent and not yet confirmed.
    ///   - logger: for connecting and disconnecting.
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

    /// Runs until graceful shutdown, which waits for outstanding confirms (at most `closeTimeout`), or until the task
    /// is cancelled, which fails them. Reconnects for ever. To be called once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// The largest body in bytes that an answer may have: see ``AMQPConfiguration/maxAnswerBytes``.
    package var maxAnswerBytes: Int { configuration.maxAnswerBytes }

    /// Whether there is a connection now.
    package var isConnected: Bool {
        status.isConnected
    }

    /// Why there is no connection now, as far as it is known.
    package var failure: AMQPError? {
        status.failure
    }

    /// Why the broker takes no publishes now, in its own words: memory or disk is short. Nil while it takes them, and until
    /// it has been asked to since it connected.
    package var blockedReason: String? {
        status.blockedReason
    }

    /// How many messages were given up because the broker ended connections or channels for them.
    package var givenUpCount: Int {
        status.givenUpCount
    }

    /// Waits for a connection.
    ///
    /// - Throws: `.timedOut` with the last attempt's error, `.notRunning`, `.closed` or `.cancelled`.
    package func waitUntilConnected(timeout: Duration) async throws(AMQPError) {
        try await status.waitUntilConnected(timeout: timeout)
    }

    /// Publishes one message and returns when the broker has confirmed it.
    ///
    /// - Throws: `.nacked`, `.returned`, `.channelClosed`, `.givenUp`, `.refused`; `.closed` when the publisher ends; `.cancelled`
    ///   when the task is cancelled, although the message may still be published.
    package func publish(_ message: AMQPMessage) async throws(AMQPError) {
        try await publish([message])[0].get()
    }

    /// Publishes messages with one suspension and returns each one's result, in their order, when all have one.
    package func publish(_ messages: [AMQPMessage]) async -> [Result<Void, AMQPError>] {
        let completion = Completion<[Result<Void, AMQPError>]>()
        publish(messages) { completion.complete($0) }
        let cancelled = AMQPError(.cancelled, "the task was cancelled before the broker confirmed the message")
        return await completion.value(whenCancelled: messages.map { _ in .failure(cancelled) })
    }

    /// Publishes messages without waiting.
    ///
    /// Nothing bounds what is handed over but not yet sent: a caller in a loop has to watch the confirms itself.
    ///
    /// - Parameter whenConfirmed: gets each message's result, in their order, when all have one. Called once, on the
    ///   connection's thread, or on the caller's when nothing can be sent. It must not block.
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
