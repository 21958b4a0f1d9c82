internal import AMQPClient
internal import CoreMetrics
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages
internal import SubscriptionStorage

/// Counts the notifications that clients' full queues have dropped, so that the clients learn that they missed
/// notifications.
///
/// The count is approximate: drops that were counted but not acknowledged are counted again, and drops that do not fit
/// in the `subscription.drops` queue are not counted.
struct DropCounter: Service {
    let consumer: AMQPConsumer
    let pool: PostgresPool
    let retry: DatabaseRetry
    let metrics: SubscriptionMetrics

    /// Counts drops until the consumer has ended.
    func run() async throws {
        for await deliveries in consumer.batches {
            let drops = Self.drops(deliveries)
            do {
                try await retry.run(deadline: nil) { try await add(drops) }
                metrics.clientDrops.increment(by: drops.values.reduce(0, +))
            } catch is ServiceStopping {
                break
            } catch {
                // This is a defect, which has been logged. Another attempt would fail too.
            }
            consumer.acknowledge(deliveries)
        }
        // The service group stops its services in order, so this service waits until the group stops it.
        try? await gracefulShutdown()
    }

    private func add(_ drops: [String: Int]) async throws {
        guard !drops.isEmpty else { return }
        _ = try await pool.withConnection { try await $0.pipeline([ClientTable.add(drops)]) }
    }

    /// Returns the number of drops for each client's queue, keyed by client name.
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
