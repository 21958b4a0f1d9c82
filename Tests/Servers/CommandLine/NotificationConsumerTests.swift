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

/// Consumers with a real broker. They use the same names as services, with a separate container.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: WatchedBroker.url != nil, "needs ZONDA_TEST_AMQP_URL"))
struct NotificationConsumerTests {
    private let broker: WatchedBroker

    private var configuration: AMQPConfiguration { broker.configuration }
    private var database: WatchedDatabase { broker.database }

    init() async throws { broker = try await WatchedBroker() }

    private func message(_ zone: String, _ seq: Int64) throws -> AMQPMessage {
        AMQPMessage(
            exchange: Exchange.notifications,
            routingKey: database.key(ofZone: zone),
            body: try ZoneNotification.made(zone: zone, from: seq, to: seq, records: [("r", "created")]).json.encoded())
    }

    @Test func aConsumerReceivesTheZonesThatItIsBoundToAndReportsANewConnection() async throws {
        let key = database.key(ofZone: "Notes")
        // Another client can delete the queue, which closes the consumer's connection.
        let queue = WatchQueue.durable(
            "zonda.test.\(UUID().uuidString)", keys: [key], lifetime: .seconds(60))
        try await broker.withPublisher { publisher in
            try await NotificationConsumer.with(queue, configuration) { consumer in
                var seq: Int64 = 0
                var wasReconnected = false
                // Takes one message at a time. The connection is lost between the first and the second.
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

    /// Publishes a notification of a zone without listeners, and one of `Notes`.
    private func publish(_ seq: inout Int64, _ publisher: AMQPPublisher) async throws {
        seq += 1
        try await publisher.publish(try message("Other", seq))
        try await publisher.publish(try message("Notes", seq))
    }

    private func delete(_ queue: WatchQueue) async throws {
        _ = try await AMQPChannelSession.with(configuration) { try await $0.deleteQueue(queue.queue.name) }
    }

    @Test func theQueueOfAWatchIsDeletedWithIt() async throws {
        let queue = WatchQueue.transient(keys: ["zone.x.#"])
        try await NotificationConsumer.with(queue, configuration) { _ in }
        let status = try await AMQPChannelSession.with(configuration) { try await $0.status(ofQueue: queue.queue.name) }
        #expect(status == nil)
    }
}
