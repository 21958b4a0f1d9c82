import AMQPClient
import Testing

extension BrokerTests {
    /// The messages that a consumer receives, holds and acknowledges.
    @Suite(.timeLimit(.minutes(2))) struct ConsumerTests: ConsumerSuite {
        @Test func acknowledgedDeliveriesAreGoneWhateverTheirOrder() async throws {
            try await TestBroker.withQueue("consume") { queue, session in
                let (consumer, publisher) = (try consumer(queue, prefetch: 20), try publisher())
                try await withRunning([publisher]) {
                    try await publish(publisher, queue, 0..<1000)
                    async let running: Void = consumer.run()
                    var seen: [String] = []
                    for await batch in consumer.batches {
                        seen += batch.compactMap(\.properties.messageID)
                        for delivery in batch.shuffled() {
                            consumer.acknowledge([delivery])
                        }
                        if seen.count == 1000 { consumer.stop() }
                    }
                    try await running
                    #expect(seen == (0..<1000).map(String.init))
                }
                let status = try await session.status(ofQueue: queue)
                #expect(status?.messageCount == 0)
            }
        }

        /// The readers of a stream must specify where to begin.
        @Test(arguments: [("first", 0), ("offset", 40), ("timestamp", 0), ("interval", 0)])
        func aStreamIsReadFromThePlaceThatTheConsumersArgumentsName(start: String, from: Int) async throws {
            let queue = TestBroker.name("stream")
            let offsets: [String: AMQPValue] = [
                "first": "first", "offset": 40, "timestamp": .timestamp(1_600_000_000), "interval": "1h",
            ]
            try await AMQPChannelSession.with(try TestBroker.configuration()) { session in
                _ = try await session.declare(AMQPQueue(name: queue, arguments: ["x-queue-type": "stream"]))
                let publisher = try publisher()
                let consumer = AMQPConsumer(
                    configuration: try TestBroker.configuration(),
                    consumptions: [
                        AMQPConsumption(
                            queue: queue, prefetch: 7, arguments: ["x-stream-offset": offsets[start] ?? .void])
                    ], logger: TestBroker.logger)
                try await withRunning([publisher]) {
                    try await publish(publisher, queue, 0..<100)
                    async let running: Void = consumer.run()
                    var seen: [(Int64?, String?)] = []
                    for await batch in consumer.batches {
                        seen += batch.map {
                            ($0.properties.headers.int64("x-stream-offset"), $0.properties.messageID)
                        }
                        consumer.acknowledge(batch)
                        if seen.count == 100 - from { consumer.stop() }
                    }
                    try await running
                    #expect(seen.map(\.0) == (from..<100).map { Int64($0) })
                    #expect(seen.map(\.1) == (from..<100).map { String($0) })
                }
                _ = try await session.deleteQueue(queue)
            }
        }

        @Test func oneSlowDeliveryDoesNotStopTheQueue() async throws {
            try await TestBroker.withQueue("slow") { queue, _ in
                let (consumer, publisher) = (try consumer(queue, prefetch: 4), try publisher())
                try await withRunning([publisher, consumer]) {
                    try await publish(publisher, queue, 0..<100)
                    var seen = 0
                    for await batch in consumer.batches {
                        consumer.acknowledge(batch.filter { $0.properties.messageID != "0" })
                        seen += batch.count
                        if seen == 100 { break }
                    }
                    #expect(seen == 100)
                }
            }
        }

        @Test func rejectedDeliveryIsDeadLetteredOrDeliveredAgain() async throws {
            let dead = TestBroker.name("dead")
            let arguments: AMQPTable = ["x-dead-letter-exchange": "", "x-dead-letter-routing-key": .string(dead)]
            try await TestBroker.withQueue("reject", arguments: arguments) { queue, session in
                _ = try await session.declare(AMQPQueue(name: dead))
                let publisher = try publisher()
                let consumer = AMQPConsumer(
                    configuration: try TestBroker.configuration(),
                    consumptions: [
                        AMQPConsumption(queue: queue, prefetch: 1), AMQPConsumption(queue: dead, prefetch: 1),
                    ], logger: TestBroker.logger)
                try await withRunning([publisher, consumer]) {
                    try await publish(publisher, queue, 0..<1)
                    var steps: [String] = []
                    for await batch in consumer.batches {
                        for delivery in batch {
                            steps.append("\(delivery.queue == dead ? "dead" : "live") \(delivery.isRedelivered)")
                            consumer.reject(delivery, requeue: !delivery.isRedelivered)
                        }
                        if batch.contains(where: { $0.queue == dead }) { break }
                    }
                    #expect(steps == ["live false", "live true", "dead false"])
                }
                try await session.deleteQueue(dead)
            }
        }

        @Test func pausedConsumerTakesNothingUntilResumed() async throws {
            try await TestBroker.withQueue("pause") { queue, session in
                let (consumer, publisher) = (try consumer(queue), try publisher())
                try await withRunning([publisher, consumer]) {
                    try await consumer.waitUntilConnected(timeout: .seconds(30))
                    consumer.pause()
                    while try await session.status(ofQueue: queue)?.consumerCount != 0 {}
                    try await publish(publisher, queue, 0..<10)
                    let status = try await session.status(ofQueue: queue)
                    #expect(status?.messageCount == 10)
                    consumer.resume()
                    var seen = 0
                    for await batch in consumer.batches {
                        consumer.acknowledge(batch)
                        seen += batch.count
                        if seen == 10 { break }
                    }
                    #expect(seen == 10)
                }
            }
        }

        @Test func heldBytesAreBoundedAndTheConnectionLivesMeanwhile() async throws {
            try await TestBroker.withQueue("bytes") { queue, _ in
                let (bytes, count, bound) = (100_000, 100, 1_000_000)
                let consumer = try consumer(queue, prefetch: 0, maxHeldBytes: bound, heartbeat: .seconds(1))
                let publisher = try publisher()
                let silence = AMQPRPCClient(configuration: try TestBroker.configuration(), logger: TestBroker.logger)
                try await withRunning([publisher, consumer, silence]) {
                    try await publish(publisher, queue, 0..<count, bytes: bytes)
                    var held: [AMQPDelivery] = []
                    var seen: [String] = []
                    var hasRested = false
                    for await batch in consumer.batches {
                        held += batch
                        seen += batch.compactMap(\.properties.messageID)
                        #expect(held.count * bytes <= bound + bytes)
                        if held.count * bytes > bound, !hasRested {
                            // Nothing is read for four heartbeats, which is the time limit of an unanswered call.
                            hasRested = true
                            try await TestBroker.withQueue("silent") { silent, _ in
                                await #expect(throws: AMQPError(.timedOut, "")) {
                                    try await silence.call(.to(silent), timeout: .seconds(4))
                                }
                            }
                        }
                        if held.count * bytes > bound || seen.count == count {
                            consumer.acknowledge(held)
                            held = []
                        }
                        if seen.count == count { break }
                    }
                    #expect(hasRested)
                    #expect(seen == (0..<count).map(String.init))
                }
            }
        }
    }
}
