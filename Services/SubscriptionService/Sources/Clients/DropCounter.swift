internal import AMQPClient
internal import CoreMetrics
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages
internal import SubscriptionStorage

/// Counts what clients' queues had no room for, so that a client is told that it missed something.
///
/// A count that was written and not acknowledged is written again, and what `subscription.drops` has no room for is not
/// counted: it tells that something was missed and about how much.
struct DropCounter: Service {
    let consumer: AMQPConsumer
    let pool: PostgresPool
    let trouble: DatabaseTrouble
    let metrics: SubscriptionMetrics

    /// Until the consumer has ended.
    func run() async throws {
        for await deliveries in consumer.batches {
            let drops = Self.drops(deliveries)
            do {
                try await trouble.outlast(deadline: nil) { try await add(drops) }
                metrics.clientDrops.increment(by: drops.values.reduce(0, +))
            } catch is Withheld {
                break
            } catch {
                // It is in the log, and would be the same with each attempt.
            }
            consumer.acknowledge(deliveries)
        }
        // The group stops its services in order, and this one waits for its turn.
        try? await gracefulShutdown()
    }

    private func add(_ drops: [String: Int]) async throws {
        guard !drops.isEmpty else { return }
        _ = try await pool.withConnection { try await $0.pipeline([ClientTable.add(drops)]) }
    }

    /// How many of them each client's queue had no room for.
    static func drops(_ deliveries: [AMQPDelivery]) -> [String: Int] {
        var drops: [String: Int] = [:]
        for delivery in deliveries {
            let headers = delivery.properties.headers
            guard headers.string("x-first-death-reason") == "maxlen",
                let queue = headers.string("x-first-death-queue"), queue.hasPrefix(Queue.clients)
            else { continue }
            drops[String(queue.dropFirst(Queue.clients.count)), default: 0] += 1
        }
        return drops
    }
}
