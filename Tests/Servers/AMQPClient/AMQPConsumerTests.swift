import AMQPClient
import ServiceLifecycle
import Synchronization
import Testing

extension BrokerTests {
    @Suite(.timeLimit(.minutes(2))) struct ConsumerTests {
        private func consumer(
            _ queue: String, prefetch: UInt16 = 100, maxHeldBytes: Int = 32 << 20, heartbeat: Duration = .seconds(10)
        ) throws -> AMQPConsumer {
            var configuration = try TestBroker.configuration()
            configuration.heartbeat = heartbeat
            return AMQPConsumer(
                configuration: configuration, topology: AMQPTopology(queues: [AMQPQueue(name: queue)]),
                consumptions: [AMQPConsumption(queue: queue, prefetch: prefetch)], maxHeldBytes: maxHeldBytes,
                logger: TestBroker.logger)
        }

        private func publisher() throws -> AMQPPublisher {
            AMQPPublisher(configuration: try TestBroker.configuration(), logger: TestBroker.logger)
        }

        private func publish(_ publisher: AMQPPublisher, _ queue: String, _ ids: Range<Int>, bytes: Int = 5)
            async throws
        {
            let body = [UInt8](repeating: 1, count: bytes)
            for result in await publisher.publish(ids.map { .to(queue, id: $0, body: body) }) {
                try result.get()
            }
        }

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

        /// What the readers of a stream have to say: where to begin.
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

        @Test func stoppedConsumerReturnsWhatItDidNotTakeAndKeepsWhatItAcknowledged() async throws {
            try await TestBroker.withQueue("stop") { queue, session in
                let (consumer, publisher) = (try consumer(queue, prefetch: 10), try publisher())
                try await withRunning([publisher]) {
                    try await publish(publisher, queue, 0..<100)
                    async let running: Void = consumer.run()
                    var held: [AMQPDelivery] = []
                    for await batch in consumer.batches {
                        held += batch
                        consumer.stop()
                    }
                    // The sequence has ended; acknowledgements still go out.
                    consumer.acknowledge(held)
                    try await running
                    let status = try await session.status(ofQueue: queue)
                    #expect(status?.messageCount == 100 - held.count)
                    let next = try #require(try await session.get(queue))
                    #expect(next.properties.messageID == String(held.count))
                    #expect(!next.isRedelivered)
                }
            }
        }

        @Test func renewedConsumerMakesRoomForTheNextInLine() async throws {
            let arguments: AMQPTable = ["x-queue-type": "quorum", "x-single-active-consumer": true]
            try await TestBroker.withQueue("renew", arguments: arguments) { queue, _ in
                func consumer() throws -> AMQPConsumer {
                    AMQPConsumer(
                        configuration: try TestBroker.configuration(),
                        consumptions: [AMQPConsumption(queue: queue, prefetch: 10)], logger: TestBroker.logger)
                }
                let (first, second, publisher) = (try consumer(), try consumer(), try publisher())
                try await withRunning([publisher, first]) {
                    try await first.waitUntilConnected(timeout: .seconds(30))
                    try await withRunning([second]) {
                        try await second.waitUntilConnected(timeout: .seconds(30))
                        // The first takes what it is given and steps back, until the second has something.
                        let isOver = Mutex(false)
                        async let stepping: Void = {
                            for await batch in first.batches {
                                first.acknowledge(batch)
                                first.renew(queue: queue)
                            }
                        }()
                        async let publishing: Void = {
                            var number = 0
                            while !isOver.withLock({ $0 }) {
                                try await publish(publisher, queue, number..<number + 1)
                                number += 1
                            }
                        }()
                        for await batch in second.batches {
                            second.acknowledge(batch)
                            break
                        }
                        isOver.withLock { $0 = true }
                        try await publishing
                        first.stop()
                        await stepping
                    }
                }
            }
        }

        @Test func finishEndsWithDeliveriesStillHeld() async throws {
            try await TestBroker.withQueue("finish") { queue, session in
                let (consumer, publisher) = (try consumer(queue, prefetch: 10), try publisher())
                try await withRunning([publisher]) {
                    try await publish(publisher, queue, 0..<10)
                    async let running: Void = consumer.run()
                    var held: [AMQPDelivery] = []
                    for await batch in consumer.batches {
                        held += batch
                        if held.count == 10 { consumer.stop() }
                    }
                    consumer.acknowledge([held[3]])
                    consumer.finish()
                    try await running
                    let status = try await session.status(ofQueue: queue)
                    #expect(status?.messageCount == 9)
                }
            }
        }

        @Test func gracefulShutdownEndsTheSequence() async throws {
            try await TestBroker.withQueue("graceful") { queue, _ in
                let consumer = try consumer(queue)
                let group = ServiceGroup(services: [consumer], logger: TestBroker.logger)
                async let running: Void = group.run()
                try await consumer.waitUntilConnected(timeout: .seconds(30))
                await group.triggerGracefulShutdown()
                for await _ in consumer.batches {}
                try await running
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
                            // Four heartbeats in which nothing is read: the time an unanswered call takes.
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

        @Test func idleConnectionIsKeptAlive() async throws {
            try await TestBroker.withQueue("idle") { queue, _ in
                let (consumer, publisher) = (try consumer(queue, heartbeat: .seconds(1)), try publisher())
                let silence = AMQPRPCClient(configuration: try TestBroker.configuration(), logger: TestBroker.logger)
                try await withRunning([publisher, consumer, silence]) {
                    try await consumer.waitUntilConnected(timeout: .seconds(30))
                    // Four heartbeats without a message on the consumer's connection.
                    try await TestBroker.withQueue("silent") { silent, _ in
                        await #expect(throws: AMQPError(.timedOut, "")) {
                            try await silence.call(.to(silent), timeout: .seconds(4))
                        }
                    }
                    try await publish(publisher, queue, 0..<1)
                    var iterator = consumer.batches.makeAsyncIterator()
                    let batch = try #require(await iterator.next())
                    #expect(batch.map(\.generation) == [1])
                }
            }
        }

        @Test func deletedQueueIsDeclaredAndConsumedAgain() async throws {
            try await TestBroker.withQueue("deleted") { queue, session in
                let (consumer, publisher) = (try consumer(queue), try publisher())
                try await withRunning([publisher, consumer]) {
                    try await consumer.waitUntilConnected(timeout: .seconds(30))
                    try await session.deleteQueue(queue)
                    while try await session.status(ofQueue: queue)?.consumerCount != 1 {}
                    try await publish(publisher, queue, 0..<1)
                    var iterator = consumer.batches.makeAsyncIterator()
                    let batch = try #require(await iterator.next())
                    #expect(batch.map(\.generation) == [2])
                    consumer.acknowledge(batch)
                }
            }
        }

        @Test(.enabled(if: TestBroker.servers != nil))
        func consumerSurvivesARestartOfTheBroker() async throws {
            try await TestBroker.withQueue("restart") { queue, session in
                let (consumer, publisher) = (try consumer(queue, prefetch: 10), try publisher())
                try await withRunning([publisher]) {
                    try await publish(publisher, queue, 0..<100)
                    async let running: Void = consumer.run()
                    var missing = Set((0..<200).map(String.init))
                    var old: [AMQPDelivery] = []
                    var generations: Set<UInt64> = []
                    for await batch in consumer.batches {
                        missing.subtract(batch.compactMap(\.properties.messageID))
                        generations.formUnion(batch.map(\.generation))
                        if old.isEmpty {
                            old = batch
                            try await TestBroker.servers("restart")
                            try await publish(publisher, queue, 100..<200)
                            // Means nothing on the new connection, and must not harm it.
                            consumer.acknowledge(old)
                        } else {
                            consumer.acknowledge(batch)
                        }
                        if missing.isEmpty { consumer.stop() }
                    }
                    try await running
                    #expect(generations.count == 2)
                }
                let status = try await session.status(ofQueue: queue)
                #expect(status?.messageCount == 0)
            }
        }
    }
}
