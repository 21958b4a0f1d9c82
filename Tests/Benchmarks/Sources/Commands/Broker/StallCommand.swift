internal import AMQPClient
internal import ArgumentParser
internal import Foundation
internal import ServiceMessages

/// `zonda-limits stall`.
struct StallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stall",
        abstract: "Consume the notifications of all zones, but stop after the first one.",
        discussion: "Prints a line when the queue is bound, and exits after the given time.")

    @Option(help: "The time after which the command exits: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration

    func run() async throws {
        let broker = try LimitEnvironment.broker()
        // The name of the queue makes the policy for consumers' queues apply.
        let queue = AMQPQueue(name: "notifications.watch.\(LimitQueues.name())", arguments: LimitQueues.expiring([:]))
        let topology = AMQPTopology(
            queues: [queue],
            bindings: [AMQPBinding(queue: queue.name, exchange: Exchange.notifications, routingKey: "zone.#")])
        try await LimitQueues.with(topology, broker) {
            let consumer = AMQPConsumer(
                configuration: broker, consumptions: [AMQPConsumption(queue: queue.name, prefetch: 1)], logger: .limits)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await consumer.run() }
                group.addTask { for await _ in consumer.batches {} }
                defer { group.cancelAll() }
                try await consumer.waitUntilConnected(timeout: .seconds(10))
                print("bound")
                fflush(nil)
                try await Task.sleep(for: duration)
            }
        }
    }
}
