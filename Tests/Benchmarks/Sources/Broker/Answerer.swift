package import AMQPClient
internal import Logging
internal import ServiceMessages

/// The bare program at the other end of a queue: publishes one message for each that comes, and acknowledges what came
/// when that is confirmed, in the order that a service keeps.
package struct Answerer: Sendable {
    private let consumer: AMQPConsumer
    private let publisher: AMQPPublisher
    private let answer: @Sendable (AMQPDelivery) -> AMQPMessage

    private static let connectLimit: Duration = .seconds(10)
    private static let heldBytes = 16 << 20

    /// Answers what comes to `queue` with what `answer` makes of it. Nothing is connected before ``run(whenReady:)``.
    ///
    /// - Parameter prefetch: messages held at once.
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
    /// - Parameter whenReady: called once, when both connections stand.
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
    /// Makes answers to requests: as many bytes each, to where the request wants them.
    package static func reply(bytes: Int) -> @Sendable (AMQPDelivery) -> AMQPMessage {
        reply([UInt8](repeating: UInt8(ascii: "a"), count: bytes))
    }

    /// Makes answers to requests: the same each, to where the request wants it.
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

    /// Passes messages on to `exchange`, as they are.
    package static func forward(to exchange: String) -> @Sendable (AMQPDelivery) -> AMQPMessage {
        { delivery in
            AMQPMessage(
                exchange: exchange, routingKey: delivery.routingKey, properties: delivery.properties,
                body: delivery.body)
        }
    }
}
