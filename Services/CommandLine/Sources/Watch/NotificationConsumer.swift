import AMQPClient
import CommandLineSession
import Logging
import ServiceMessages

/// Consumes a notification queue for a watch. It uses its own connection, and reconnects if the connection is lost.
struct NotificationConsumer: Sendable {
    private static let prefetch: UInt16 = 200

    /// The inputs of the watch. Only one task may read them.
    let inputs: AsyncStream<Watch.Input>
    /// The first connection's ``AMQPDelivery/generation``.
    let generation: UInt64
    private let consumer: AMQPConsumer

    /// Connects, binds the queue, calls `body` with the consumer, and disconnects.
    ///
    /// - Throws: `.unanswered` if the broker is unreachable or the exchange does not exist; any error that `body`
    ///   throws.
    static func with<Result: Sendable>(
        _ queue: WatchQueue, _ configuration: AMQPConfiguration,
        _ body: (NotificationConsumer) async throws -> Result
    ) async throws -> Result {
        let consumer = AMQPConsumer(
            configuration: configuration, topology: WatchQueue.topology(of: [queue]),
            consumptions: [AMQPConsumption(queue: queue.queue.name, prefetch: prefetch)], logger: Logger.commandLine)
        return try await with(consumer, { $0 }, body)
    }

    /// Connects, calls `body` with a consumer of the notification log, and disconnects. The consumer reads the
    /// notifications that have one of `keys`, starting at `since`. New notifications follow the past ones.
    ///
    /// - Throws: `.unanswered` if the broker is unreachable, or if the log does not exist or the user has no permission
    ///   to read it; any error that `body` throws.
    static func with<Result: Sendable>(
        logSince since: WatchStart, keys: [String], _ configuration: AMQPConfiguration,
        _ body: (NotificationConsumer) async throws -> Result
    ) async throws -> Result {
        let consumer = AMQPConsumer(
            configuration: configuration,
            consumptions: [
                AMQPConsumption(
                    queue: Queue.notificationsLog, prefetch: prefetch, arguments: ["x-stream-offset": since.offset])
            ], logger: Logger.commandLine)
        let reader = LogReader(keys: Set(keys))
        return try await with(
            consumer,
            { deliveries in
                let wanted = deliveries.filter(reader.isWanted)
                let tags = Set(wanted.map(\.deliveryTag))
                consumer.acknowledge(deliveries.filter { !tags.contains($0.deliveryTag) })
                return wanted
            }, body)
    }

    private static func with<Result: Sendable>(
        _ consumer: AMQPConsumer, _ wanted: @escaping @Sendable ([AMQPDelivery]) -> [AMQPDelivery],
        _ body: (NotificationConsumer) async throws -> Result
    ) async throws -> Result {
        // The stream never contains more deliveries than the prefetch count.
        let (inputs, continuation) = AsyncStream.makeStream(of: Watch.Input.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await consumer.run() }
            defer { group.cancelAll() }
            let first = try await BrokerSession.connected { () async throws(AMQPError) in
                try await consumer.waitUntilConnected(timeout: BrokerSession.connectLimit)
            }
            group.addTask {
                for await deliveries in consumer.batches { continuation.yield(.delivered(wanted(deliveries))) }
                continuation.finish()
            }
            group.addTask {
                var generation = first
                while true {
                    generation = try await consumer.connection(after: generation)
                    continuation.yield(.reconnected(generation))
                }
            }
            return try await body(NotificationConsumer(inputs: inputs, generation: first, consumer: consumer))
        }
    }

    /// Acknowledges deliveries.
    func acknowledge(_ deliveries: [AMQPDelivery]) { consumer.acknowledge(deliveries) }
}
