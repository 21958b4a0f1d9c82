package import AMQPClient
import Logging

/// Listens to an existing queue, or to a temporary queue with a binding.
package enum TestQueue {
    /// Collects the messages that arrive in `queue` while `body` runs. They are consumed and acknowledged.
    ///
    /// - Parameters:
    ///   - queue: an existing queue, which is not deleted.
    /// - Throws: the errors of `body`; `AMQPError` if the broker cannot be reached.
    package static func withDeliveries<Result: Sendable>(
        of queue: String, _ configuration: AMQPConfiguration,
        _ body: (TestMailbox<AMQPDelivery>) async throws -> Result
    ) async throws -> Result {
        try await withConsumer(queue, .empty, configuration, body)
    }

    /// Collects the messages that `exchange` routes under the key pattern while `body` runs, in a queue that is deleted
    /// afterwards.
    ///
    /// - Throws: the errors of `body`; `AMQPError` if the broker cannot be reached.
    package static func withBinding<Result: Sendable>(
        to exchange: String, _ pattern: String, _ configuration: AMQPConfiguration,
        _ body: (TestMailbox<AMQPDelivery>) async throws -> Result
    ) async throws -> Result {
        let queue = TestEnvironment.uniqueName("queue")
        let topology = AMQPTopology(
            queues: [AMQPQueue(name: queue, isDurable: false, isAutoDelete: true)],
            bindings: [AMQPBinding(queue: queue, exchange: exchange, routingKey: pattern)])
        return try await withConsumer(queue, topology, configuration, body)
    }

    private static func withConsumer<Result: Sendable>(
        _ queue: String, _ topology: AMQPTopology, _ configuration: AMQPConfiguration,
        _ body: (TestMailbox<AMQPDelivery>) async throws -> Result
    ) async throws -> Result {
        let consumer = AMQPConsumer(
            configuration: configuration, topology: topology,
            consumptions: [AMQPConsumption(queue: queue, prefetch: 100)],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let mailbox = TestMailbox<AMQPDelivery>()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await consumer.run() }
            group.addTask {
                for await deliveries in consumer.batches {
                    for delivery in deliveries { mailbox.add(delivery) }
                    consumer.acknowledge(deliveries)
                }
            }
            defer { group.cancelAll() }
            try await consumer.waitUntilConnected(timeout: .seconds(20))
            return try await body(mailbox)
        }
    }
}
