import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import Logging
import ServiceMessages
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

/// Consumers of a real broker. They use the names that services use, for a container of their own.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: ProcessInfo.processInfo.environment["ZONDA_TEST_AMQP_URL"] != nil, "needs ZONDA_TEST_AMQP_URL"))
struct NotificationConsumerTests {
    private let configuration: AMQPConfiguration
    private let database: WatchedDatabase

    init() async throws {
        configuration = try AMQPConfiguration(
            url: ProcessInfo.processInfo.environment["ZONDA_TEST_AMQP_URL"] ?? "")
        database = try WatchedDatabase(
            RequestScope(
                container: "iCloud.test.\(UUID().uuidString)", environment: .development, database: .private,
                user: "_u"))
        try await AMQPChannelSession.with(configuration) { session in
            try await session.declare(
                AMQPTopology(exchanges: [AMQPExchange(name: Exchange.notifications, kind: .topic)]))
        }
    }

    private func withPublisher<Result: Sendable>(
        _ body: (AMQPPublisher) async throws -> Result
    ) async throws -> Result {
        let publisher = AMQPPublisher(
            configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            defer { group.cancelAll() }
            try await publisher.waitUntilConnected(timeout: .seconds(20))
            return try await body(publisher)
        }
    }

    private func message(_ zone: String, _ seq: Int64) throws -> AMQPMessage {
        AMQPMessage(
            exchange: Exchange.notifications,
            routingKey: database.key(ofZone: zone),
            body: try ZoneNotification.made(zone: zone, from: seq, to: seq, records: [("r", "created")]).json.encoded())
    }

    @Test("A consumer hears the zones it is bound to, and tells of a new connection")
    func hears() async throws {
        let key = database.key(ofZone: "Notes")
        // A queue that can be deleted by others: that costs the consumer its connection.
        let queue = WatchQueue.durable(
            "zonda.test.\(UUID().uuidString)", keys: [key], lifetime: .seconds(60))
        try await withPublisher { publisher in
            try await NotificationConsumer.with(queue, configuration) { consumer in
                var seq: Int64 = 0
                var wasReconnected = false
                // One message at a time, and a lost connection between the first and the second.
                try await publish(&seq, publisher)
                for await input in consumer.inputs {
                    switch input {
                    case .delivered(let deliveries):
                        let heard = try deliveries.map { try ZoneNotification($0.body) }
                        #expect(heard.map(\.zone) == ["Notes"])
                        #expect(heard.map(\.toSeq) == [seq])
                        consumer.acknowledge(deliveries)
                        if wasReconnected { return }
                        try await delete(queue)
                    case .reconnected:
                        wasReconnected = true
                        try await publish(&seq, publisher)
                    }
                }
            }
        }
        try await delete(queue)
    }

    /// Publishes a notification of a zone that nobody listens to, and one of `Notes`.
    private func publish(_ seq: inout Int64, _ publisher: AMQPPublisher) async throws {
        seq += 1
        try await publisher.publish(try message("Other", seq))
        try await publisher.publish(try message("Notes", seq))
    }

    private func delete(_ queue: WatchQueue) async throws {
        _ = try await AMQPChannelSession.with(configuration) { try await $0.deleteQueue(queue.queue.name) }
    }

    @Test("A watch's own queue is gone with it")
    func leavesNothing() async throws {
        let queue = WatchQueue.transient(keys: ["zone.x.#"])
        try await NotificationConsumer.with(queue, configuration) { _ in }
        let status = try await AMQPChannelSession.with(configuration) { try await $0.status(ofQueue: queue.queue.name) }
        #expect(status == nil)
    }
}
