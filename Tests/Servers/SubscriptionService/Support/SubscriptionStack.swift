import AMQPClient
import CloudKitWire
import Foundation
import Logging
import PostgresClient
import RequestServing
import ServiceLifecycle
import ServiceMessages
import ServiceRuntime
import TestSupport

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The service with a new database and virtual host, and with a fake record service.
struct SubscriptionStack: Sendable {
    let vhost: TestBrokerVhost
    let pool: PostgresPool
    let record: FakeRecordService
    let rpc: AMQPRPCClient
    let publisher: AMQPPublisher
    /// The messages in a queue that receives everything from `zonda.notifications`.
    let notifications: TestMailbox<AMQPDelivery>
    let configuration: SubscriptionServiceConfiguration
    let host: ServiceHost

    /// Creates a stack, passes it to `body` and removes everything. No service runs before ``withService(_:)``.
    static func with(_ body: (SubscriptionStack) async throws -> Void) async throws {
        try await with(configured: { _ in }, body)
    }

    /// Does the same, with a configuration that `configure` has changed.
    static func with(
        configured configure: (inout SubscriptionServiceConfiguration) -> Void,
        _ body: (SubscriptionStack) async throws -> Void
    ) async throws {
        let environment = try TestEnvironment.required()
        let database = try await TestDatabase.make(in: environment)
        let vhost = try await TestBrokerVhost.make(in: environment)
        do {
            try await with(vhost, database, configure, body)
        } catch {
            try? await vhost.delete()
            try? await database.drop()
            throw error
        }
        try await vhost.delete()
        try await database.drop()
    }

    private static func with(
        _ vhost: TestBrokerVhost, _ database: TestDatabase,
        _ configure: (inout SubscriptionServiceConfiguration) -> Void,
        _ body: (SubscriptionStack) async throws -> Void
    ) async throws {
        let keys = FileManager.default.temporaryDirectory.appending(path: "\(vhost.name).keys")
        try "test:\(String(repeating: "0", count: 64))\n".write(to: keys, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: keys) }
        var configuration = try SubscriptionServiceConfiguration(
            ServiceSettings(variables: [
                "ZONDA_AMQP_URL": vhost.url, "ZONDA_POSTGRES_URL": database.url, "ZONDA_SIGNING_KEYS_FILE": keys.path,
            ]))
        configuration.sweepPeriod = .milliseconds(300)
        configure(&configuration)
        let amqp = try vhost.configuration()
        try await withPool(database.url) { pool in
            _ = try await SubscriptionMigrations.migrator.apply(on: pool, logger: testLogger)
            let record = FakeRecordService()
            let rpc = AMQPRPCClient(configuration: amqp, logger: testLogger)
            let publisher = AMQPPublisher(configuration: amqp, topology: Topology.all, logger: testLogger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await publisher.run() }
                group.addTask { try await rpc.run() }
                defer { group.cancelAll() }
                try await publisher.waitUntilConnected(timeout: .seconds(20))
                group.addTask { await record.serve(amqp) }
                try await TestQueue.withBinding(to: Exchange.notifications, "#", amqp) { mailbox in
                    try await body(
                        SubscriptionStack(
                            vhost: vhost, pool: pool, record: record, rpc: rpc, publisher: publisher,
                            notifications: mailbox, configuration: configuration,
                            host: ServiceHost(
                                configuration.host, migrator: SubscriptionMigrations.migrator, logger: testLogger)))
                }
            }
        }
    }

    /// Runs one instance of the service while the closure runs. It ends without finishing its work.
    func withService<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        let partitions = TimePartitions.subscription(pool: pool, logger: testLogger)
        try await partitions.runOnce()
        let parts = SubscriptionServiceParts(configuration, pool: pool, partitions: partitions, host: host)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for service in parts.parts.services { group.addTask { try await service.run() } }
            defer { group.cancelAll() }
            try await parts.changes.waitUntilConnected(timeout: .seconds(20))
            return try await body()
        }
    }

    /// Commits an event, and publishes it unless `isLost` is true.
    func commit(_ event: ChangeEvent, isLost: Bool = false) async throws {
        record.commit(event)
        if !isLost { try await publisher.publish(event.message()) }
    }

    /// Waits until a zone's notifications have reached a number, and returns the numbers of all of them in order.
    func heard(_ zone: TestZone, upTo seq: Int64) async throws -> [ClosedRange<Int64>] {
        try await notifications.wait(for: "the notifications up to \(seq)") { deliveries in
            let spans = deliveries.spans(of: zone)
            return spans.contains { $0.upperBound == seq } ? spans : nil
        }
    }
}
