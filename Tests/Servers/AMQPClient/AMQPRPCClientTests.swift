import AMQPClient
import ServiceLifecycle
import Synchronization
import Testing

extension BrokerTests {
    @Suite(.timeLimit(.minutes(2))) struct RPCClientTests {
        /// Answers each request with its own body.
        private struct Echo: Service {
            let consumer: AMQPConsumer
            let publisher: AMQPPublisher

            init(_ queue: String) throws {
                let configuration = try TestBroker.configuration()
                consumer = AMQPConsumer(
                    configuration: configuration, consumptions: [AMQPConsumption(queue: queue, prefetch: 500)],
                    logger: TestBroker.logger)
                publisher = AMQPPublisher(configuration: configuration, logger: TestBroker.logger)
            }

            func run() async throws {
                try await withRunning([consumer, publisher]) {
                    for await batch in consumer.batches {
                        let replies = batch.map { request in
                            AMQPMessage(
                                exchange: "", routingKey: request.properties.replyTo ?? "",
                                properties: AMQPProperties(
                                    messageID: request.properties.messageID,
                                    correlationID: request.properties.correlationID),
                                body: request.body)
                        }
                        publisher.publish(replies) { _ in consumer.acknowledge(batch) }
                    }
                }
            }
        }

        private func client() throws -> AMQPRPCClient {
            AMQPRPCClient(configuration: try TestBroker.configuration(), logger: TestBroker.logger)
        }

        @Test func eachCallGetsItsOwnReply() async throws {
            try await TestBroker.withQueue("rpc") { queue, _ in
                let client = try client()
                try await withRunning([client, try Echo(queue)]) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for id in 0..<2000 {
                            group.addTask {
                                let body = Array("body \(id)".utf8)
                                let reply = try await client.call(
                                    .to(queue, id: id, body: body), timeout: .seconds(30))
                                #expect(reply.body == body)
                                #expect(reply.properties.messageID == String(id))
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        }

        @Test func requestThatNoQueueTakesIsReturned() async throws {
            let client = try client()
            try await withRunning([client]) {
                await #expect(throws: AMQPError(.returned, "")) {
                    try await client.call(.to(TestBroker.name("missing")), timeout: .seconds(30))
                }
            }
        }

        @Test func requestToAMissingExchangeFailsAloneAndLaterOnesWork() async throws {
            try await TestBroker.withQueue("rpc-exchange") { queue, _ in
                let client = try client()
                try await withRunning([client, try Echo(queue)]) {
                    async let good = client.call(.to(queue, id: 1), timeout: .seconds(30))
                    await #expect(throws: AMQPError(.channelClosed, "")) {
                        let bad = AMQPMessage(exchange: TestBroker.name("missing"), routingKey: "x", body: [])
                        _ = try await client.call(bad, timeout: .seconds(30))
                    }
                    let replies = [try await good, try await client.call(.to(queue, id: 2), timeout: .seconds(30))]
                    #expect(replies.map(\.properties.messageID) == ["1", "2"])
                }
            }
        }

        @Test func callWithoutAReplyTimesOut() async throws {
            try await TestBroker.withQueue("rpc-silent") { queue, _ in
                let client = try client()
                try await withRunning([client]) {
                    await #expect(throws: AMQPError(.timedOut, "")) {
                        try await client.call(.to(queue), timeout: .milliseconds(200))
                    }
                }
            }
        }

        @Test func cancelledCallEnds() async throws {
            try await TestBroker.withQueue("rpc-cancel") { queue, session in
                let client = try client()
                try await withRunning([client]) {
                    let call = Task { try await client.call(.to(queue), timeout: .seconds(60)) }
                    while try await session.status(ofQueue: queue)?.messageCount != 1 {}
                    call.cancel()
                    await #expect(throws: AMQPError(.cancelled, "")) { try await call.value }
                }
            }
        }

        @Test(.enabled(if: TestBroker.servers != nil))
        func outstandingCallsAreRepeatedAfterARestart() async throws {
            try await TestBroker.withQueue("rpc-restart") { queue, session in
                let client = try client()
                try await withRunning([client]) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for id in 0..<100 {
                            group.addTask {
                                let reply = try await client.call(.to(queue, id: id), timeout: .seconds(90))
                                #expect(reply.properties.messageID == String(id))
                            }
                        }
                        while try await session.status(ofQueue: queue)?.messageCount != 100 {}
                        try await TestBroker.servers("restart")
                        // Nothing has served the first requests. From here on, they and their repeats are answered.
                        let echo = try Echo(queue)
                        try await withRunning([echo]) {
                            try await group.waitForAll()
                        }
                    }
                }
            }
        }
    }
}
