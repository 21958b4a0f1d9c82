import AMQPClient

/// A suite that creates consumers and a publisher of messages for them.
protocol ConsumerSuite {}

extension ConsumerSuite {
    func consumer(
        _ queue: String, prefetch: UInt16 = 100, maxHeldBytes: Int = 32 << 20, heartbeat: Duration = .seconds(10)
    ) throws -> AMQPConsumer {
        var configuration = try TestBroker.configuration()
        configuration.heartbeat = heartbeat
        return AMQPConsumer(
            configuration: configuration, topology: AMQPTopology(queues: [AMQPQueue(name: queue)]),
            consumptions: [AMQPConsumption(queue: queue, prefetch: prefetch)], maxHeldBytes: maxHeldBytes,
            logger: TestBroker.logger)
    }

    func publisher() throws -> AMQPPublisher {
        AMQPPublisher(configuration: try TestBroker.configuration(), logger: TestBroker.logger)
    }

    func publish(_ publisher: AMQPPublisher, _ queue: String, _ ids: Range<Int>, bytes: Int = 5)
        async throws
    {
        let body = [UInt8](repeating: 1, count: bytes)
        for result in await publisher.publish(ids.map { .to(queue, id: $0, body: body) }) {
            try result.get()
        }
    }
}
