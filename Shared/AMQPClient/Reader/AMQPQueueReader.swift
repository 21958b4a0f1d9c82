package import Logging
import ServiceLifecycle
import Synchronization

/// Reads large, changing sets of queues over one connection, and reconnects when the connection is lost. A queue is
/// read for as long as its ``AMQPReading`` is retained.
///
/// An ``AMQPConsumer`` consumes a fixed set of queues, each on its own channel. In a reader, several hundred consumers
/// share a channel, because a channel costs the broker several processes, whereas a consumer costs very little.
/// Consuming a missing queue would close the channel for all its consumers, so each queue is first looked up on a
/// separate channel. When the connection or a channel is lost, its readings restart automatically, and the broker
/// redelivers unacknowledged messages.
package final class AMQPQueueReader: AMQPConnectionClient {
    private let inbox: Inbox<ReaderCommand>
    package let status = ConnectionStatus()
    private let keeper: ConnectionKeeper
    private let lastID = Atomic<UInt64>(0)

    /// Creates a reader, which connects when `run()` is called.
    ///
    /// - Parameters:
    ///   - configuration: the broker's address, credentials and limits.
    ///   - maxHeldBytes: the maximum total size, in bytes, of bodies that are delivered but not acknowledged. Above
    ///     this size, the readings that hold the most bytes are ended, and their deliveries return to their queues. A
    ///     reading whose deliveries are not acknowledged therefore does not affect the other readings.
    ///   - logger: logs connects and disconnects.
    package init(configuration: AMQPConfiguration, maxHeldBytes: Int = 32 << 20, logger: Logger) {
        let thread = ConnectionThread(name: "amqp-read")
        inbox = Inbox(thread: thread, closesAt: .over)
        keeper = ConnectionKeeper(
            thread: thread, configuration: configuration, status: status,
            role: QueueReaderRole(inbox: inbox, maxHeldBytes: maxHeldBytes, closeTimeout: configuration.closeTimeout),
            logger: logger)
    }

    /// Runs until graceful shutdown, which stops all readings and waits at most `closeTimeout` for their release,
    /// or until the task is cancelled, which ends all readings. Reconnects indefinitely. Must be called only once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// Starts reading a queue and returns when the broker has started the consumer. Takes two round trips, or four if a
    /// channel must be opened.
    ///
    /// - Parameters:
    ///   - prefetch: the maximum number of unacknowledged deliveries; at least 1.
    ///   - timeout: the maximum wait for a connection and for the start of the consumer.
    /// - Throws: `.refused` if the queue does not exist (with reply code 404) or read permission is denied;
    ///   `.timedOut`, `.closed`, `.cancelled`.
    package func read(_ queue: String, prefetch: UInt16, timeout: Duration) async throws(AMQPError) -> AMQPReading {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let mailbox = ReadingMailbox(id: id, queue: queue, prefetch: max(1, prefetch))
        guard inbox.put(.begin(mailbox)) else { throw AMQPError(.closed, "the reader has been shut down") }
        // From here on, releasing `reading` also ends its consumer at the broker.
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
