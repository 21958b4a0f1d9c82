internal import AMQPClient

/// What a client that comes back has seen already.
///
/// Of a stream that broke, the events that were not acknowledged come first again, marked as redelivered, in their
/// order. Those up to the client's last one are passed over; when it is not among them nothing is.
struct ResumedEvents: Sendable {
    private enum State {
        /// Redelivered events, held back until the last one that was seen is found.
        case searching(String, held: [AMQPDelivery])
        case found
    }

    private var state: State

    /// - Parameter lastEventID: the last event that the client has seen, as it says.
    init(after lastEventID: String?) {
        state = lastEventID.map { .searching($0, held: []) } ?? .found
    }

    /// Whether events are held back.
    var isSearching: Bool { if case .searching = state { true } else { false } }

    /// Sorts what was delivered, in order: into what was seen, to be acknowledged, and what is to be sent now.
    mutating func sort(_ deliveries: [AMQPDelivery]) -> (seen: [AMQPDelivery], unseen: [AMQPDelivery]) {
        guard case .searching(let id, var held) = state else { return ([], deliveries) }
        for (index, delivery) in deliveries.enumerated() {
            if delivery.isRedelivered, delivery.properties.messageID == id {
                state = .found
                return (held + [delivery], Array(deliveries[(index + 1)...]))
            }
            guard delivery.isRedelivered, held.count + 1 < Int(EventWindow.prefetch) else {
                state = .found
                return ([], held + deliveries[index...])
            }
            held.append(delivery)
        }
        state = .searching(id, held: held)
        return ([], [])
    }

    /// Ends the search: what is held back, to be sent now.
    mutating func giveUp() -> [AMQPDelivery] {
        guard case .searching(_, let held) = state else { return [] }
        state = .found
        return held
    }
}
