import CommandLineSession
import ServiceMessages

/// The expected and received notifications of one watcher of a load.
///
/// A record is created, updated and deleted at most once each, so an operation is identified by its record and kind.
/// The answer to an operation and its notification may arrive in either order.
struct HearingLedger: Sendable {
    /// One operation on one record.
    struct Operation: Hashable, Sendable {
        /// The record.
        var record: LoadNames.Record
        /// The kind of operation.
        var kind: ChangedRecord.Kind
    }

    /// The errors that were found, and the number of notifications.
    struct Findings: Equatable, Sendable {
        /// The number of new notifications.
        var notifications = 0
        /// The number of changes without a notification, which are detected as acknowledged operations or as missing
        /// change numbers.
        var lost = 0
        /// The number of notifications whose changes were all known.
        var repeated = 0
        /// The number of repeats with a new id. Consumers detect repeats by their ids.
        var unknownRepeats = 0
        /// The number of notifications that arrived after later ones.
        var outOfOrder = 0

        static func += (left: inout Findings, right: Findings) {
            left.notifications += right.notifications
            left.lost += right.lost
            left.repeated += right.repeated
            left.unknownRepeats += right.unknownRepeats
            left.outOfOrder += right.outOfOrder
        }
    }

    private enum State {
        /// The operation was answered at this time, and its notification has not arrived.
        case awaited(since: ContinuousClock.Instant)
        /// The notification arrived before the answer.
        case early
    }

    /// The state of one zone incarnation.
    private struct Zone {
        var sequence: SequenceCheck
        var ids = HeardIDs()

        mutating func note(_ id: String, _ range: ClosedRange<Int64>) -> (SequenceCheck.Verdict, isKnown: Bool) {
            (sequence.note(range), ids.note(id, upTo: range.upperBound))
        }
    }

    private let fromFirstHeard: Bool
    private var states: [Operation: State] = [:]
    private var zones: [String: Zone] = [:]
    private var heard = Findings()
    /// The number of answered operations whose notifications have not arrived.
    private(set) var awaited = 0

    /// Creates the ledger of a watcher that must be notified of every change of its zones. With `fromFirstHeard`, it
    /// must be notified of every change after the first notification, because a saved subscription does not fire for
    /// earlier changes.
    init(fromFirstHeard: Bool = false) { self.fromFirstHeard = fromFirstHeard }

    /// The findings so far. A lost change that is missing both as an operation and as a number counts once.
    var findings: Findings {
        var findings = heard
        findings.lost = max(awaited, zones.values.reduce(0) { $0 + $1.sequence.missing })
        return findings
    }

    /// Records an acknowledged operation.
    ///
    /// - Returns: the operation's latency, which is zero, if its notification has already arrived; otherwise nil.
    mutating func acknowledge(_ operation: Operation, at now: ContinuousClock.Instant) -> Duration? {
        if states.removeValue(forKey: operation) != nil { return .zero }
        states[operation] = .awaited(since: now)
        awaited += 1
        return nil
    }

    /// Records a notification. `names` identifies the load's records.
    ///
    /// - Returns: the time from the answer to the notification, for each operation that has already been answered.
    mutating func hear(
        _ notification: ZoneNotification, names: LoadNames, at now: ContinuousClock.Instant
    ) -> [Duration] {
        let range = notification.fromSeq...notification.toSeq
        let newZone = Zone(sequence: SequenceCheck(fromFirstHeard: fromFirstHeard))
        let (verdict, isKnown) = zones[notification.incarnation, default: newZone].note(notification.id, range)
        switch verdict {
        case .repeated:
            heard.repeated += 1
            if !isKnown { heard.unknownRepeats += 1 }
            return []
        case .outOfOrder: heard.outOfOrder += 1
        case .news: break
        }
        heard.notifications += 1
        return (notification.records ?? []).compactMap { change in
            guard let record = names.record(named: change.recordName) else { return nil }
            let operation = Operation(record: record, kind: change.kind)
            guard case .awaited(let since) = states.removeValue(forKey: operation) else {
                states[operation] = .early
                return nil
            }
            awaited -= 1
            return since.duration(to: now)
        }
    }
}
