internal import AMQPClient
internal import ArgumentParser
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// The rate at which the service publishes notifications, and the rate of a bare publisher with the same messages, the
/// same exchange and the same listeners, measured immediately afterwards.
struct FanOut: Sendable {
    /// The kind of listeners.
    enum Kind: String, CaseIterable, Sendable, ExpressibleByArgument {
        /// Several queues that are bound to one zone.
        case zone
        /// One queue for several users, each of whom has saved a query subscription in the public database.
        case users
        /// One queue for several users with whom a record is shared and who each watch their shared database.
        case shared
    }

    private static let connectLimit: Duration = .seconds(20)
    private static let zone = "fan-out"
    /// The number of saves in progress.
    private static let inFlight = 8

    let kind: Kind
    /// The number of queues or users.
    let listeners: Int
    /// The number of saves.
    let changes: Int

    /// Measures the service and the bare publisher.
    ///
    /// - Throws: ``LimitFailure`` if the service refuses a request; `AMQPError`.
    func run() async throws -> (service: Throughput, bare: Throughput) {
        let configuration = try LimitEnvironment.broker()
        switch kind {
        case .zone: try await SubscriptionRequests.prepare(zone: Self.zone)
        case .users:
            try await SubscriptionRequests.prepare(zone: nil)
            try await SubscriptionRequests.subscribe(users: listeners, each: 1) { _, _ in nil }
        case .shared: try await SharedSubscriptions.prepare(zone: Self.zone, participants: listeners)
        }
        let topology = topology
        return try await LimitQueues.with(topology, configuration) {
            let publisher = AMQPPublisher(configuration: configuration, logger: .limits)
            let consumer = AMQPConsumer(
                configuration: configuration,
                consumptions: topology.queues.map { AMQPConsumption(queue: $0.name, prefetch: 500) }, logger: .limits)
            let ledger = FanOutLedger(keeping: topology.queues[0].name)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await publisher.run() }
                group.addTask { try await consumer.run() }
                group.addTask {
                    for await deliveries in consumer.batches {
                        ledger.take(deliveries)
                        consumer.acknowledge(deliveries)
                    }
                }
                defer { group.cancelAll() }
                try await publisher.waitUntilConnected(timeout: Self.connectLimit)
                try await consumer.waitUntilConnected(timeout: Self.connectLimit)
                ledger.begin()
                let service = try await measure(ledger) { try await save() }
                let messages = ledger.messages.map(Self.again)
                ledger.begin()
                let bare = try await measure(ledger) { publisher.publish(messages) { _ in } }
                return (service, bare)
            }
        }
    }

    /// Measures the time from the first publish to the last receipt.
    private func measure(_ ledger: FanOutLedger, _ publish: () async throws -> Void) async throws -> Throughput {
        let start = ContinuousClock.now
        try await publish()
        let (kind, listeners, changes) = (kind, listeners, changes)
        let count = await ledger.wait { received, reached in
            switch kind {
            case .zone: reached.count == listeners && reached.values.allSatisfy { $0 >= changes }
            case .users, .shared: received >= listeners * changes
            }
        }
        return Throughput(count: count, elapsed: .now - start)
    }

    /// Saves one record per request, with a few requests at a time. Each save is a separate change, because each has a
    /// different client.
    private func save() async throws {
        var shape = LoadShape(operations: 1, sizeBytes: 500)
        if kind == .shared { shape.parent = { _ in SharedZone.root } }
        let saved = shape
        let zone = kind == .users ? "_defaultZone" : Self.zone
        let producers = Producers(configuration: try LimitEnvironment.broker(), count: 1, inFlight: Self.inFlight)
        _ = try await producers.run { client, place in
            let service = ServiceAnswer(database: kind == .users ? "public" : nil, client: "client-\(place)")
            for number in stride(from: place, to: changes, by: Self.inFlight) {
                let body = saved.body(zone: zone, namePrefix: "f", first: number)
                try ReadZone.check(
                    try await service.answer(
                        to: .recordsModify, body: body, over: client, slot: place, number: number))
            }
        }
    }

    private var topology: AMQPTopology {
        let name = LimitQueues.name()
        let address = SubscriptionRequests.address(ofZone: Self.zone)
        let (count, key) =
            switch kind {
            case .zone: (listeners, RoutingKey.zoneNotification(address))
            case .users, .shared: (1, "user.\(RoutingKey.part(address.container)).#")
            }
        let queues = (0..<count).map { AMQPQueue(name: "\(name).\($0)", arguments: LimitQueues.expiring([:])) }
        return AMQPTopology(
            queues: queues,
            bindings: queues.map { AMQPBinding(queue: $0.name, exchange: Exchange.notifications, routingKey: key) })
    }

    private static func again(_ delivery: AMQPDelivery) -> AMQPMessage {
        AMQPMessage(
            exchange: delivery.exchange, routingKey: delivery.routingKey, properties: delivery.properties,
            body: delivery.body)
    }
}
