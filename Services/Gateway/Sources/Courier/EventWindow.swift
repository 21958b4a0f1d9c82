internal import AMQPClient
internal import DequeModule

/// The events of a stream that were sent and not yet acknowledged to the broker, since the client may request them again.
///
/// An event leaves the window when it is old enough, or when the window is more than half full. The caller makes sure that
/// the client's host has received it.
struct EventWindow: Sendable {
    private struct Sent {
        var delivery: AMQPDelivery
        var at: ContinuousClock.Instant
    }

    /// The maximum number of unacknowledged deliveries of a stream.
    static let prefetch: UInt16 = 32
    /// The number of events that are kept even if more follow.
    private static let kept = Int(prefetch) / 2

    private let life: Duration
    private var sent: Deque<Sent> = []

    /// A window that keeps events for `life`.
    init(life: Duration) { self.life = life }

    /// The number of its events.
    var count: Int { sent.count }

    /// Whether it is so full that the broker may soon stop sending.
    var isCrowded: Bool { sent.count > Self.kept }

    /// Adds an event that was sent.
    mutating func add(_ delivery: AMQPDelivery, at now: ContinuousClock.Instant) {
        sent.append(Sent(delivery: delivery, at: now))
    }

    /// Whether it holds the same event, which the broker has delivered again after a lost connection. The event need not be
    /// sent again; the newer delivery is the one to acknowledge.
    mutating func renew(_ delivery: AMQPDelivery) -> Bool {
        guard delivery.isRedelivered, let id = delivery.properties.messageID,
            let index = sent.firstIndex(where: { $0.delivery.properties.messageID == id })
        else { return false }
        sent[index].delivery = delivery
        return true
    }

    /// Whether events are due to leave.
    func hasDue(at now: ContinuousClock.Instant) -> Bool {
        isCrowded || sent.first.map { $0.at + life <= now } ?? false
    }

    /// Removes and returns the events that are due to leave, oldest first.
    mutating func takeDue(at now: ContinuousClock.Instant) -> [AMQPDelivery] {
        var due: [AMQPDelivery] = []
        while hasDue(at: now), let first = sent.popFirst() { due.append(first.delivery) }
        return due
    }
}
