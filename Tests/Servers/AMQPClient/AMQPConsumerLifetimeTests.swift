import AMQPClient
import ServiceLifecycle
import Synchronization
import Testing

extension BrokerTests {
    /// The start and the end of a consumer, which survives the loss of its connection and its queue.
    @Suite(.timeLimit(.minutes(2))) struct ConsumerLifetimeTests: ConsumerSuite {
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
                    // The sequence has ended, but acknowledgements are still sent.
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
                        // The first consumer takes its messages and returns them, until the second one has received
                        // some.
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
                            // The acknowledgement has no meaning on the new connection, and must not affect it.
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
