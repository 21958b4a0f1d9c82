import AMQPClient
import Testing

extension BrokerTests {
    @Suite(.timeLimit(.minutes(1)), .enabled(if: TestBroker.secureURL != nil && TestBroker.authoritiesFile != nil))
    struct SecureConnectionTests {
        private func configuration() throws -> AMQPConfiguration {
            try AMQPConfiguration(url: try #require(TestBroker.secureURL))
        }

        @Test func messagesPassEncryptedInBothDirections() async throws {
            var configuration = try configuration()
            configuration.tls?.authoritiesFile = TestBroker.authoritiesFile
            let secure = configuration
            try await TestBroker.withQueue("tls") { queue, _ in
                let publisher = AMQPPublisher(configuration: secure, logger: TestBroker.logger)
                let consumer = AMQPConsumer(
                    configuration: secure, consumptions: [AMQPConsumption(queue: queue, prefetch: 100)],
                    logger: TestBroker.logger)
                let body = [UInt8](repeating: 7, count: 50_000)
                try await withRunning([publisher, consumer]) {
                    async let results = publisher.publish((0..<500).map { .to(queue, id: $0, body: body) })
                    var seen = 0
                    for await batch in consumer.batches {
                        #expect(batch.allSatisfy { $0.body == body })
                        consumer.acknowledge(batch)
                        seen += batch.count
                        if seen == 500 { break }
                    }
                    let failed = await results.filter { $0.errorCode != nil }
                    #expect(failed.isEmpty)
                }
            }
        }

        @Test func unknownAuthorityIsNotTrusted() async throws {
            let session = AMQPChannelSession(configuration: try configuration())
            await #expect(throws: AMQPError(.connectFailed, "")) { try await session.connect() }
        }

        @Test func verificationCanBeSwitchedOff() async throws {
            var configuration = try configuration()
            configuration.tls?.verifiesPeer = false
            try await AMQPChannelSession.with(configuration) { try await $0.connect() }
        }
    }
}
