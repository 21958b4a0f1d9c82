import AMQPClient
import CloudKitModel
import CommandLineSession
import FoundationEssentials
import ServiceMessages
import Synchronization

/// The watchers of a load. Each has a durable queue that is bound to some zones, or to saved subscriptions to them, and
/// checks the notifications that arrive in the queue. May be used on any thread.
final class LoadWatchers: Sendable {
    /// The lifetime of the queues. They survive a restart of the broker, and expire after a crash of the load.
    private static let queueLifetime: Duration = .seconds(600)
    private static let prefetch: UInt16 = 500

    private final class Watcher: Sendable {
        let queue: WatchQueue
        let ledger: Mutex<HearingLedger>

        init(queue: WatchQueue, isSubscriber: Bool) {
            self.queue = queue
            ledger = Mutex(HearingLedger(fromFirstHeard: isSubscriber))
        }
    }

    /// The subscriptions that must be saved before all watchers can be notified.
    let subscriptions: [LoadSubscription]

    private let names: LoadNames
    private let watchers: [Watcher]
    private let byQueue: [String: Watcher]
    private let byZone: [[Watcher]]
    private let latencies = Tally(LatencyHistogram())
    private let malformed = Tally(0)
    /// Yields after each batch of notifications.
    private let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    /// Creates the watchers of `plan`, whose zones are in `database`.
    init(_ plan: WatchedPlan, database: WatchedDatabase) {
        names = plan.names
        var (watchers, byZone) = ([Watcher](), Array(repeating: [Watcher](), count: plan.zones))
        var subscriptions: [LoadSubscription] = []
        for number in 0..<plan.watchers {
            let zones = plan.zones(ofWatcher: number)
            let isSubscriber = database.hasSubscriptions && plan.isSubscriber(number)
            let own = zones.map {
                LoadSubscription(id: plan.subscriptionID(ofWatcher: number, zone: $0), zone: plan.names.zone($0))
            }
            if isSubscriber { subscriptions += own }
            let keys = own.map { isSubscriber ? database.key(ofSubscription: $0.id) : database.key(ofZone: $0.zone) }
            let watcher = Watcher(
                queue: .durable(
                    "notifications.load.\(plan.names.zonePrefix).\(number)", keys: keys, lifetime: Self.queueLifetime),
                isSubscriber: isSubscriber)
            watchers.append(watcher)
            for zone in zones { byZone[zone].append(watcher) }
        }
        self.watchers = watchers
        self.subscriptions = subscriptions
        self.byZone = byZone
        byQueue = Dictionary(uniqueKeysWithValues: watchers.map { ($0.queue.queue.name, $0) })
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Consumes the queues over `connections` connections while `body` runs, and deletes them afterwards.
    ///
    /// - Throws: `.unanswered` if the broker is unreachable or has no exchange; the errors of `body`.
    func listening<Result: Sendable>(
        _ configuration: AMQPConfiguration, connections: Int, _ body: () async throws -> Result
    ) async throws -> Result {
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await connected(configuration, connections, body))
        } catch {
            result = .failure(error)
        }
        try? await AMQPChannelSession.with(configuration) { session in
            for watcher in watchers { try await session.deleteQueue(watcher.queue.queue.name) }
        }
        return try result.get()
    }

    /// Records acknowledged operations in `zone`. The zone's watchers must be notified of them.
    func expect(_ operations: [HearingLedger.Operation], inZone zone: Int, at now: ContinuousClock.Instant) {
        for watcher in byZone[zone] {
            let early = watcher.ledger.withLock { ledger in
                operations.compactMap { ledger.acknowledge($0, at: now) }
            }
            if !early.isEmpty { latencies.update { histogram in early.forEach { histogram.record($0) } } }
        }
    }

    /// Waits for all expected notifications.
    ///
    /// - Returns: whether they arrived before `limit` passed.
    func settle(within limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [self] in
                bell.yield()
                for await _ in rings where watchers.allSatisfy({ $0.ledger.withLock(\.awaited) == 0 }) { return true }
                return false
            }
            group.addTask {
                try? await ContinuousClock().sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// The findings of all watchers.
    var findings: HearingLedger.Findings {
        watchers.reduce(into: HearingLedger.Findings()) { $0 += $1.ledger.withLock(\.findings) }
    }

    /// The times from an operation's answer to its notification, for each watcher.
    var histogram: LatencyHistogram { latencies.now }

    /// The number of messages that were not notifications.
    var malformedCount: Int { malformed.now }

    private func connected<Result: Sendable>(
        _ configuration: AMQPConfiguration, _ connections: Int, _ body: () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for number in 0..<min(connections, watchers.count) {
                let queues = stride(from: number, to: watchers.count, by: connections).map { watchers[$0].queue }
                let consumer = AMQPConsumer(
                    configuration: configuration, topology: WatchQueue.topology(of: queues),
                    consumptions: queues.map { AMQPConsumption(queue: $0.queue.name, prefetch: Self.prefetch) },
                    logger: .commandLine)
                group.addTask { try await consumer.run() }
                group.addTask { [self] in
                    for await deliveries in consumer.batches {
                        hear(deliveries)
                        consumer.acknowledge(deliveries)
                        bell.yield()
                    }
                }
                _ = try await BrokerSession.connected { () async throws(AMQPError) in
                    try await consumer.waitUntilConnected(timeout: BrokerSession.connectLimit)
                }
            }
            return try await body()
        }
    }

    private func hear(_ deliveries: [AMQPDelivery]) {
        let now = ContinuousClock.now
        var heard: [Duration] = []
        for delivery in deliveries {
            do throws(RequestFailure) {
                let notification = try ZoneNotification(delivery.body)
                heard += byQueue[delivery.queue]?.ledger.withLock { $0.hear(notification, names: names, at: now) } ?? []
            } catch {
                malformed.update { $0 += 1 }
            }
        }
        latencies.update { histogram in heard.forEach { histogram.record($0) } }
    }
}
