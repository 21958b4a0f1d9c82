internal import ServiceMessages
internal import SubscriptionStorage

/// Puts the changes of one zone incarnation in order, each once, from events that may be repeated, late, overlapping or
/// lost.
///
/// It holds the number up to which all changes were delivered, and the number up to which they are settled: their
/// cursor has moved, so that every instance knows. ``offer(_:ticket:)`` adds a change that arrives, and ``run()``
/// returns the changes that may be delivered now and the obstacle to the others. ``deliver(upTo:at:)`` records a
/// delivery. ``settle(upTo:)`` records that it is settled, and returns the tickets (the deliveries to acknowledge) of
/// the events that are settled as a whole. No ticket is returned before, except by ``keepLast()``, which leaves changes
/// to the log.
///
/// A database that was restored or promoted may lack changes that were delivered, and gives their numbers to new
/// changes. So a change whose number is not above ``delivered``, but which is later than all delivered changes, is not
/// a repeat: it is kept, and ``firstReissued`` is the number from which changes are delivered again.
struct ZoneSequencer<Ticket> {
    /// Why a change that has arrived cannot be delivered yet.
    enum Obstacle {
        /// The change before it has not arrived.
        case gap
        /// It is the next one, but only the log has its records.
        case unreadable
    }

    /// The changes that may be delivered now.
    struct Run {
        /// The changes in order, without gaps or overlaps, beginning after the delivered ones.
        var changes: [ZoneChange] = []
        /// The number of the last of them; ``delivered`` if there are none.
        var reached: Int64
        /// Why no more may be delivered; nil if no more have arrived.
        var obstacle: Obstacle?
    }

    private struct Arrival {
        var change: ZoneChange
        var ticket: Ticket?
    }

    /// All changes up to this number were delivered.
    private(set) var delivered: Int64 = 0
    /// All changes up to this number are settled; never above ``delivered``.
    private(set) var settled: Int64 = 0
    /// The time of the latest delivered change, in milliseconds since 1970; 0 if unknown.
    private(set) var deliveredAt: Int64 = 0
    /// The events that are not settled as a whole, or not delivered if they have no ticket, by their first number.
    private var arrivals: [Arrival] = []
    /// The number of events that are held with a ticket and cannot be delivered yet.
    var ticketCount: Int { arrivals.count(where: isHeld) }

    /// Whether no event waits.
    var isIdle: Bool { arrivals.isEmpty }

    /// The lowest number that was delivered before and has been given to a new change; nil if none has.
    var firstReissued: Int64? { arrivals.lazy.filter(isReissued).map(\.change.fromSeq).min() }

    /// Adds a change. A change with a ticket is kept until it is settled, even if it is known already. A change without
    /// one comes from the log.
    mutating func offer(_ change: ZoneChange, ticket: Ticket? = nil) {
        if ticket == nil {
            // The log may be read again before its changes were delivered.
            let isKnown = arrivals.contains {
                $0.ticket == nil && $0.change.fromSeq == change.fromSeq && $0.change.toSeq == change.toSeq
            }
            guard change.toSeq > delivered, !isKnown else { return }
        }
        // Nearly always at the end.
        let place = arrivals.lastIndex { $0.change.fromSeq <= change.fromSeq }.map { $0 + 1 } ?? 0
        arrivals.insert(Arrival(change: change, ticket: ticket), at: place)
    }

    /// Returns the changes that may be delivered now.
    func run() -> Run {
        var run = Run(reached: delivered)
        var start = 0
        while let change = next(after: run.reached, from: &start) {
            run.changes.append(change.after(run.reached))
            run.reached = change.toSeq
        }
        for arrival in arrivals[start...] where arrival.change.toSeq > run.reached {
            // The one with the lowest number decides.
            run.obstacle = arrival.change.fromSeq <= run.reached + 1 ? .unreadable : .gap
            break
        }
        return run
    }

    /// Records that all changes up to `seq` were delivered, the latest of them made at `time`. Never goes back. Changes
    /// from the log are discarded: many pages may be delivered before they are settled, and the log has them if they
    /// must be repeated.
    mutating func deliver(upTo seq: Int64, at time: Int64 = 0) {
        delivered = max(delivered, seq)
        deliveredAt = max(deliveredAt, time)
        arrivals.removeAll { $0.ticket == nil && $0.change.toSeq <= delivered }
    }

    /// Records that all changes up to `seq` were delivered and are settled. Never goes back.
    ///
    /// - Returns: the tickets of the events that are now settled.
    mutating func settle(upTo seq: Int64) -> [Ticket] {
        settled = max(settled, seq)
        deliver(upTo: settled)
        var rest: [Arrival] = []
        var tickets: [Ticket] = []
        for arrival in arrivals {
            if arrival.change.toSeq > settled || isReissued(arrival) {
                rest.append(arrival)
            } else if let ticket = arrival.ticket {
                tickets.append(ticket)
            }
        }
        arrivals = rest
        return tickets
    }

    /// Continues from the position of the cursor. If the position is behind the delivered changes, they are repeated.
    ///
    /// - Parameter time: the time of the latest change up to the cursor; 0 if unknown.
    /// - Returns: the tickets of the events that are now settled.
    mutating func place(at seq: Int64, at time: Int64 = 0) -> [Ticket] {
        (delivered, settled, deliveredAt) = (seq, seq, time)
        return settle(upTo: seq)
    }

    /// Discards the held events that cannot be delivered yet, except the one with the highest number. The log has the
    /// others. Call it when no more changes may be delivered.
    ///
    /// - Returns: the tickets of the discarded events.
    mutating func keepLast() -> [Ticket] {
        let held = arrivals.indices.filter { isHeld(arrivals[$0]) }
        guard let last = held.max(by: { arrivals[$0].change.toSeq < arrivals[$1].change.toSeq }) else { return [] }
        let rest = held.filter { $0 != last }
        let tickets = rest.compactMap { arrivals[$0].ticket }
        for index in rest.reversed() { arrivals.remove(at: index) }
        return tickets
    }

    private func isReissued(_ arrival: Arrival) -> Bool {
        arrival.ticket != nil && arrival.change.fromSeq <= delivered && deliveredAt > 0
            && arrival.change.event.at > deliveredAt
    }

    private func isHeld(_ arrival: Arrival) -> Bool {
        arrival.ticket != nil && arrival.change.toSeq > delivered && !isReissued(arrival)
    }

    /// The change that continues after `seq`. A single transaction is preferred to a merged event, and a shorter event
    /// to a longer one. Advances `start` past the events before `seq`.
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
