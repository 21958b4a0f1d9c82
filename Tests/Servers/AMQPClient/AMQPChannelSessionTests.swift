import AMQPClient
import Testing

extension BrokerTests {
    @Suite(.timeLimit(.minutes(1))) struct ChannelSessionTests {
        @Test func anotherArgumentIsRefusedAndTheSessionStaysUsable() async throws {
            try await TestBroker.withQueue("refused") { queue, session in
                do throws(AMQPError) {
                    _ = try await session.declare(AMQPQueue(name: queue, arguments: ["x-max-length": 1]))
                    Issue.record("the declaration was accepted")
                } catch {
                    #expect(error.code == .refused)
                    #expect(error.replyCode == 406)
                }
                let status = try await session.status(ofQueue: queue)
                #expect(status?.messageCount == 0)
            }
        }

        @Test func missingQueueHasNoStatusAndCannotBeRead() async throws {
            try await AMQPChannelSession.with(try TestBroker.configuration()) { session in
                let missing = TestBroker.name("missing")
                let status = try await session.status(ofQueue: missing)
                #expect(status == nil)
                await #expect(throws: AMQPError(.refused, "")) { try await session.get(missing) }
                let deleted = try await session.deleteQueue(missing)
                #expect(deleted == 0)
            }
        }

        /// A look-up counts as a use of a queue. Queues that are created while a service runs rely on this.
        @Test func queueThatIsLookedUpDoesNotExpire() async throws {
            try await AMQPChannelSession.with(try TestBroker.configuration()) { session in
                let queue = TestBroker.name("expiring")
                let expiry = Duration.milliseconds(800)
                _ = try await session.declare(AMQPQueue(name: queue, arguments: ["x-expires": 800]))
                let end = ContinuousClock.now + expiry * 3
                while ContinuousClock.now < end {
                    let status = try await session.status(ofQueue: queue)
                    #expect(status != nil)
                    guard status != nil else { break }
                }
                try await session.deleteQueue(queue)
            }
        }

        @Test func queueIsDeclaredBoundAndDeletedOverOneConnection() async throws {
            try await AMQPChannelSession.with(try TestBroker.configuration()) { session in
                let queue = TestBroker.name("made")
                let topology = AMQPTopology(
                    queues: [AMQPQueue(name: queue)],
                    bindings: [AMQPBinding(queue: queue, exchange: "amq.topic", routingKey: queue)])
                // Looking up a missing queue closes the channel, but not the session.
                for _ in 0..<2 {
                    let missing = try await session.status(ofQueue: queue)
                    #expect(missing == nil)
                    try await session.declare(topology)
                    try await session.declare(AMQPTopology(bindings: topology.bindings))
                    let made = try await session.status(ofQueue: queue)
                    #expect(made?.name == queue)
                    #expect(made?.consumerCount == 0)
                    try await session.deleteQueue(queue)
                }
            }
        }

        @Test func messageThatIsNotAcknowledgedComesBack() async throws {
            try await TestBroker.withQueue("get") { queue, session in
                let publisher = AMQPPublisher(
                    configuration: try TestBroker.configuration(), logger: TestBroker.logger)
                try await withRunning([publisher]) {
                    try await publisher.publish(.to(queue, id: 1))
                }
                _ = try #require(try await session.get(queue, noAck: false))
                let next = try await session.get(queue)
                #expect(next == nil)
                await session.close()
                let again = try #require(try await session.get(queue, noAck: false))
                #expect(again.isRedelivered)
                try await session.acknowledge(again)
                let purged = try await session.purgeQueue(queue)
                #expect(purged == 0)
            }
        }

        @Test func wrongPasswordIsRefused() async throws {
            var configuration = try TestBroker.configuration()
            configuration.password = "wrong"
            let session = AMQPChannelSession(configuration: configuration)
            await #expect(throws: AMQPError(.refused, "")) { try await session.connect() }
        }
    }
}
