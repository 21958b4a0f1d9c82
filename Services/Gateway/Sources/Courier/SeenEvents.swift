internal import AMQPClient

/// What a client that comes back has seen: events that this gateway sent it, up to the last that it names.
///
/// Of a stream that broke, the events that were not acknowledged are delivered again. Those that the client has seen are
/// passed over; all others are sent, so that nothing is lost that another stream or another gateway had been given and
/// nobody received.
struct SeenEvents: Sendable {
    private let ids: Set<String>

    /// Those with these ids.
    init(_ ids: Set<String> = []) { self.ids = ids }

    /// Sorts what was delivered: into what was seen, to be acknowledged, and what is to be sent.
    func sort(_ deliveries: [AMQPDelivery]) -> (seen: [AMQPDelivery], unseen: [AMQPDelivery]) {
        guard !ids.isEmpty else { return ([], deliveries) }
        return (deliveries.filter(contains), deliveries.filter { !contains($0) })
    }

    private func contains(_ delivery: AMQPDelivery) -> Bool {
        delivery.isRedelivered && delivery.properties.messageID.map(ids.contains) ?? false
    }
}
