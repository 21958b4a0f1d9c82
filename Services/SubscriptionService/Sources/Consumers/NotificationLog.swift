internal import AMQPClient
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// Reads the stream `notifications.log`, a page at a time, each over a connection of its own.
///
/// A stream does not tell its readers where it ends. So an entry of our own, which nobody else looks at, is put behind
/// everything that is there when the page begins: what comes before it is all there was.
struct NotificationLog: Sendable {
    /// A chunk of the stream has the time at which it was written, by the broker's clock, and begins a page as a whole.
    private static let clockMargin: Int64 = 5
    private static let prefetch: UInt16 = 200
    private static let connectLimit = Duration.seconds(10)

    /// How to reach the broker.
    let configuration: AMQPConfiguration
    /// Publishes the end of a page.
    let send: ConfirmedPublish
    let logger: Logger

    /// Fills `page` with what the log has from `start` on.
    ///
    /// - Parameter limit: how long to read.
    /// - Returns: whether more is there: the page is full, or the time was over.
    /// - Throws: `AMQPError` when the log cannot be read.
    func fill(_ page: inout ReplayPage, from start: ReplayRequest.Start, limit: Duration) async throws -> Bool {
        let consumer = AMQPConsumer(
            configuration: configuration,
            consumptions: [
                AMQPConsumption(
                    queue: Queue.notificationsLog, prefetch: Self.prefetch,
                    arguments: ["x-stream-offset": Self.offset(start)])
            ], logger: logger)
        let end = UUID().uuidString
        let (deadline, before) = (ContinuousClock.now + limit, page)
        let (read, hasMore) = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await consumer.run() }
            defer { group.cancelAll() }
            try await consumer.waitUntilConnected(timeout: min(limit, Self.connectLimit))
            try await mark(end)
            group.addTask {
                try await Task.sleep(until: deadline)
                consumer.finish()
            }
            return await Self.read(consumer, into: before, until: end)
        }
        page = read
        return hasMore
    }

    private static func read(
        _ consumer: AMQPConsumer, into page: ReplayPage, until end: String
    ) async -> (ReplayPage, hasMore: Bool) {
        var page = page
        for await deliveries in consumer.batches {
            for delivery in deliveries {
                if delivery.properties.messageID == end, delivery.exchange.isEmpty { return (page, false) }
                guard page.take(delivery) else { return (page, true) }
            }
            if page.isFull { return (page, true) }
            consumer.acknowledge(deliveries)
        }
        return (page, true)
    }

    /// Puts the end of a page into the log, which the default exchange does without telling anybody else.
    private func mark(_ end: String) async throws {
        let message = AMQPMessage(
            exchange: "", routingKey: Queue.notificationsLog,
            properties: AMQPProperties(messageID: end, type: "replay-end"), body: [])
        for result in await send([message]) { try result.get() }
    }

    private static func offset(_ start: ReplayRequest.Start) -> AMQPValue {
        switch start {
        case .time(let time): .timestamp(UInt64(max(0, time / 1000 - clockMargin)))
        case .after(let offset): .int64(offset + 1)
        }
    }
}
