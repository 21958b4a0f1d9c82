import AMQPClient
import CommandLineSession
import Synchronization
import TestGenerators

/// The listeners to the subscriptions of a load: durable queues, each of which is bound to some subscriptions, and
/// consumers that disconnect and reconnect. Messages wait in the queue while it has no consumer, and unacknowledged
/// messages are delivered again.
final class MatchListeners: Sendable {
    /// The lifetime of the queues. They expire after a crash of the load.
    private static let queueLifetime: Duration = .seconds(600)
    private static let maxQueues = 6
    private static let prefetch: UInt16 = 200

    private let book: MatchBook
    private let queues: [WatchQueue]
    private let configuration: AMQPConfiguration
    private let staying = Mutex(false)

    /// Creates the listeners to a book's subscriptions.
    ///
    /// - Parameter key: returns the routing key of a subscription's notifications.
    init(_ book: MatchBook, _ configuration: AMQPConfiguration, key: (MatchedSubscription) -> String) {
        self.book = book
        self.configuration = configuration
        let count = min(Self.maxQueues, book.subscriptions.count)
        queues = (0..<count).map { number in
            let own = stride(from: number, to: book.subscriptions.count, by: count).map { book.subscriptions[$0] }
            return .durable(
                "notifications.load.\(book.plan.names.zonePrefix).\(number)", keys: own.map(key),
                lifetime: Self.queueLifetime)
        }
    }

    /// Consumes the queues while `body` runs, and deletes them afterwards.
    ///
    /// - Throws: `.unanswered` if the broker is unreachable or has no exchange.
    func listening<Result: Sendable>(_ body: () async -> Result) async throws(RequestFailure) -> Result {
        // All queues are bound before any subscription is saved.
        do {
            try await AMQPChannelSession.with(configuration) { try await $0.declare(WatchQueue.topology(of: queues)) }
        } catch {
            throw .unanswered(reason: (error as? AMQPError)?.message ?? "\(error)")
        }
        let result = await withTaskGroup(of: Void.self) { group in
            for (number, queue) in queues.enumerated() {
                group.addTask { [self] in await comeAndGo(queue, SeededGenerator(seed: UInt64(number))) }
            }
            defer { group.cancelAll() }
            return await body()
        }
        _ = try? await AMQPChannelSession.with(configuration) { session in
            for queue in queues { _ = try await session.deleteQueue(queue.queue.name) }
        }
        return result
    }

    /// Keeps all consumers connected from now on.
    func stay() { staying.withLock { $0 = true } }

    private func comeAndGo(_ queue: WatchQueue, _ random: SeededGenerator) async {
        var random = random
        while !Task.isCancelled {
            await listen(to: queue, for: .milliseconds(Int.random(in: 1500...4000, using: &random)))
            try? await ContinuousClock().sleep(for: .milliseconds(Int.random(in: 50...500, using: &random)))
        }
    }

    /// Consumes a queue over a separate connection for `time`. If consumers stay connected, consumes it until the task
    /// is cancelled.
    private func listen(to queue: WatchQueue, for time: Duration) async {
        let consumer = AMQPConsumer(
            configuration: configuration, topology: WatchQueue.topology(of: [queue]),
            consumptions: [AMQPConsumption(queue: queue.queue.name, prefetch: Self.prefetch)], logger: .commandLine)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await consumer.run() }
            group.addTask { [book] in
                for await deliveries in consumer.batches {
                    let now = ContinuousClock.now
                    for delivery in deliveries { book.hear(delivery.body, at: now) }
                    consumer.acknowledge(deliveries)
                }
            }
            var rest = time
            while (try? await ContinuousClock().sleep(for: rest)) != nil, staying.withLock({ $0 }) {
                rest = .seconds(1)
            }
            group.cancelAll()
        }
    }
}
