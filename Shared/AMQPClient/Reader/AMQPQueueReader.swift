package import Logging
import ServiceLifecycle
import Synchronization

/// Reads large, changing sets of queues over one connection, which it maintains. Each queue is read for as long as an
/// ``AMQPReading`` of it is retained.
///
/// An ``AMQPConsumer`` consumes a fixed set of queues, each on a channel of its own. Here several hundred consumers
/// share a channel, because a channel costs the broker several processes and a consumer costs very little. Consuming a
/// missing queue would close the channel for all of them, so each queue is looked up first, on a channel used for
/// look-ups only. When the connection or a channel is lost, its readings restart automatically, and the broker
/// redelivers unacknowledged messages.
package final class AMQPQueueReader: AMQPConnectionClient {
    private let inbox: Inbox<ReaderCommand>
    package let status = ConnectionStatus()
    private let keeper: ConnectionKeeper
    private let lastID = Atomic<UInt64>(0)

    /// Creates a reader. It does not connect before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: the broker's address, credentials and limits.
    ///   - maxHeldBytes: the maximum bytes of bodies delivered and not acknowledged. Above it, the readings that hold
    ///     the most are ended, and their deliveries return to the queue, so a reading that does not acknowledge does
    ///     not affect the others.
    ///   - logger: logs connects and disconnects.
    package init(configuration: AMQPConfiguration, maxHeldBytes: Int = 32 << 20, logger: Logger) {
        let thread = ConnectionThread(name: "amqp-read")
        inbox = Inbox(thread: thread, closesAt: .over)
        keeper = ConnectionKeeper(
            thread: thread, configuration: configuration, status: status,
            role: QueueReaderRole(inbox: inbox, maxHeldBytes: maxHeldBytes, closeTimeout: configuration.closeTimeout),
            logger: logger)
    }

    /// Runs until graceful shutdown, which stops all readings and waits until they are released (at most
    /// `closeTimeout`), or until the task is cancelled, which ends them. Reconnects indefinitely. Must be called only
    /// once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// Starts reading a queue and returns when the broker has agreed to deliver. Takes three round trips at most.
    ///
    /// - Parameters:
    ///   - prefetch: the number of unacknowledged deliveries that the broker sends ahead; at least 1.
    ///   - timeout: the maximum wait for a connection and the broker's agreement.
    /// - Throws: `.refused` when the queue does not exist (with the code 404) or read permission is denied,
    ///   `.timedOut`, `.closed`, `.cancelled`.
    package func read(_ queue: String, prefetch: UInt16, timeout: Duration) async throws(AMQPError) -> AMQPReading {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let mailbox = ReadingMailbox(id: id, queue: queue, prefetch: max(1, prefetch))
        guard inbox.put(.begin(mailbox)) else { throw AMQPError(.closed, "the reader has been shut down") }
        // From here on, releasing the reading ends it at the broker too.
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
