internal import ServiceMessages
internal import SubscriptionStorage

/// Brings the changes of one zone incarnation into their order, each once, from events that may come twice, late,
/// in pieces that overlap, or not at all.
///
/// It keeps the number up to which everything was delivered, and the one up to which that is settled: known to whoever
/// comes next. ``offer(_:ticket:)`` adds what arrives, ``run()`` tells what may be delivered now and what stands in the
/// way of the rest, ``deliver(upTo:)`` notes that it was, ``settle(upTo:)`` that it is settled, and gives back the
/// tickets (deliveries to be acknowledged) of everything that is thereby done. A ticket comes back when its whole event
/// is settled, and never before, unless ``thin()`` leaves the event to the log.
///
/// A change that was delivered may be missing from a database that was restored or promoted, and its number is given
/// again. What comes with a number up to ``delivered`` and is younger than everything delivered is therefore no repeat: it
/// is kept, and ``overtaken`` says where to go back to.
struct ZoneSequencer<Ticket> {
    /// Why something that arrived cannot be delivered yet.
    enum Obstacle {
        /// What comes before it has not arrived.
        case gap
        /// It is next, but its records are only in the log.
        case unreadable
    }

    /// What may be delivered now.
    struct Run {
        /// Without a gap after what was delivered, without an overlap, in order.
        var changes: [ZoneChange] = []
        /// The number of the last of them.
        var reached: Int64
        /// What stands in the way of more; nil: nothing more is there.
        var obstacle: Obstacle?
    }

    private struct Arrival {
        var change: ZoneChange
        var ticket: Ticket?
    }

    /// Everything up to this number was delivered.
    private(set) var delivered: Int64 = 0
    /// Everything up to this number is settled; never more than ``delivered``.
    private(set) var settled: Int64 = 0
    /// When the latest of what was delivered was made, milliseconds since 1970; 0: not known.
    private(set) var deliveredAt: Int64 = 0
    /// What is not wholly settled, without a ticket: not wholly delivered, by its first number.
    private var arrivals: [Arrival] = []
    /// How many tickets are held of what cannot be delivered yet.
    var ticketCount: Int { arrivals.count(where: isHeld) }

    /// Whether nothing waits.
    var isIdle: Bool { arrivals.isEmpty }

    /// The first number of what came under numbers that were delivered for other changes before; nil: none did.
    var overtaken: Int64? { arrivals.lazy.filter(isOvertaken).map(\.change.fromSeq).min() }

    /// Adds a change. One with a ticket is kept until it is settled, even if it is known already; one without came from
    /// the log.
    mutating func offer(_ change: ZoneChange, ticket: Ticket? = nil) {
        if ticket == nil {
            // The log may be read again before what it had was delivered.
            let isKnown = arrivals.contains {
                $0.ticket == nil && $0.change.fromSeq == change.fromSeq && $0.change.toSeq == change.toSeq
            }
            guard change.toSeq > delivered, !isKnown else { return }
        }
        // Nearly always the last.
        let place = arrivals.lastIndex { $0.change.fromSeq <= change.fromSeq }.map { $0 + 1 } ?? 0
        arrivals.insert(Arrival(change: change, ticket: ticket), at: place)
    }

    /// What may be delivered now.
    func run() -> Run {
        var run = Run(reached: delivered)
        var start = 0
        while let change = next(after: run.reached, from: &start) {
            run.changes.append(change.after(run.reached))
            run.reached = change.toSeq
        }
        for arrival in arrivals[start...] where arrival.change.toSeq > run.reached {
            // The first by its number decides.
            run.obstacle = arrival.change.fromSeq <= run.reached + 1 ? .unreadable : .gap
            break
        }
        return run
    }

    /// Notes that everything up to `seq` was delivered, the latest of it made at `time`; never goes back. Changes that came
    /// from the log are released: page after page may be delivered before they are settled, and the log has them again
    /// should they be repeated.
    mutating func deliver(upTo seq: Int64, at time: Int64 = 0) {
        delivered = max(delivered, seq)
        deliveredAt = max(deliveredAt, time)
        arrivals.removeAll { $0.ticket == nil && $0.change.toSeq <= delivered }
    }

    /// Notes that everything up to `seq` was delivered and is settled; never goes back.
    ///
    /// - Returns: the tickets of what is done.
    mutating func settle(upTo seq: Int64) -> [Ticket] {
        settled = max(settled, seq)
        deliver(upTo: settled)
        var rest: [Arrival] = []
        var tickets: [Ticket] = []
        for arrival in arrivals {
            if arrival.change.toSeq > settled || isOvertaken(arrival) {
                rest.append(arrival)
            } else if let ticket = arrival.ticket {
                tickets.append(ticket)
            }
        }
        arrivals = rest
        return tickets
    }

    /// Continues from where the cursor stands, which may also lie behind what was delivered: then that is repeated.
    ///
    /// - Parameter time: when the latest change up to the cursor was made; 0: not known.
    /// - Returns: the tickets of what is done.
    mutating func place(at seq: Int64, at time: Int64 = 0) -> [Ticket] {
        (delivered, settled, deliveredAt) = (seq, seq, time)
        return settle(upTo: seq)
    }

    /// Of what came with a ticket and cannot be delivered yet keeps only what reaches farthest; the log has the others.
    /// To be called when nothing more may be delivered.
    ///
    /// - Returns: the tickets of what it let go.
    mutating func thin() -> [Ticket] {
        let held = arrivals.indices.filter { isHeld(arrivals[$0]) }
        guard let last = held.max(by: { arrivals[$0].change.toSeq < arrivals[$1].change.toSeq }) else { return [] }
        let rest = held.filter { $0 != last }
        let tickets = rest.compactMap { arrivals[$0].ticket }
        for index in rest.reversed() { arrivals.remove(at: index) }
        return tickets
    }

    private func isOvertaken(_ arrival: Arrival) -> Bool {
        arrival.ticket != nil && arrival.change.fromSeq <= delivered && deliveredAt > 0
            && arrival.change.event.at > deliveredAt
    }

    private func isHeld(_ arrival: Arrival) -> Bool {
        arrival.ticket != nil && arrival.change.toSeq > delivered && !isOvertaken(arrival)
    }

    /// The change that goes on after `seq`: rather one that is a transaction than one that merges several, and rather
    /// the shorter. `start` moves past what lies behind.
    private func next(after seq: Int64, from start: inout Int) -> ZoneChange? {
        while start < arrivals.count, arrivals[start].change.toSeq <= seq { start += 1 }
        var best: ZoneChange?
        for arrival in arrivals[start...] {
            let change = arrival.change
            guard change.fromSeq <= seq + 1 else { break }
            guard change.toSeq > seq, change.records != nil else { continue }
            guard let other = best else {
                best = change
                continue
            }
            if change.event.isMerged != other.event.isMerged {
                if other.event.isMerged { best = change }
            } else if change.toSeq < other.toSeq {
                best = change
            }
        }
        return best
    }
}
