import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import Logging
import ServiceMessages
import Testing

@testable import CommandLine

/// The parts of the command line that need a real broker. They use the names that services use, for containers that
/// nobody else has.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: ProcessInfo.processInfo.environment["ZONDA_TEST_AMQP_URL"] != nil, "needs ZONDA_TEST_AMQP_URL"))
struct BrokerTests {
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

    /// A record service that notifies of what it does, with faults to order.
    private actor Notifier: Requester {
        enum Fault { case none, loses, repeats, renames, swaps }

        /// What is notified of, and to whom.
        struct News {
            var zone: String
            var seq: Int64
            var name: String
            var kind: String
            var subscriptionID: String?
            var id: String?
        }

        private let fault: Fault
        private let publisher: AMQPPublisher
        private let message: @Sendable (News) throws -> AMQPMessage
        /// The saved subscriptions' zones.
        private(set) var subscriptions: [String: String] = [:]
        private(set) var savedCount = 0
        private var lastSeq: [String: Int64] = [:]
        private var kept: [AMQPMessage] = []
        private var known: Set<String> = []

        init(
            _ fault: Fault, _ publisher: AMQPPublisher,
            _ message: @escaping @Sendable (News) throws -> AMQPMessage
        ) {
            self.fault = fault
            self.publisher = publisher
            self.message = message
        }

        func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
            let body = try Answer(status: 200, body: request.body, attempts: 1).json()
            for operation in body["operations"]?.array ?? [] where request.operation == .subscriptionsModify {
                let id = operation["subscription"]?["subscriptionID"]?.string ?? ""
                let isCreated = operation["operationType"] == "create"
                subscriptions[id] = isCreated ? operation["subscription"]?["zoneID"]?["zoneName"]?.string : nil
                if isCreated { savedCount += 1 }
            }
            for operation in body["operations"]?.array ?? [] where request.operation == .recordsModify {
                let name = operation["record"]?["recordName"]?.string ?? ""
                let isNew = known.insert(name).inserted
                let kind = operation["operationType"] == "forceDelete" ? "deleted" : isNew ? "created" : "updated"
                do {
                    try await notify(body["zoneID"]?["zoneName"]?.string ?? "", name, kind)
                } catch {
                    throw .unanswered(reason: "\(error)")
                }
            }
            return Answer(status: 200, body: Array(#"{"records":[],"zones":[]}"#.utf8), attempts: 1)
        }

        private func notify(_ zone: String, _ name: String, _ kind: String) async throws {
            let seq = lastSeq[zone, default: 0] + 1
            lastSeq[zone] = seq
            let ids = [String?.none] + subscriptions.filter { $0.value == zone }.keys.sorted()
            let news = ids.map { News(zone: zone, seq: seq, name: name, kind: kind, subscriptionID: $0) }
            var messages = try news.map(message)
            switch fault {
            case .none: break
            case .loses: if seq == 5 { messages = [] }
            case .repeats: if seq == 5 { messages += messages }
            case .renames:
                guard seq == 5 else { break }
                messages += try news.map { news in
                    var news = news
                    news.id = "another"
                    return try message(news)
                }
            case .swaps:
                if seq == 5 {
                    kept = messages
                    messages = []
                } else if seq == 6 {
                    messages += kept
                }
            }
            // All at once: nobody else's come between.
            for result in await publisher.publish(messages) { try result.get() }
        }
    }

    private func load(_ fault: Notifier.Fault) async throws -> WatchedReport {
        var plan = WatchedPlan()
        plan.producers = 2
        plan.inFlight = 1
        plan.zones = 2
        plan.watchers = 3
        plan.duration = .seconds(60)
        plan.requestsPerSlot = 30
        plan.settle = fault == .loses ? .milliseconds(500) : .seconds(20)
        return try await withPublisher { [self] publisher in
            let service = Notifier(fault, publisher) { news in
                AMQPMessage(
                    exchange: Exchange.notifications,
                    routingKey: news.subscriptionID.map(database.key(ofSubscription:))
                        ?? database.key(ofZone: news.zone),
                    // The incarnation tells zones apart.
                    body: try ZoneNotification.made(
                        id: news.id, zone: news.zone, incarnation: news.zone, from: news.seq, to: news.seq,
                        records: [(news.name, news.kind)], subscriptionID: news.subscriptionID
                    ).json.encoded())
            }
            let report = try await WatchedLoad(
                plan: plan, producers: [service, service], database: database, configuration: configuration
            ).run()
            let left = try await AMQPChannelSession.with(configuration) { session in
                try await session.status(ofQueue: "notifications.load.\(plan.names.zonePrefix).0")
            }
            #expect(left == nil)
            // One of the three watchers subscribes to both zones.
            #expect(report.subscriptions == 2)
            let (savedCount, leftCount) = await (service.savedCount, service.subscriptions.count)
            #expect(savedCount == 2)
            #expect(leftCount == 0)
            return report
        }
    }

    @Test("A load whose notifications all come passes, with every key")
    func loadPasses() async throws {
        let report = try await load(.none)
        #expect(report.isGood, "\(report.json.text)")
        #expect(report.findings.repeated == 0)
        // Three watchers hear both zones.
        #expect(report.findings.notifications == 3 * report.counts.acknowledged)
        #expect(report.latencies.count == UInt64(report.findings.notifications))
        #expect(report.settledAfter != nil)
        for key in [
            "acknowledged", "failed", "notifications", "lost", "repeated", "unknownRepeats", "outOfOrder",
            "subscriptions", "perSecond", "p50", "p90", "p99", "p999", "settledAfter", "errors",
        ] { #expect(report.json[key] != nil, "\(key)") }
    }

    @Test("A load finds what was lost, for each watcher")
    func loadFindsLost() async throws {
        let report = try await load(.loses)
        #expect(report.findings.lost == 6)
        #expect(report.settledAfter == nil)
        #expect(report.json["settledAfter"]?.isNull == true)
        #expect(!report.isGood)
    }

    @Test("A load counts repeats, which are allowed")
    func loadCountsRepeats() async throws {
        let report = try await load(.repeats)
        #expect(report.findings.repeated == 6)
        #expect(report.isGood)
    }

    @Test("A load finds repeats that are no repeats by their ids")
    func loadFindsUnknownRepeats() async throws {
        let report = try await load(.renames)
        #expect(report.findings.repeated == 6)
        #expect(report.findings.unknownRepeats == 6)
        #expect(!report.isGood)
    }

    @Test("A load finds disorder")
    func loadFindsDisorder() async throws {
        let report = try await load(.swaps)
        #expect(report.findings.outOfOrder == 6)
        #expect(report.findings.lost == 0)
        #expect(!report.isGood)
    }
}
