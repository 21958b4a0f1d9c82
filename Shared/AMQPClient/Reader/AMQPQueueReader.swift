package import Logging
import ServiceLifecycle
import Synchronization

/// Reads queues that come and go by the thousand, over one connection that it keeps up: each for as long as somebody
/// holds an ``AMQPReading`` of it.
///
/// An ``AMQPConsumer`` has the same queues for ever, each on a channel of its own; here several hundred consumers share a
/// channel, since a channel costs the broker some processes and a consumer next to nothing. To consume a queue that is
/// not there would close the channel for all of them, so each queue is looked up first, on a channel where only
/// look-ups suffer. When the connection, or a channel, is lost, its readings begin again by themselves; what they had
/// not acknowledged is delivered again.
package final class AMQPQueueReader: Service, Sendable {
    private let inbox: Inbox<ReaderCommand>
    private let status = ConnectionStatus()
    private let keeper: ConnectionKeeper
    private let lastID = Atomic<UInt64>(0)

    /// Prepares a reader; nothing is connected before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: how to reach the broker.
    ///   - maxHeldBytes: the bodies, delivered and not acknowledged, past which the readings that hold the most are
    ///     ended, and what they hold goes back to its queue. One who does not acknowledge costs nobody else.
    ///   - logger: for connecting and disconnecting.
    package init(configuration: AMQPConfiguration, maxHeldBytes: Int = 32 << 20, logger: Logger) {
        let thread = ConnectionThread(name: "amqp-read")
        inbox = Inbox(thread: thread, closesAt: .over)
        keeper = ConnectionKeeper(
            thread: thread, configuration: configuration, status: status,
            role: QueueReaderRole(inbox: inbox, maxHeldBytes: maxHeldBytes, closeTimeout: configuration.closeTimeout),
            logger: logger)
    }

    /// Runs until graceful shutdown, which stops all readings and waits until they are released (at most
    /// `closeTimeout`), or until the task is cancelled, which ends them. Reconnects for ever. To be called once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// Whether there is a connection now.
    package var isConnected: Bool { status.isConnected }

    /// Why there is no connection now, as far as it is known.
    package var failure: AMQPError? { status.failure }

    /// Waits for a connection.
    ///
    /// - Throws: `.timedOut` with the last attempt's error, `.notRunning`, `.closed` or `.cancelled`.
    package func waitUntilConnected(timeout: Duration) async throws(AMQPError) {
        try await status.waitUntilConnected(timeout: timeout)
    }

    /// Begins to read a queue, and returns when the broker has agreed to deliver. Three round trips at most.
    ///
    /// - Parameters:
    ///   - prefetch: how many deliveries the broker sends ahead of their acknowledgement; at least 1.
    ///   - timeout: how long to wait for a connection and the broker's consent.
    /// - Throws: `.refused` when the queue is not there (with the code 404) or must not be read, `.timedOut`,
    ///   `.closed`, `.cancelled`.
    package func read(_ queue: String, prefetch: UInt16, timeout: Duration) async throws(AMQPError) -> AMQPReading {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let mailbox = ReadingMailbox(id: id, queue: queue, prefetch: max(1, prefetch))
        guard inbox.put(.begin(mailbox)) else { throw AMQPError(.closed, "the reader has been shut down") }
        // From here on its release ends what was begun.
        let reading = AMQPReading(mailbox, inbox)
        let timer = Task { [status] in
            try await Task.sleep(for: timeout)
            mailbox.consent.complete(.failure(status.timeout))
        }
        defer { timer.cancel() }
        let cancelled = AMQPError(.cancelled, "the task was cancelled before the queue could be read")
        try await mailbox.consent.value(whenCancelled: .failure(cancelled)).get()
        return reading
    }
}
