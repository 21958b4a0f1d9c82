package import AMQPClient
internal import Logging
internal import Synchronization

/// The time in which RabbitMQ alone delivers an event to its watchers at a given rate. A program in between only
/// forwards the events.
package struct RelayLimit: Sendable {
    private static let connectLimit: Duration = .seconds(10)
    private static let settleLimit: Duration = .seconds(30)
    private static let prefetch: UInt16 = 500

    private let configuration: AMQPConfiguration
    private let route: RelayRoute
    private let rate: Double
    /// Yields after each batch of confirms or receipts.
    private let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    /// Creates a measurement over `route` with `rate` events per second. Another process must forward the events.
    package init(configuration: AMQPConfiguration, route: RelayRoute, rate: Double) {
        self.configuration = configuration
        self.route = route
        self.rate = rate
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Publishes for `duration`, and waits until the watchers have received everything. Must be called only once.
    ///
    /// - Returns: the number of published events, and the time from the confirm to the receipt for each watcher and
    ///   event.
    /// - Throws: the first failure of an event; ``LimitFailure`` if something has not arrived after 30 seconds.
    package func run(duration: Duration) async throws -> (published: Throughput, latencies: Latencies) {
        let publisher = AMQPPublisher(configuration: configuration, logger: .limits)
        let consumer = AMQPConsumer(
            configuration: configuration,
            consumptions: route.watchers.map { AMQPConsumption(queue: $0, prefetch: Self.prefetch) }, logger: .limits)
        let ledger = SharedLedger()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            group.addTask { try await consumer.run() }
            group.addTask {
                for await deliveries in consumer.batches {
                    ledger.receive(deliveries.compactMap(route.number))
                    consumer.acknowledge(deliveries)
                    bell.yield()
                }
            }
            defer { group.cancelAll() }
            try await publisher.waitUntilConnected(timeout: Self.connectLimit)
            try await consumer.waitUntilConnected(timeout: Self.connectLimit)
            let published = try await publish(over: publisher, for: duration, ledger)
            try await settle(ledger)
            return (published, try ledger.latencies())
        }
    }

    private func publish(
        over publisher: AMQPPublisher, for duration: Duration, _ ledger: SharedLedger
    ) async throws -> Throughput {
        let clock = ContinuousClock()
        let start = clock.now
        let count = Int((duration.seconds * rate).rounded(.up))
        var receipts = 0
        for number in 0..<count {
            try await clock.sleep(until: start + .seconds(Double(number) / rate))
            let zone = route.listeners.indices.randomElement() ?? 0
            receipts += route.listeners[zone]
            publisher.publish([route.event(number, zone: zone)]) { [bell] results in
                ledger.confirm(number, results[0])
                bell.yield()
            }
        }
        ledger.expect(events: count, receipts: receipts)
        return Throughput(count: count, elapsed: start.duration(to: clock.now))
    }

    private func settle(_ ledger: SharedLedger) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                bell.yield()
                for await _ in rings where ledger.isSettled { return }
            }
            group.addTask {
                try await ContinuousClock().sleep(for: Self.settleLimit)
                throw LimitFailure("not all events reached their watchers within \(Self.settleLimit)")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

/// A ledger that the publisher's thread and the watchers' task share.
private final class SharedLedger: Sendable {
    private let ledger = Mutex(RelayLedger())

    var isSettled: Bool { ledger.withLock(\.isSettled) }

    func latencies() throws -> Latencies { try ledger.withLock { try $0.latencies() } }

    func confirm(_ number: Int, _ result: Result<Void, AMQPError>) {
        let now = ContinuousClock.now
        ledger.withLock { $0.confirm(number, result, at: now) }
    }

    func receive(_ numbers: [Int]) {
        let now = ContinuousClock.now
        ledger.withLock { ledger in numbers.forEach { ledger.receive($0, at: now) } }
    }

    func expect(events: Int, receipts: Int) { ledger.withLock { $0.expect(events: events, receipts: receipts) } }
}
