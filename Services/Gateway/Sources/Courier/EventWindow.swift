internal import AMQPClient
internal import DequeModule

/// The events of a stream that were sent and may still be asked for again, and so are not acknowledged to the broker.
///
/// An event leaves the window when it is old enough, or when the window is more than half full; in either case not
/// before the client's host has received it, of which the window knows nothing.
struct EventWindow: Sendable {
    private struct Sent {
        var delivery: AMQPDelivery
        var at: ContinuousClock.Instant
    }

    /// How many deliveries a stream is given ahead of their acknowledgement.
    static let prefetch: UInt16 = 32
    /// How many events are kept, however many follow them.
    private static let kept = Int(prefetch) / 2

    private let life: Duration
    private var sent: Deque<Sent> = []

    /// A window in which events stay for `life`.
    init(life: Duration) { self.life = life }

    /// How many events it holds.
    var count: Int { sent.count }

    /// Whether it is so full that the broker may soon send nothing more.
    var isCrowded: Bool { sent.count > Self.kept }

    /// Adds what was sent.
    mutating func add(_ delivery: AMQPDelivery, at now: ContinuousClock.Instant) {
        sent.append(Sent(delivery: delivery, at: now))
    }

    /// Whether it holds the same event, delivered again since the connection to the broker was lost: it needs not be sent,
    /// and is acknowledged as it came last.
    mutating func renew(_ delivery: AMQPDelivery) -> Bool {
        guard delivery.isRedelivered, let id = delivery.properties.messageID,
            let index = sent.firstIndex(where: { $0.delivery.properties.messageID == id })
        else { return false }
        sent[index].delivery = delivery
        return true
    }

    /// Whether events are to leave.
    func hasDue(at now: ContinuousClock.Instant) -> Bool {
        isCrowded || sent.first.map { $0.at + life <= now } ?? false
    }

    /// Takes out what is to leave, oldest first.
    mutating func takeDue(at now: ContinuousClock.Instant) -> [AMQPDelivery] {
        var due: [AMQPDelivery] = []
        while hasDue(at: now), let first = sent.popFirst() { due.append(first.delivery) }
        return due
    }
}
