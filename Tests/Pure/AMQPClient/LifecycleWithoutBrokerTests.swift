import Logging
import Testing

@testable import AMQPClient

/// The behavior of clients without a broker. Port 1 refuses connections immediately.
@Suite(.timeLimit(.minutes(1))) struct LifecycleWithoutBrokerTests {
    private func configuration() throws -> AMQPConfiguration {
        var configuration = try AMQPConfiguration(url: "amqp://127.0.0.1:1")
        configuration.closeTimeout = .milliseconds(50)
        return configuration
    }

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let message = AMQPMessage(exchange: "", routingKey: "q", body: [])

    @Test func aWaitForAConnectionReportsWhyThereIsNone() async throws {
        let publisher = AMQPPublisher(configuration: try configuration(), logger: logger)
        await #expect(throws: AMQPError(.notRunning, "")) {
            try await publisher.waitUntilConnected(timeout: .milliseconds(10))
        }
        await withThrowingTaskGroup { group in
            group.addTask { try await publisher.run() }
            await #expect(throws: AMQPError(.timedOut, "")) {
                try await publisher.waitUntilConnected(timeout: .milliseconds(100))
            }
            group.cancelAll()
        }
        await #expect(throws: AMQPError(.closed, "")) {
            try await publisher.waitUntilConnected(timeout: .seconds(30))
        }
    }

    @Test func cancelledPublisherFailsWhatWaits() async throws {
        let publisher = AMQPPublisher(configuration: try configuration(), logger: logger)
        await withThrowingTaskGroup { group in
            group.addTask { try await publisher.run() }
            async let result = publisher.publish([message])
            group.cancelAll()
            let closed = await result[0]
            #expect(throws: AMQPError(.closed, "")) { try closed.get() }
        }
        await #expect(throws: AMQPError(.closed, "")) { try await publisher.publish(message) }
    }

    @Test func cancelledCallerStopsWaiting() async throws {
        let publisher = AMQPPublisher(configuration: try configuration(), logger: logger)
        let client = AMQPRPCClient(configuration: try configuration(), logger: logger)
        let publish = Task { await publisher.publish([message]) }
        let call = Task { try await client.call(message, timeout: .seconds(60)) }
        publish.cancel()
        call.cancel()
        let cancelled = await publish.value[0]
        #expect(throws: AMQPError(.cancelled, "")) { try cancelled.get() }
        await #expect(throws: AMQPError(.cancelled, "")) { try await call.value }
    }

    @Test func callEndsAtItsDeadline() async throws {
        let client = AMQPRPCClient(configuration: try configuration(), logger: logger)
        await #expect(throws: AMQPError(.notRunning, "")) {
            try await client.call(message, timeout: .milliseconds(10))
        }
        await withThrowingTaskGroup { group in
            group.addTask { try await client.run() }
            await #expect(throws: AMQPError(.timedOut, "")) {
                try await client.call(message, timeout: .milliseconds(100))
            }
            group.cancelAll()
        }
    }

    @Test func stoppedConsumerEndsWithoutAConnection() async throws {
        let consumer = AMQPConsumer(
            configuration: try configuration(), consumptions: [AMQPConsumption(queue: "q", prefetch: 1)],
            logger: logger)
        try await withThrowingTaskGroup { group in
            group.addTask { try await consumer.run() }
            consumer.stop()
            for await _ in consumer.batches {
                Issue.record("nothing can arrive")
            }
            try await group.waitForAll()
        }
    }

    @Test func sessionReportsThatItCannotConnect() async throws {
        let session = AMQPChannelSession(configuration: try configuration())
        await #expect(throws: AMQPError(.connectFailed, "")) { try await session.connect() }
    }
}
