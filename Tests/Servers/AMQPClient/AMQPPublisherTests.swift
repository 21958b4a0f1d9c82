import AMQPClient
import ServiceLifecycle
import Synchronization
import Testing

extension BrokerTests {
    @Suite(.timeLimit(.minutes(2))) struct PublisherTests {
        private func publisher(_ topology: AMQPTopology = .empty) throws -> AMQPPublisher {
            AMQPPublisher(
                configuration: try TestBroker.configuration(), topology: topology, logger: TestBroker.logger)
        }

        @Test func confirmedMessageIsInTheQueueAsItWasSent() async throws {
            try await TestBroker.withQueue("publish") { queue, session in
                let publisher = try publisher()
                let properties = AMQPProperties(
                    messageID: "m", correlationID: "c", replyTo: "r", contentType: "text/plain", type: "t",
                    appID: "a", expiration: "60000", timestamp: 1_700_000_000, priority: 3,
                    headers: [
                        "i": 42, "s": "ü", "b": true, "d": 0.5, "n": .void, "x": .bytes([0, 1]),
                        "t": .table(["in": .array([1, "2"])]), "at": .timestamp(7),
                    ])
                let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
                try await withRunning([publisher]) {
                    try await publisher.publish(
                        AMQPMessage(exchange: "", routingKey: queue, properties: properties, body: body))
                }
                let delivery = try #require(try await session.get(queue))
                #expect(delivery.properties == properties)
                #expect(delivery.body == body)
                #expect(delivery.routingKey == queue)
                #expect(!delivery.isRedelivered)
                let next = try await session.get(queue)
                #expect(next == nil)
            }
        }

        @Test func unroutableMandatoryMessageIsReturned() async throws {
            try await TestBroker.withQueue("returned") { queue, _ in
                let publisher = try publisher()
                let missing = TestBroker.name("missing")
                let results = try await withRunning([publisher]) {
                    await publisher.publish([.to(queue, id: 1), .to(missing, id: 2), .to(queue, id: 3), .to(missing)])
                }
                #expect(results.map(\.errorCode) == [nil, .returned, nil, .returned])
                guard case .failure(let error) = results[1] else { return }
                #expect(error.replyCode == 312)
            }
        }

        @Test func fullQueueThatRejectsNacks() async throws {
            let arguments: AMQPTable = ["x-max-length": 1, "x-overflow": "reject-publish"]
            try await TestBroker.withQueue("nack", arguments: arguments) { queue, _ in
                let publisher = try publisher()
                try await withRunning([publisher]) {
                    try await publisher.publish(.to(queue, id: 1))
                    await #expect(throws: AMQPError(.nacked, "")) { try await publisher.publish(.to(queue, id: 2)) }
                }
            }
        }

        @Test func missingExchangeFailsItsMessagesAndNoOthers() async throws {
            try await TestBroker.withQueue("exchange") { queue, session in
                let publisher = try publisher()
                let bad = AMQPMessage(exchange: TestBroker.name("missing"), routingKey: "x", body: [])
                var messages = (0..<500).map { AMQPMessage.to(queue, id: $0) }
                messages[250] = bad
                let (results, after) = try await withRunning([publisher]) {
                    (await publisher.publish(messages), await publisher.publish([.to(queue)]))
                }
                #expect(results[250].errorCode == .channelClosed)
                #expect(results.filter { $0.errorCode != nil }.count == 1)
                #expect(after[0].errorCode == nil)
                let status = try await session.status(ofQueue: queue)
                #expect(status?.messageCount ?? 0 >= 500)
            }
        }

        @Test func anExchangeThatIsGoneIsDeclaredAgain() async throws {
            let exchange = TestBroker.name("exchange")
            let topology = AMQPTopology(exchanges: [AMQPExchange(name: exchange, kind: .topic, isDurable: false)])
            let publisher = try publisher(topology)
            let message = AMQPMessage(exchange: exchange, routingKey: "a", body: [1])
            try await withRunning([publisher]) {
                try await publisher.publish(message)
                try await AMQPChannelSession.with(try TestBroker.configuration()) { session in
                    try await session.deleteExchange(exchange)
                    await #expect(throws: AMQPError(.channelClosed, "")) { try await publisher.publish(message) }
                    try await publisher.publish(message)
                    try await session.deleteExchange(exchange)
                }
            }
        }

        @Test func topologyIsDeclaredOnConnecting() async throws {
            let (exchange, queue) = (TestBroker.name("exchange"), TestBroker.name("queue"))
            let topology = AMQPTopology(
                exchanges: [AMQPExchange(name: exchange, kind: .topic, isDurable: false)],
                queues: [AMQPQueue(name: queue, isDurable: false)],
                bindings: [AMQPBinding(queue: queue, exchange: exchange, routingKey: "a.*")])
            let publisher = try publisher(topology)
            try await withRunning([publisher]) {
                try await publisher.publish(
                    AMQPMessage(exchange: exchange, routingKey: "a.b", body: [1], isMandatory: true))
            }
            try await AMQPChannelSession.with(try TestBroker.configuration()) { session in
                let next = try await session.get(queue)
                #expect(next?.body == [1])
                try await session.deleteQueue(queue)
                try await session.deleteExchange(exchange)
            }
        }

        @Test func gracefulShutdownWaitsForConfirms() async throws {
            try await TestBroker.withQueue("graceful") { queue, session in
                let publisher = try publisher()
                let (answers, failures) = (Counter(), Counter())
                for start in stride(from: 0, to: 5000, by: 500) {
                    publisher.publish((start..<start + 500).map { .to(queue, id: $0) }) { results in
                        answers.add(results.count)
                        failures.add(results.filter { $0.errorCode != nil }.count)
                    }
                }
                let group = ServiceGroup(services: [publisher], logger: TestBroker.logger)
                async let running: Void = group.run()
                try await publisher.waitUntilConnected(timeout: .seconds(30))
                await group.triggerGracefulShutdown()
                try await running
                #expect(answers.add(0) == 5000)
                #expect(failures.add(0) == 0)
                let status = try await session.status(ofQueue: queue)
                #expect(status?.messageCount == 5000)
                await #expect(throws: AMQPError(.closed, "")) { try await publisher.publish(.to(queue)) }
            }
        }

        @Test(.enabled(if: TestBroker.servers != nil))
        func everyConfirmedMessageSurvivesARestartInTheMiddle() async throws {
            try await TestBroker.withQueue("restart") { queue, session in
                let publisher = try publisher()
                let (count, batch) = (20_000, 250)
                let confirmed = Counter()
                let (halfway, signal) = AsyncStream.makeStream(of: Void.self)
                try await withRunning([publisher]) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            for await _ in halfway {}
                            try await TestBroker.servers("restart")
                        }
                        for lane in 0..<4 {
                            group.addTask {
                                for start in stride(from: lane * batch, to: count, by: 4 * batch) {
                                    let results = await publisher.publish(
                                        (start..<start + batch).map { .to(queue, id: $0) })
                                    #expect(results.allSatisfy { $0.errorCode == nil })
                                    if confirmed.add(batch) == count / 4 { signal.finish() }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                var missing = Set((0..<count).map(String.init))
                let consumer = AMQPConsumer(
                    configuration: try TestBroker.configuration(),
                    consumptions: [AMQPConsumption(queue: queue, prefetch: 1000)], logger: TestBroker.logger)
                let left = try await session.status(ofQueue: queue)?.messageCount ?? 0
                try await withRunning([consumer]) {
                    var taken = 0
                    for await batch in consumer.batches {
                        missing.subtract(batch.compactMap(\.properties.messageID))
                        consumer.acknowledge(batch)
                        taken += batch.count
                        if taken >= left { break }
                    }
                }
                #expect(missing.isEmpty)
            }
        }
    }
}

/// A counter for use from any task.
private final class Counter: Sendable {
    private let count = Mutex(0)

    /// Adds to the count and returns the sum.
    @discardableResult
    func add(_ number: Int) -> Int {
        count.withLock { count in
            count += number
            return count
        }
    }
}

extension Result where Failure == AMQPError {
    /// The code of the error; nil if the publish did not fail.
    var errorCode: AMQPError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
