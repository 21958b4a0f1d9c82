package import AMQPClient
internal import Logging
internal import ServiceMessages

/// The bare program at the other end of a queue: answers each request with the same bytes, and acknowledges it when the
/// answer is confirmed, in the order that a service keeps.
package struct Answerer: Sendable {
    private let consumer: AMQPConsumer
    private let publisher: AMQPPublisher
    private let reply: [UInt8]

    private static let connectLimit: Duration = .seconds(10)

    /// Answers what comes to `queue` with `replyBytes` bytes. Nothing is connected before ``run(whenReady:)``.
    ///
    /// - Parameters:
    ///   - prefetch: requests held at once.
    ///   - heldBytes: bytes of requests held at once.
    package init(
        configuration: AMQPConfiguration, queue: String, replyBytes: Int, prefetch: UInt16, heldBytes: Int
    ) {
        consumer = AMQPConsumer(
            configuration: configuration, consumptions: [AMQPConsumption(queue: queue, prefetch: prefetch)],
            maxHeldBytes: heldBytes, logger: .limits)
        publisher = AMQPPublisher(configuration: configuration, logger: .limits)
        reply = [UInt8](repeating: UInt8(ascii: "a"), count: replyBytes)
    }

    /// Runs until the task is cancelled.
    ///
    /// - Parameter whenReady: called once, when both connections stand.
    package func run(whenReady: @escaping @Sendable () -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            group.addTask { try await consumer.run() }
            group.addTask { await answer() }
            try await publisher.waitUntilConnected(timeout: Self.connectLimit)
            try await consumer.waitUntilConnected(timeout: Self.connectLimit)
            whenReady()
            try await group.waitForAll()
        }
    }

    private func answer() async {
        for await deliveries in consumer.batches {
            let answers = deliveries.map { delivery in
                AMQPMessage(
                    exchange: "", routingKey: delivery.properties.replyTo ?? "",
                    properties: AMQPProperties(
                        correlationID: delivery.properties.correlationID, contentType: "application/json",
                        isPersistent: false, headers: [Header.status: 200]),
                    body: reply)
            }
            publisher.publish(answers) { [consumer] _ in consumer.acknowledge(deliveries) }
        }
    }
}
