internal import AMQPClient
internal import RequestServing
internal import ServiceMessages

/// Matches changes with the subscriptions and publishes what they give.
struct Notifier: Sendable {
    /// Past either of these, what was made is published and confirmed before more is made.
    private static let maxMessages = 1000
    private static let maxBytes = 8 << 20

    let table: WatcherTable
    let publisher: NotificationPublisher
    let trouble: DatabaseTrouble

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
            batch.append(notification.message(), .zone, change)
            for watcher in watchers[change.event.address] ?? [] where watcher.fires(for: change.event.xid) {
                batch.append(notification.message(for: watcher), .user, change)
                if batch.isFull { try await flush(&batch) }
            }
            if batch.isFull { try await flush(&batch) }
        }
        try await flush(&batch)
    }

    private struct Batch {
        var messages: [NotificationMessage] = []
        var bytes = 0

        var isFull: Bool { messages.count >= maxMessages || bytes >= maxBytes }

        mutating func append(_ message: AMQPMessage, _ kind: NotificationMessage.Kind, _ change: ZoneChange) {
            messages.append(NotificationMessage(message: message, incarnation: change.incarnation, kind: kind))
            bytes += message.body.count
        }
    }

    private func flush(_ batch: inout Batch) async throws(Withheld) {
        try await publisher.publish(batch.messages)
        batch = Batch()
    }
}
