import AMQPClient
import Testing

extension BrokerTests {
    /// Messages that make the broker close the connection or channel that publishes them.
    @Suite(.timeLimit(.minutes(2)), .enabled(if: TestBroker.servers != nil)) struct PoisonPublishTests {
        /// A reply address that names a node outside the cluster.
        private static let lostNode =
            "amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==.a2tra2tra2tra2tra2traw=="

        private func publisher(maxMessageBytes: Int = AMQPConfiguration.defaultMaxMessageBytes) throws -> AMQPPublisher
        {
            var configuration = try TestBroker.configuration()
            configuration.maxMessageBytes = maxMessageBytes
            return AMQPPublisher(configuration: configuration, logger: TestBroker.logger)
        }

        private func reply(_ address: String) -> AMQPMessage {
            AMQPMessage(exchange: "", routingKey: address, properties: AMQPProperties(isPersistent: false), body: [1])
        }

        @Test func theBrokersOwnAddressIsOneOfItsShape() async throws {
            try await TestBroker.withQueue("reply-address") { queue, session in
                let client = AMQPRPCClient(configuration: try TestBroker.configuration(), logger: TestBroker.logger)
                try await withRunning([client]) {
                    let call = Task { try await client.call(.to(queue), timeout: .seconds(30)) }
                    var request: AMQPDelivery?
                    while request == nil { request = try await session.get(queue) }
                    let replyTo = try #require(request?.properties.replyTo)
                    #expect(DirectReplyAddress(replyTo) != nil, "\(replyTo)")
                    call.cancel()
                }
            }
        }

        @Test func aReplyToALostNodeIsGivenUpAndNoOtherMessageIs() async throws {
            try await TestBroker.withQueue("lost-node") { queue, session in
                let publisher = try publisher()
                try await withRunning([publisher]) {
                    var messages = (0..<200).map { AMQPMessage.to(queue, id: $0) }
                    messages[77] = reply(Self.lostNode)
                    let results = await publisher.publish(messages)
                    #expect(results[77].errorCode == .givenUp)
                    #expect(results.filter { $0.errorCode != nil }.count == 1)
                    #expect(publisher.givenUpCount == 1)
                    // Further answers to this channel do not close a connection.
                    await #expect(throws: AMQPError(.givenUp, "")) { try await publisher.publish(reply(Self.lostNode)) }
                    try await publisher.publish(.to(queue))
                }
                let status = try await session.status(ofQueue: queue)
                #expect(status?.messageCount ?? 0 >= 200)
            }
        }

        @Test func aBodyLargerThanTheBrokerTakesFailsAlone() async throws {
            try await TestBroker.withQueue("large") { queue, _ in
                let publisher = try publisher(maxMessageBytes: 128 << 20)
                try await withRunning([publisher]) {
                    var messages = (0..<200).map { AMQPMessage.to(queue, id: $0) }
                    messages[100].body = [UInt8](repeating: 0, count: (32 << 20) + 1)
                    let results = await publisher.publish(messages)
                    #expect(results[100].errorCode == .channelClosed)
                    #expect(results.filter { $0.errorCode != nil }.count == 1)
                }
            }
        }

        @Test func aBodyOfTheLargestSizeArrives() async throws {
            try await TestBroker.withQueue("largest") { queue, session in
                let publisher = try publisher()
                let body = [UInt8](repeating: 7, count: AMQPConfiguration.defaultMaxMessageBytes)
                try await withRunning([publisher]) { try await publisher.publish(.to(queue, body: body)) }
                let delivery = try await session.get(queue)
                #expect(delivery?.body.count == body.count)
            }
        }

        @Test func connectionsThatAnOperatorClosesGiveNothingUp() async throws {
            try await TestBroker.withQueue("forced") { queue, _ in
                let publisher = try publisher()
                try await withRunning([publisher]) {
                    try await publisher.waitUntilConnected(timeout: .seconds(30))
                    let publishing = Task {
                        var failures = 0
                        while !Task.isCancelled {
                            let results = await publisher.publish((0..<500).map { .to(queue, id: $0) })
                            failures += Task.isCancelled ? 0 : results.filter { $0.errorCode != nil }.count
                        }
                        return failures
                    }
                    for _ in 0..<4 {
                        try await publisher.waitUntilConnected(timeout: .seconds(30))
                        try await TestBroker.evaluate(
                            "[rabbit_networking:close_connection(P, \"test\") || P <- rabbit_networking:connections()]."
                        )
                    }
                    try await publisher.waitUntilConnected(timeout: .seconds(30))
                    publishing.cancel()
                    #expect(await publishing.value == 0)
                    #expect(publisher.givenUpCount == 0)
                }
            }
        }
    }
}
