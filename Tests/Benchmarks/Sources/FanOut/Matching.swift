internal import AMQPClient
internal import Foundation
internal import ServiceMessages
internal import Synchronization

/// The time from a save in the public database to the notification of the only one of many query subscriptions that it
/// matches.
struct Matching: Sendable {
    private static let connectLimit: Duration = .seconds(20)
    /// The number of subscriptions per user.
    private static let each = 1000

    /// The number of query subscriptions. Each queries a different number; the first queries the number of every
    /// record.
    let subscriptions: Int
    /// The number of saves per second.
    let rate: Double
    /// The duration of the measurement.
    let duration: Duration

    /// Measures the time from each save to its notification, which may arrive before the answer.
    ///
    /// - Throws: ``LimitFailure`` if the service refuses a request; `AMQPError`.
    func run() async throws -> Latencies {
        let configuration = try LimitEnvironment.broker()
        try await SubscriptionRequests.prepare(zone: nil)
        let users = (subscriptions + Self.each - 1) / Self.each
        try await SubscriptionRequests.subscribe(users: users, each: min(Self.each, subscriptions)) { user, index in
            user * Self.each + index
        }
        let queue = AMQPQueue(name: LimitQueues.name(), arguments: LimitQueues.expiring([:]))
        let container = RoutingKey.part(SubscriptionRequests.address(ofZone: "").container)
        let topology = AMQPTopology(
            queues: [queue],
            bindings: [
                AMQPBinding(queue: queue.name, exchange: Exchange.notifications, routingKey: "user.\(container).#")
            ])
        return try await LimitQueues.with(topology, configuration) {
            let consumer = AMQPConsumer(
                configuration: configuration, consumptions: [AMQPConsumption(queue: queue.name, prefetch: 500)],
                logger: .limits)
            let ledger = FanOutLedger(keeping: queue.name)
            let received = Receipts()
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await consumer.run() }
                group.addTask {
                    for await deliveries in consumer.batches {
                        let now = ContinuousClock.now
                        received.add(deliveries.count, at: now)
                        ledger.take(deliveries)
                        consumer.acknowledge(deliveries)
                    }
                }
                defer { group.cancelAll() }
                try await consumer.waitUntilConnected(timeout: Self.connectLimit)
                let sent = try await save()
                _ = await ledger.wait { count, _ in count >= sent.count }
                // A zone's notifications arrive in the order of its changes, and one save is in progress at a time.
                return Latencies(zip(sent, received.times).map { max(.zero, $1 - $0) })
            }
        }
    }

    private func save() async throws -> [ContinuousClock.Instant] {
        let service = ServiceAnswer(database: "public")
        var shape = LoadShape(operations: 1, sizeBytes: 500)
        // Each record has the number 0, which one subscription queries.
        shape.values = 1
        let once = shape
        let producers = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: 1)
        return try await producers.run { client, place in
            let start = ContinuousClock.now
            var sent: [ContinuousClock.Instant] = []
            for number in 0..<max(1, Int(duration.seconds * rate)) {
                try await ContinuousClock().sleep(until: start + .seconds(Double(number) / rate))
                sent.append(.now)
                let body = once.body(zone: "_defaultZone", namePrefix: "m", first: number)
                try ReadZone.check(
                    try await service.answer(
                        to: .recordsModify, body: body, over: client, slot: place, number: number))
            }
            return sent
        }.results[0]
    }
}

/// The times at which notifications arrived.
private final class Receipts: Sendable {
    private let state = Mutex<[ContinuousClock.Instant]>([])

    var times: [ContinuousClock.Instant] { state.withLock { $0 } }

    func add(_ count: Int, at time: ContinuousClock.Instant) {
        state.withLock { $0 += Array(repeating: time, count: count) }
    }
}
