import CommandLineSession
import ServiceMessages

/// What one watcher of a load should hear, and what it heard.
///
/// A record is made, changed and deleted at most once each, so record and kind identify an operation. Its answer and
/// its notification come in any order.
struct HearingLedger: Sendable {
    /// One operation on one record.
    struct Operation: Hashable, Sendable {
        /// The record.
        var record: LoadNames.Record
        /// What is done.
        var kind: ChangedRecord.Kind
    }

    /// What was found wrong, and how much was heard.
    struct Findings: Equatable, Sendable {
        /// Notifications that were news.
        var notifications = 0
        /// Changes that never came: acknowledged operations, or numbers left out.
        var lost = 0
        /// Notifications of changes that had all come before.
        var repeated = 0
        /// Repeats under an id that had not come before: consumers know repeats by their ids.
        var unknownRepeats = 0
        /// Notifications that came after later ones.
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
        /// Answered at that moment, and not heard.
        case awaited(since: ContinuousClock.Instant)
        /// Heard before the answer.
        case early
    }

    /// What came of one zone incarnation.
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
    /// Operations that were answered and not heard.
    private(set) var awaited = 0

    /// A ledger of a watcher who has to hear every change of its zones, or those from the first one heard on: a saved
    /// subscription tells nothing of before its moment.
    init(fromFirstHeard: Bool = false) { self.fromFirstHeard = fromFirstHeard }

    /// What was found so far. The same loss shows as an operation not heard and as a number left out, and counts once.
    var findings: Findings {
        var findings = heard
        findings.lost = max(awaited, zones.values.reduce(0) { $0 + $1.sequence.missing })
        return findings
    }

    /// The operation was answered well.
    ///
    /// - Returns: its latency when it was heard before: none.
    mutating func acknowledge(_ operation: Operation, at now: ContinuousClock.Instant) -> Duration? {
        if states.removeValue(forKey: operation) != nil { return .zero }
        states[operation] = .awaited(since: now)
        awaited += 1
        return nil
    }

    /// A notification came; `names` tells the load's records from others.
    ///
    /// - Returns: the time from answer to notification, of each operation that has been answered.
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
