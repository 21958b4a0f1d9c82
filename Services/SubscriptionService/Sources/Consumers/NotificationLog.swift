internal import AMQPClient
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// Reads pages of the `notifications.log` stream, each over its own connection.
///
/// A stream does not report its end to its readers. Therefore, when a page begins, this service appends an entry that
/// all other readers ignore. The entries before it were in the log when the page began.
struct NotificationLog: Sendable {
    /// The number of seconds by which reading begins before the requested time. The broker marks each chunk of the
    /// stream with the time at which it wrote the chunk, and only whole chunks can be read.
    private static let clockMargin: Int64 = 5
    private static let prefetch: UInt16 = 200
    private static let connectLimit = Duration.seconds(10)

    /// The connection to the broker.
    let configuration: AMQPConfiguration
    /// Publishes the entry that ends a page.
    let send: ConfirmedPublish
    let logger: Logger

    /// Fills `page` with entries of the log, beginning at `start`.
    ///
    /// - Parameter limit: the maximum time for reading.
    /// - Returns: whether more entries might follow, as they might if the page is full or the time is up.
    /// - Throws: `AMQPError` if the log cannot be read.
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
                guard page.add(delivery) else { return (page, true) }
            }
            if page.isFull { return (page, true) }
            consumer.acknowledge(deliveries)
        }
        return (page, true)
    }

    /// Appends the entry that ends a page. The default exchange routes it only to the log.
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
