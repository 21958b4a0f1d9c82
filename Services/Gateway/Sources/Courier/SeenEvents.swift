internal import AMQPClient

/// The events that a reconnecting client has received: those that this gateway sent, up to the client's
/// `Last-Event-ID`.
///
/// The broker delivers the unacknowledged events of a broken stream again. Events that the client has received are
/// skipped. All others are sent, including events that another stream or another gateway took from the queue but did
/// not deliver.
struct SeenEvents: Sendable {
    private let ids: Set<String>

    /// Creates the set of the events with these ids.
    init(_ ids: Set<String> = []) { self.ids = ids }

    /// Divides deliveries into those that the client has received, which must be acknowledged, and those to send.
    func sort(_ deliveries: [AMQPDelivery]) -> (seen: [AMQPDelivery], unseen: [AMQPDelivery]) {
        guard !ids.isEmpty else { return ([], deliveries) }
        return (deliveries.filter(contains), deliveries.filter { !contains($0) })
    }

    private func contains(_ delivery: AMQPDelivery) -> Bool {
        delivery.isRedelivered && delivery.properties.messageID.map(ids.contains) ?? false
    }
}
