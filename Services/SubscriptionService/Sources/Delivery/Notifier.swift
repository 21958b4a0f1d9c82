internal import AMQPClient
internal import RequestServing
internal import ServiceMessages
internal import ServiceRuntime

/// Matches changes with the subscriptions and publishes what they give.
struct Notifier: Sendable {
    /// Past either of these, what was made is published and confirmed before more is made.
    private static let maxMessages = 1000
    private static let maxBytes = 8 << 20

    let table: WatcherTable
    let publisher: NotificationPublisher
    let trouble: DatabaseTrouble
    let metrics: ServiceMetrics

    /// Publishes one `zone.…` message for each change and one `user.…` message for each subscription that fires for it,
    /// in the order of the changes, and returns when all are confirmed. One round trip to the database.
    ///
    /// - Throws: ``Withheld`` when the service is ending; `INTERNAL_ERROR` for a mistake of ours.
    func notify(_ changes: [ZoneChange]) async throws {
        // A zone subscription is one of the private database.
        let zones = Set(changes.map(\.event.address).filter { $0.scope == "private" })
        let watchers = try await trouble.outlast(deadline: nil) { try await table.watchers(of: Array(zones)) }
        var batch = Batch()
        for change in changes {
            let notification = ZoneNotification(change)
            batch.append(notification.message())
            batch.zones += 1
            for watcher in watchers[change.event.address] ?? [] where watcher.fires(for: change.event.xid) {
                batch.append(notification.message(for: watcher))
                batch.users += 1
                if batch.isFull { try await flush(&batch) }
            }
            if batch.isFull { try await flush(&batch) }
        }
        try await flush(&batch)
    }

    private struct Batch {
        var messages: [AMQPMessage] = []
        var bytes = 0
        var zones = 0
        var users = 0

        var isFull: Bool { messages.count >= maxMessages || bytes >= maxBytes }

        mutating func append(_ message: AMQPMessage) {
            messages.append(message)
            bytes += message.body.count
        }
    }

    private func flush(_ batch: inout Batch) async throws(Withheld) {
        try await publisher.publish(batch.messages)
        metrics.count(SubscriptionMetrics.notifications("zone"), by: batch.zones)
        metrics.count(SubscriptionMetrics.notifications("user"), by: batch.users)
        batch = Batch()
    }
}
