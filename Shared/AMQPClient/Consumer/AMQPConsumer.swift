package import Logging
import ServiceLifecycle

/// Consumes queues over a connection of its own that it keeps up: topology, channels and consumers are set up again on
/// every new connection.
///
/// Take `batches`, do the work, then `acknowledge`. What was not acknowledged when the connection is lost is delivered
/// again, marked `isRedelivered`; acknowledging the earlier delivery then does nothing.
package final class AMQPConsumer: Service, Sendable {
    /// What arrives. To be iterated once, by one task.
    package let batches = AMQPDeliveryBatches()
    /// The queues that are consumed.
    package let queues: [String]

    private let inbox: Inbox<ConsumerCommand>
    private let status = ConnectionStatus()
    private let keeper: ConnectionKeeper

    /// Prepares a consumer; nothing is connected before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: how to reach the broker.
    ///   - topology: declared on every new connection.
    ///   - consumptions: the queues, each on a channel of its own.
    ///   - maxHeldBytes: the bodies, delivered and not acknowledged, past which nothing more is read until
    ///     acknowledgements bring them below. The last message read may exceed it.
    ///   - logger: for connecting and disconnecting.
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

    /// Runs until graceful shutdown, which is a `stop()`, or until the task is cancelled, which sends the
    /// acknowledgements given so far and ends at once. Reconnects for ever. To be called once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// Whether there is a connection now.
    package var isConnected: Bool {
        status.isConnected
    }

    /// Why there is no connection now, as far as it is known.
    package var failure: AMQPError? {
        status.failure
    }

    /// Waits for a connection with its consumers.
    ///
    /// - Returns: the ``AMQPDelivery/generation`` of its deliveries.
    /// - Throws: `.timedOut` with the last attempt's error, `.notRunning`, `.closed` or `.cancelled`.
    @discardableResult
    package func waitUntilConnected(timeout: Duration) async throws(AMQPError) -> UInt64 {
        try await status.waitUntilConnected(timeout: timeout)
    }

    /// Waits for a connection, with its consumers, that was made after the one of this generation. For those who miss
    /// something while there is none.
    ///
    /// - Returns: the ``AMQPDelivery/generation`` of its deliveries.
    /// - Throws: `.closed` or `.cancelled`.
    package func connection(after generation: UInt64) async throws(AMQPError) -> UInt64 {
        try await status.connection(after: generation)
    }

    /// Tells the broker, soon, that these deliveries are done, in any order. Any thread; never blocks. Deliveries of an
    /// earlier connection, and those acknowledged or rejected before, are ignored.
    package func acknowledge(_ deliveries: [AMQPDelivery]) {
        if !deliveries.isEmpty {
            _ = inbox.put(.acknowledge(deliveries))
        }
    }

    /// Tells the broker that a delivery is done, and returns when that was sent.
    ///
    /// - Returns: whether it was; otherwise the connection that delivered it is gone, and the broker delivers it again.
    package func acknowledgeNow(_ delivery: AMQPDelivery) async -> Bool {
        let isSent = Completion<Bool>()
        guard inbox.put(.acknowledgeNow(delivery, isSent)) else {
            return false
        }
        return await isSent.value()
    }

    /// Whether the connection that delivered it is gone and a later one stands: the broker has delivered it again, or
    /// does soon, to this consumer or another.
    package func isStale(_ delivery: AMQPDelivery) -> Bool {
        delivery.generation < status.generation
    }

    /// Gives one delivery back: to its queue, or to the queue's dead-letter exchange. Any thread; never blocks.
    package func reject(_ delivery: AMQPDelivery, requeue: Bool) {
        _ = inbox.put(.reject(delivery, requeue: requeue))
    }

    /// Stops taking, until `resume()`. What has arrived is kept, and can be acknowledged. Any thread; never blocks.
    package func pause() {
        _ = inbox.put(.pause)
    }

    /// Takes again after `pause()`.
    package func resume() {
        _ = inbox.put(.resume)
    }

    /// Ends the consumer of `queue` and begins it again, behind all others: of a queue with a single active consumer,
    /// the next in line becomes the active one. What has arrived is kept, and can be acknowledged. Any thread; never
    /// blocks.
    package func renew(queue: String) {
        _ = inbox.put(.renew(queue: queue))
    }

    /// Begins the graceful end: nothing more is taken, `batches` ends after what has arrived, and `run()` returns when
    /// everything delivered is acknowledged or rejected, at `finish()`, or after the configuration's `closeTimeout`.
    package func stop() {
        _ = inbox.put(.stop)
    }

    /// Ends `run()` after the acknowledgements given so far. What is still held is delivered again to others.
    package func finish() {
        _ = inbox.put(.finish)
    }
}
