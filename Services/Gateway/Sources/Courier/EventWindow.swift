internal import AMQPClient
internal import DequeModule

/// The events that a stream has sent but not yet acknowledged to the broker, because the client might request them
/// again.
///
/// An event is due to be removed when it has reached a certain age, or when the window is more than half full. Before
/// the caller removes an event, it must ensure that the client's host has received the event.
struct EventWindow: Sendable {
    private struct Sent {
        var delivery: AMQPDelivery
        var at: ContinuousClock.Instant
    }

    /// The maximum number of unacknowledged deliveries in a stream.
    static let prefetch: UInt16 = 32
    /// The number of events that are kept even if more follow.
    private static let kept = Int(prefetch) / 2

    private let life: Duration
    private var sent: Deque<Sent> = []

    /// Creates a window that keeps events for `life`.
    init(life: Duration) { self.life = life }

    /// The number of events in the window.
    var count: Int { sent.count }

    /// Whether the window is so full that the broker might soon stop sending.
    var isCrowded: Bool { sent.count > Self.kept }

    /// Adds an event that was sent.
    mutating func add(_ delivery: AMQPDelivery, at now: ContinuousClock.Instant) {
        sent.append(Sent(delivery: delivery, at: now))
    }

    /// Replaces an event's delivery if the broker has redelivered the event after the connection was lost. The newer
    /// delivery is the one to acknowledge. Returns false if the window does not contain the event, which then has to be
    /// sent.
    mutating func renew(_ delivery: AMQPDelivery) -> Bool {
        guard delivery.isRedelivered, let id = delivery.properties.messageID,
            let index = sent.firstIndex(where: { $0.delivery.properties.messageID == id })
        else { return false }
        sent[index].delivery = delivery
        return true
    }

    /// Returns whether any events are due to be removed.
    func hasDue(at now: ContinuousClock.Instant) -> Bool {
        isCrowded || sent.first.map { $0.at + life <= now } ?? false
    }

    /// Removes and returns the events that are due to be removed, oldest first.
    mutating func takeDue(at now: ContinuousClock.Instant) -> [AMQPDelivery] {
        var due: [AMQPDelivery] = []
        while hasDue(at: now), let first = sent.popFirst() { due.append(first.delivery) }
        return due
    }
}
