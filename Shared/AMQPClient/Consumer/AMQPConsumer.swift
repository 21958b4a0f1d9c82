package import Logging
import ServiceLifecycle

/// Consumes queues over a connection of its own, which it maintains: topology, channels and consumers are set up again
/// on every new connection.
///
/// Iterate `batches`, process the deliveries, then `acknowledge` them. When the connection is lost, the broker
/// redelivers unacknowledged messages, marked `isRedelivered`; acknowledging the earlier delivery then has no effect.
package final class AMQPConsumer: AMQPConnectionClient {
    /// The deliveries that have arrived. Must be iterated only once, by one task.
    package let batches = AMQPDeliveryBatches()
    /// The consumed queues.
    package let queues: [String]

    private let inbox: Inbox<ConsumerCommand>
    package let status = ConnectionStatus()
    private let keeper: ConnectionKeeper

    /// Creates a consumer. It does not connect before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: the broker's address, credentials and limits.
    ///   - topology: declared on every new connection.
    ///   - consumptions: the queues, each on a channel of its own.
    ///   - maxHeldBytes: the maximum bytes of bodies delivered and not acknowledged. Above it, reading stops until
    ///     acknowledgements bring the total below it. The last message read may exceed it.
    ///   - logger: logs connects and disconnects.
    package init(
        configuration: AMQPConfiguration, topology: AMQPTopology = .empty, consumptions: [AMQPConsumption],
        maxHeldBytes: Int = 32 << 20, logger: Logger
    ) {
        queues = consumptions.map(\.queue)
        let thread = ConnectionThread(name: "amqp-consume")
        inbox = Inbox(thread: thread, closesAt: .over)
        keeper = ConnectionKeeper(
            thread: thread, configuration: configuration, status: status,
            role: ConsumerRole(
                inbox: inbox, topology: topology, consumptions: consumptions, maxHeldBytes: maxHeldBytes,
                closeTimeout: configuration.closeTimeout, buffer: batches.buffer),
            logger: logger)
    }

    /// Runs until graceful shutdown, which acts as `stop()`, or until the task is cancelled, which sends the
    /// acknowledgements given so far and ends immediately. Reconnects indefinitely. Must be called only once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// Waits for a connection, with its consumers, that was made after the given generation. Use it to catch up on
    /// events missed while disconnected.
    ///
    /// - Returns: the ``AMQPDelivery/generation`` of its deliveries.
    /// - Throws: `.closed` or `.cancelled`.
    package func connection(after generation: UInt64) async throws(AMQPError) -> UInt64 {
        try await status.connection(after: generation)
    }

    /// Acknowledges deliveries, in any order, soon after the call. Deliveries of an earlier connection, and those
    /// acknowledged or rejected before, are ignored. Thread-safe; never blocks.
    package func acknowledge(_ deliveries: [AMQPDelivery]) {
        if !deliveries.isEmpty {
            _ = inbox.put(.acknowledge(deliveries))
        }
    }

    /// Acknowledges a delivery and returns when the acknowledgement has been sent.
    ///
    /// - Returns: whether it was sent. If not, the connection that delivered the message is gone, and the broker
    ///   redelivers it.
    package func acknowledgeNow(_ delivery: AMQPDelivery) async -> Bool {
        let isSent = Completion<Bool>()
        guard inbox.put(.acknowledgeNow(delivery, isSent)) else {
            return false
        }
        return await isSent.value()
    }

    /// Whether the connection that made the delivery is gone and a later one is established: the broker has redelivered
    /// the message, or will do so soon, to this consumer or another.
    package func isStale(_ delivery: AMQPDelivery) -> Bool {
        delivery.generation < status.generation
    }

    /// Rejects one delivery: the broker returns it to its queue, or sends it to the queue's dead-letter exchange.
    /// Thread-safe; never blocks.
    package func reject(_ delivery: AMQPDelivery, requeue: Bool) {
        _ = inbox.put(.reject(delivery, requeue: requeue))
    }

    /// Stops consuming until `resume()`. Deliveries that have arrived are kept and can be acknowledged. Thread-safe;
    /// never blocks.
    package func pause() {
        _ = inbox.put(.pause)
    }

    /// Consumes again after `pause()`.
    package func resume() {
        _ = inbox.put(.resume)
    }

    /// Ends the consumer of `queue` and starts it again behind all others. If the queue has a single active consumer,
    /// the next in line becomes the active one. Deliveries that have arrived are kept and can be acknowledged.
    /// Thread-safe; never blocks.
    package func renew(queue: String) {
        _ = inbox.put(.renew(queue: queue))
    }

    /// Starts the graceful shutdown: consuming stops, and `batches` ends after the deliveries that have arrived.
    /// `run()` returns when all deliveries are acknowledged or rejected, when `finish()` is called, or after the
    /// configuration's `closeTimeout`.
    package func stop() {
        _ = inbox.put(.stop)
    }

    /// Ends `run()` after the acknowledgements given so far. The broker redelivers the remaining held deliveries.
    package func finish() {
        _ = inbox.put(.finish)
    }
}
