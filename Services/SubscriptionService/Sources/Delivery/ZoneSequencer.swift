internal import ServiceMessages
internal import SubscriptionStorage

/// Puts the changes of one zone incarnation in order, and yields each change once, even if events are repeated, late,
/// overlapping or lost.
///
/// All changes up to the number ``delivered`` have been delivered, and all changes up to the number ``settled`` are
/// settled: the zone's cursor has reached them, so the delivery is visible to every instance. ``offer(_:ticket:)`` adds
/// a change that has arrived. ``run()`` returns the changes that can be delivered now, and the obstacle to delivering
/// the other changes. ``deliver(upTo:at:)`` records a delivery. ``settle(upTo:)`` records that changes are settled, and
/// returns the tickets (the deliveries to acknowledge) of the events whose changes are all settled. No ticket is
/// returned earlier, except by ``keepLast()``, which leaves changes to the log.
///
/// A database that was restored or promoted might lack changes that were delivered, and then gives their numbers to new
/// changes. Therefore, a change counts as new even if its number is not above ``delivered``, provided that its time is
/// later than the times of all delivered changes. Such a change is kept, and ``firstReissued`` is the number from which
/// changes must be delivered again.
struct ZoneSequencer<Ticket> {
    /// Why a change that has arrived cannot be delivered yet.
    enum Obstacle {
        /// The change before it has not arrived.
        case gap
        /// The change is the next one, but its event contains no records. They must be read from the log.
        case unreadable
    }

    /// The changes that can be delivered now.
    struct Run {
        /// The changes in order, without gaps or overlaps, beginning after the delivered changes.
        var changes: [ZoneChange] = []
        /// The number of the last of these changes; ``delivered`` if there are none.
        var reached: Int64
        /// Why the other changes that have arrived cannot be delivered yet; nil if no other changes have arrived.
        var obstacle: Obstacle?
    }

    private struct Arrival {
        var change: ZoneChange
        var ticket: Ticket?
    }

    /// The number up to which all changes have been delivered.
    private(set) var delivered: Int64 = 0
    /// The number up to which all changes are settled; never above ``delivered``.
    private(set) var settled: Int64 = 0
    /// The time of the latest delivered change, in milliseconds since 1970; 0 if unknown.
    private(set) var deliveredAt: Int64 = 0
    /// The events that have a ticket and are not completely settled, and the events that have no ticket and are not
    /// completely delivered, in order of their first numbers.
    private var arrivals: [Arrival] = []
    /// The number of events with a ticket that are not completely delivered.
    var ticketCount: Int { arrivals.count(where: isHeld) }

    /// Whether the sequencer holds no events.
    var isIdle: Bool { arrivals.isEmpty }

    /// The lowest number that belonged to a delivered change and now belongs to a new one; nil if there is none.
    var firstReissued: Int64? { arrivals.lazy.filter(isReissued).map(\.change.fromSeq).min() }

    /// Adds a change. A change with a ticket is kept until it is settled, even if it is already known. A change without
    /// a ticket was read from the log.
    mutating func offer(_ change: ZoneChange, ticket: Ticket? = nil) {
        if ticket == nil {
            // The log can be read again before its changes have been delivered.
            let isKnown = arrivals.contains {
                $0.ticket == nil && $0.change.fromSeq == change.fromSeq && $0.change.toSeq == change.toSeq
            }
            guard change.toSeq > delivered, !isKnown else { return }
        }
        // The place is nearly always at the end.
        let place = arrivals.lastIndex { $0.change.fromSeq <= change.fromSeq }.map { $0 + 1 } ?? 0
        arrivals.insert(Arrival(change: change, ticket: ticket), at: place)
    }

    /// Returns the changes that can be delivered now.
    func run() -> Run {
        var run = Run(reached: delivered)
        var start = 0
        while let change = next(after: run.reached, from: &start) {
            run.changes.append(change.after(run.reached))
            run.reached = change.toSeq
        }
        for arrival in arrivals[start...] where arrival.change.toSeq > run.reached {
            // The change with the lowest number determines the obstacle.
            run.obstacle = arrival.change.fromSeq <= run.reached + 1 ? .unreadable : .gap
            break
        }
        return run
    }

    /// Records that all changes up to `seq` have been delivered, and that the latest of them was made at `time`. A
    /// lower number has no effect. Delivered changes from the log are discarded: many pages can be delivered before
    /// they are settled, and the changes can be read again if they must be repeated.
    mutating func deliver(upTo seq: Int64, at time: Int64 = 0) {
        delivered = max(delivered, seq)
        deliveredAt = max(deliveredAt, time)
        arrivals.removeAll { $0.ticket == nil && $0.change.toSeq <= delivered }
    }

    /// Records that all changes up to `seq` have been delivered and are settled. A lower number has no effect.
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

    /// Continues from the position of the cursor. Delivered changes after this position are delivered again.
    ///
    /// - Parameter time: the time of the latest change up to the cursor; 0 if unknown.
    /// - Returns: the tickets of the events that are now settled.
    mutating func place(at seq: Int64, at time: Int64 = 0) -> [Ticket] {
        (delivered, settled, deliveredAt) = (seq, seq, time)
        return settle(upTo: seq)
    }

    /// Discards the held events that cannot be delivered yet, except the event with the highest number. The discarded
    /// changes can be read from the log. Must not be called before all changes that ``run()`` returns have been
    /// delivered.
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

    /// Returns the change to deliver next after `seq`. An event of a single transaction is preferred to a merged event,
    /// and a shorter event to a longer event. Advances `start` beyond the leading events that end at or before `seq`.
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
