package import AMQPClient
internal import Logging
internal import ServiceMessages

/// The bare program that consumes a queue. It publishes one message for each message that arrives, and acknowledges the
/// latter when the former is confirmed, in the same order as a service.
package struct Answerer: Sendable {
    private let consumer: AMQPConsumer
    private let publisher: AMQPPublisher
    private let answer: @Sendable (AMQPDelivery) -> AMQPMessage

    private static let connectLimit: Duration = .seconds(10)
    private static let heldBytes = 16 << 20

    /// Creates a program that answers each message in `queue` with the result of `answer`. It does not connect before
    /// ``run(whenReady:)``.
    ///
    /// - Parameter prefetch: the maximum number of unacknowledged messages.
    package init(
        configuration: AMQPConfiguration, queue: String, prefetch: UInt16,
        answer: @escaping @Sendable (AMQPDelivery) -> AMQPMessage
    ) {
        consumer = AMQPConsumer(
            configuration: configuration, consumptions: [AMQPConsumption(queue: queue, prefetch: prefetch)],
            maxHeldBytes: Self.heldBytes, logger: .limits)
        publisher = AMQPPublisher(configuration: configuration, logger: .limits)
        self.answer = answer
    }

    /// Runs until the task is cancelled.
    ///
    /// - Parameter whenReady: called once, when both connections are established.
    package func run(whenReady: @escaping @Sendable () -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            group.addTask { try await consumer.run() }
            group.addTask {
                for await deliveries in consumer.batches {
                    publisher.publish(deliveries.map(answer)) { [consumer] _ in consumer.acknowledge(deliveries) }
                }
            }
            try await publisher.waitUntilConnected(timeout: Self.connectLimit)
            try await consumer.waitUntilConnected(timeout: Self.connectLimit)
            whenReady()
            try await group.waitForAll()
        }
    }
}

extension Answerer {
    /// Returns a closure that creates answers to requests. Each answer has `bytes` bytes and is sent to the request's
    /// reply-to.
    package static func reply(bytes: Int) -> @Sendable (AMQPDelivery) -> AMQPMessage {
        reply([UInt8](repeating: UInt8(ascii: "a"), count: bytes))
    }

    /// Returns a closure that creates answers to requests. Each answer has the same body and is sent to the request's
    /// reply-to.
    static func reply(_ body: [UInt8]) -> @Sendable (AMQPDelivery) -> AMQPMessage {
        { delivery in
            AMQPMessage(
                exchange: "", routingKey: delivery.properties.replyTo ?? "",
                properties: AMQPProperties(
                    correlationID: delivery.properties.correlationID, contentType: "application/json",
                    isPersistent: false, headers: [Header.status: 200]),
                body: body)
        }
    }

    /// Returns a closure that forwards messages to `exchange` unchanged.
    package static func forward(to exchange: String) -> @Sendable (AMQPDelivery) -> AMQPMessage {
        { delivery in
            AMQPMessage(
                exchange: exchange, routingKey: delivery.routingKey, properties: delivery.properties,
                body: delivery.body)
        }
    }
}
