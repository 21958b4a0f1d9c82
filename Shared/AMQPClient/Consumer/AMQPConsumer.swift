package import Logging
import ServiceLifecycle

/// Consumes queues over its own connection, and reconnects when the connection is lost. The topology, channels and
/// consumers are set up again on every new connection.
///
/// Iterate `batches`, process the deliveries, then `acknowledge` them. When the connection is lost, the broker
/// redelivers unacknowledged messages with `isRedelivered` set. Acknowledging the earlier delivery then has no effect.
package final class AMQPConsumer: AMQPConnectionClient {
    /// The deliveries that have arrived. Must be iterated only once, by one task.
    package let batches = AMQPDeliveryBatches()
    /// The consumed queues.
    package let queues: [String]

    private let inbox: Inbox<ConsumerCommand>
    package let status = ConnectionStatus()
    private let keeper: ConnectionKeeper

    /// Creates a consumer, which connects when `run()` is called.
    ///
    /// - Parameters:
    ///   - configuration: the broker's address, credentials and limits.
    ///   - topology: the exchanges, queues and bindings to declare on every new connection.
    ///   - consumptions: the queues to consume, each on its own channel.
    ///   - maxHeldBytes: the maximum total size, in bytes, of bodies that are delivered but not acknowledged. Above
    ///     this size, reading stops until acknowledgements reduce the total. The last message read can raise the total
    ///     above the maximum.
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

    /// Runs until graceful shutdown, which has the same effect as `stop()`, or until the task is cancelled. On
    /// cancellation, the method sends the acknowledgements given so far and returns immediately. Reconnects
    /// indefinitely. Must be called only once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// Waits until a connection with a number above `generation` is established and its consumers have been started.
    /// Use this method to catch up on events missed while disconnected.
    ///
    /// - Returns: the ``AMQPDelivery/generation`` of the connection's deliveries.
    /// - Throws: `.closed` or `.cancelled`.
    package func connection(after generation: UInt64) async throws(AMQPError) -> UInt64 {
        try await status.connection(after: generation)
    }

    /// Acknowledges deliveries, in any order. The acknowledgements are sent shortly after the call. Deliveries from an
    /// earlier connection are ignored, as are deliveries that have already been acknowledged or rejected. Thread-safe;
    /// never blocks.
    package func acknowledge(_ deliveries: [AMQPDelivery]) {
        if !deliveries.isEmpty {
            _ = inbox.put(.acknowledge(deliveries))
        }
    }

    /// Acknowledges a delivery and returns when the acknowledgement has been sent.
    ///
    /// - Returns: whether the acknowledgement was sent. If not, the connection that delivered the message has been
    ///   lost, and the broker redelivers the message.
    package func acknowledgeNow(_ delivery: AMQPDelivery) async -> Bool {
        let isSent = Completion<Bool>()
        guard inbox.put(.acknowledgeNow(delivery, isSent)) else {
            return false
        }
        return await isSent.value()
    }

    /// Returns whether the connection that delivered the message was lost and a later connection has been established.
    /// If so, and if the message was not acknowledged, the broker has redelivered the message to this or another
    /// consumer, or will do so soon.
    package func isStale(_ delivery: AMQPDelivery) -> Bool {
        delivery.generation < status.generation
    }

    /// Rejects one delivery. If `requeue` is true, the broker returns the message to its queue; otherwise it sends the
    /// message to the queue's dead-letter exchange. Thread-safe; never blocks.
    package func reject(_ delivery: AMQPDelivery, requeue: Bool) {
        _ = inbox.put(.reject(delivery, requeue: requeue))
    }

    /// Stops consuming until `resume()`. Deliveries that have arrived are kept and can be acknowledged. Thread-safe;
    /// never blocks.
    package func pause() {
        _ = inbox.put(.pause)
    }

    /// Resumes consuming after `pause()`.
    package func resume() {
        _ = inbox.put(.resume)
    }

    /// Ends the consumer of `queue` and starts it again, behind the queue's other consumers. If the queue allows only a
    /// single active consumer, the next consumer in line becomes active. Deliveries that have arrived are kept and can
    /// be acknowledged. Thread-safe; never blocks.
    package func renew(queue: String) {
        _ = inbox.put(.renew(queue: queue))
    }

    /// Starts the graceful shutdown: consuming stops, and `batches` ends after the deliveries that have already
    /// arrived. `run()` returns when all deliveries have been acknowledged or rejected, when `finish()` is called, or
    /// after the configuration's `closeTimeout`.
    package func stop() {
        _ = inbox.put(.stop)
    }

    /// Ends `run()` after the acknowledgements given so far have been sent. The broker redelivers the deliveries that
    /// are still held.
    package func finish() {
        _ = inbox.put(.finish)
    }
}
