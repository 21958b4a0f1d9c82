import AMQPClient
import CloudKitWire
import Foundation
import Logging
import PostgresClient
import RequestServing
import ServiceLifecycle
import ServiceMessages
import ServiceRuntime
import Synchronization
import TestSupport

@testable import SubscriptionService
@testable import SubscriptionStorage

/// One shard's lane with a real broker and a real database, under separate names. Events are sent to a queue, and
/// notifications are published to an exchange. The record service is a fake in this process.
struct LaneStack: Sendable {
    let pool: PostgresPool
    let record = FakeRecordService()
    let metrics = ServiceMetrics()
    /// The log of the lanes.
    let log = TestMailbox<String>()
    let publisher: AMQPPublisher
    /// All published notifications.
    let notifications: TestMailbox<AMQPDelivery>
    /// The shard's queue. Its dead letters are routed to the queue of the same name with `.dead`.
    let queue: String
    /// The exchange to which notifications are published.
    let exchange: String
    /// The delivery statistics.
    let journal: DeliveryJournal
    private let configuration: AMQPConfiguration

    /// Creates a stack and passes it to `body`. No lane runs before ``withLane(failing:_:)``.
    ///
    /// - Parameter fullQueue: whether a queue that is always full is bound to the notifications.
    static func with(fullQueue: Bool = false, _ body: @escaping (LaneStack) async throws -> Void) async throws {
        let queue = TestEnvironment.uniqueName("lane")
        let exchange = TestEnvironment.uniqueName("notifications")
        // The broker removes the queues even if the test crashes.
        let expiry: AMQPValue = 120_000
        var topology = AMQPTopology(
            exchanges: [AMQPExchange(name: exchange, kind: .topic, isDurable: false, isAutoDelete: true)],
            queues: [
                AMQPQueue(
                    name: queue, isDurable: false,
                    arguments: [
                        "x-expires": expiry, "x-dead-letter-exchange": "",
                        "x-dead-letter-routing-key": .string("\(queue).dead"),
                    ]),
                AMQPQueue(name: "\(queue).dead", isDurable: false, arguments: ["x-expires": expiry]),
            ])
        if fullQueue {
            let full = "\(queue).full"
            topology.queues.append(
                AMQPQueue(
                    name: full, isDurable: false,
                    arguments: ["x-expires": expiry, "x-max-length": 0, "x-overflow": "reject-publish"]))
            topology.bindings.append(AMQPBinding(queue: full, exchange: exchange, routingKey: "#"))
        }
        var configuration = try AMQPConfiguration(url: try TestEnvironment.required().amqpURL)
        configuration.connectionName = "zonda-test"
        let publisher = AMQPPublisher(configuration: configuration, topology: topology, logger: testLogger)
        try await withTestPool { [configuration] pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await publisher.run() }
                defer { group.cancelAll() }
                try await publisher.waitUntilConnected(timeout: .seconds(20))
                try await TestQueue.withBinding(to: exchange, "#", configuration) { mailbox in
                    try await body(
                        LaneStack(
                            pool: pool, publisher: publisher, notifications: mailbox, queue: queue, exchange: exchange,
                            journal: DeliveryJournal(table: DeliveryTable(pool: pool)),
                            configuration: configuration))
                }
            }
        }
    }

    /// Runs an instance with the shard while the closure runs. Then the instance is cancelled, as if it had crashed.
    ///
    /// - Parameters:
    ///   - failing: the numbers, from 1, of the publishes that fail because the publisher has ended.
    ///   - rightsClock: the clock for the retries of requests for rights.
    ///   - turnTime: the time limit of a turn of a separate delivery.
    func withLane<Value: Sendable>(
        failing: Set<Int> = [], rightsClock: any Clock<Duration> = ContinuousClock(),
        turnTime: Duration = .seconds(1), _ body: () async throws -> Value
    ) async throws -> Value {
        let consumer = AMQPConsumer(
            configuration: configuration, consumptions: [AMQPConsumption(queue: queue, prefetch: 200)],
            logger: testLogger)
        let retry = DatabaseRetry(logger: testLogger, metrics: RequestMetrics(metrics))
        let count = Mutex(0)
        let send: ConfirmedPublish = { [publisher, exchange] messages in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let elsewhere = messages.map { message in
                var message = message
                message.exchange = exchange
                return message
            }
            let results = await publisher.publish(elsewhere)
            // The messages are published, but the confirmation is lost with the publisher.
            return failing.contains(number) ? messages.map { _ in .failure(AMQPError(.closed, "ordered")) } : results
        }
        let mover = CursorMover(table: CursorTable(pool: pool), retry: retry)
        let lane = ShardLane(
            consumer: consumer, prefetch: 200, cursors: CursorTable(pool: pool), mover: mover,
            notifier: Notifier(
                table: MatchingTable(pool: pool),
                matcher: QueryMatcher(
                    table: MatchingTable(pool: pool), predicates: PredicateCache(),
                    rights: RightsCheck(
                        table: RightsTable(pool: pool),
                        interests: InterestCheck(client: RecordServiceClient(call: record.call)), retry: retry,
                        clock: rightsClock, logger: testLogger),
                    retry: retry),
                audiences: AudienceCheck(
                    client: AudienceClient(client: RecordServiceClient(call: record.call)), cache: AudienceCache(),
                    logger: testLogger),
                batcher: NotificationBatcher(
                    firings: FiringTable(pool: pool), recipients: RecipientTable(pool: pool),
                    publisher: NotificationPublisher(
                        send: send, clock: ContinuousClock(), metrics: SubscriptionMetrics(metrics),
                        logger: testLogger),
                    journal: journal, retry: retry), retry: retry),
            log: ChangeLogClient(call: record.call), logReads: AsyncSemaphore(permits: 8),
            costlyDeliveries: AsyncSemaphore(permits: 4), turnTime: turnTime, retry: retry,
            clock: ContinuousClock(), metrics: SubscriptionMetrics(metrics),
            logger: Logger(label: "lane") { [log] _ in MailboxLogHandler(mailbox: log) })
        let fanOut = FanOut(
            consumer: consumer, membership: Membership(table: InstanceTable(pool: pool), renew: { _ in }),
            lanes: [queue: lane], mover: mover)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await consumer.run() }
            group.addTask { try await fanOut.run() }
            defer { group.cancelAll() }
            try await consumer.waitUntilConnected(timeout: .seconds(20))
            return try await body()
        }
    }

    /// Commits an event, and publishes it unless `isLost` is true.
    func commit(_ event: ChangeEvent, isLost: Bool = false) async throws {
        record.commit(event)
        if !isLost { try await tell(event) }
    }

    /// Publishes an event.
    func tell(_ event: ChangeEvent) async throws {
        var message = event.message()
        (message.exchange, message.routingKey) = ("", queue)
        try await publisher.publish(message)
    }

    /// Waits until a zone's notifications have reached a number, and returns the numbers of all of them in order.
    func heard(
        _ zone: TestZone, upTo seq: Int64, within limit: Duration = .seconds(20)
    ) async throws -> [ClosedRange<Int64>] {
        try await notifications.wait(for: "the notifications up to \(seq)", within: limit) { deliveries in
            let spans = deliveries.spans(of: zone)
            return spans.contains { $0.upperBound == seq } ? spans : nil
        }
    }

    /// Waits until the cursor of a zone has reached a number, and until all notifications that were published until then
    /// have arrived.
    func waitUntilHeard(_ zone: TestZone, upTo seq: Int64) async throws {
        try await waitUntilSettled(zone, at: seq)
        let id = UUID().uuidString
        try await publisher.publish(
            AMQPMessage(exchange: exchange, routingKey: "mark", properties: AMQPProperties(messageID: id), body: []))
        _ = try await notifications.first("the mark") { $0.properties.messageID == id }
    }

    /// Waits until all messages in the queue have been acknowledged.
    func waitUntilSettled(_ zone: TestZone, at seq: Int64) async throws {
        try await pool.waitUntil(
            "exists (select from subscription.cursor where incarnation = '\(zone.incarnation)' and delivered = \(seq))")
    }
}

extension [AMQPDelivery] {
    /// Returns the numbers of a zone's own notifications, in order.
    func spans(of zone: TestZone) -> [ClosedRange<Int64>] {
        let incarnation = JSONValue.string(zone.incarnation.uuidString.lowercased())
        return compactMap { delivery in
            guard delivery.routingKey.hasPrefix("zone."), let json = try? JSONValue(parsing: delivery.body),
                json["incarnation"] == incarnation, let from = json["fromSeq"]?.int, let to = json["toSeq"]?.int
            else { return nil }
            return from...to
        }
    }
}

extension [AMQPDelivery] {
    /// Returns the times of the changes in a zone's own notifications, in order and in seconds since 1970.
    func times(of zone: TestZone) -> [UInt64] {
        let incarnation = JSONValue.string(zone.incarnation.uuidString.lowercased())
        return compactMap { delivery in
            guard delivery.routingKey.hasPrefix("zone."), let json = try? JSONValue(parsing: delivery.body),
                json["incarnation"] == incarnation
            else { return nil }
            return delivery.properties.timestamp
        }
    }
}

/// A log handler that collects the messages in a mailbox.
private struct MailboxLogHandler: LogHandler {
    let mailbox: TestMailbox<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { mailbox.add(event.message.description) }
}
