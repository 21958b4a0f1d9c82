import ServiceMessages

/// The expected and received notifications of one saved subscription.
///
/// Two times determine the expected notifications. The subscription must not fire for changes that were acknowledged before
/// it was sent, must fire for changes that were sent after it was acknowledged, and may fire for those in between. As writers
/// make their changes in order, a time corresponds to a change number of each writer.
struct MatchLedger: Sendable {
    /// The content of a message.
    struct Message: Sendable {
        /// Its id.
        var id: String
        /// The zone's incarnation.
        var incarnation: String
        /// The number of the last change.
        var toSeq: Int64
        /// The load's changes in it, with their known states; nil for a change that no writer makes.
        var changes: [(change: MatchChange, facts: MatchFacts, fate: WriterProgress.Fate)?]
    }

    /// The state of one zone incarnation.
    private struct Stream {
        var ids = HeardIDs(limit: 500)
        var last: Int64 = 0
    }

    /// The verdict on a change in a message.
    private enum Verdict { case news, again, foreign, other }

    /// The subscription.
    let subscription: MatchedSubscription
    /// By writer, the number below which changes were acknowledged before it was sent; nil if it was not sent.
    private var before: [Int]?
    /// By writer, the number from which changes were sent after it was acknowledged; nil if it was not acknowledged.
    private var after: [Int]?
    /// Acknowledged changes without a notification, with the time of the answer, if it is known.
    private var awaiting: [MatchChange: ContinuousClock.Instant?] = [:]
    /// Changes whose notification arrived before the answer.
    private var early: Set<MatchChange> = []
    private var streams: [String: Stream] = [:]
    /// The message and its change, if the subscription fires once and has fired.
    private var fired: (id: String, change: MatchChange)?
    /// The first expected change of each writer, if the subscription fires once.
    private var firsts: [Int: Int] = [:]
    private var counted = MatchFindings()

    /// Creates the ledger of a subscription that is not saved yet.
    init(_ subscription: MatchedSubscription) { self.subscription = subscription }

    private var isOnce: Bool { subscription.kind == .once }

    /// Whether it was certainly saved.
    var isSaved: Bool { after != nil }

    /// Whether it has fired, for subscriptions that fire once.
    var hasFired: Bool { fired != nil }

    /// The number of changes whose notifications are missing.
    var awaited: Int { isOnce ? (firsts.isEmpty || fired != nil ? 0 : 1) : awaiting.count }

    /// The findings so far.
    var findings: MatchFindings {
        var findings = counted
        guard isOnce else {
            findings.lost = awaiting.count
            return findings
        }
        findings.expected = firsts.isEmpty ? 0 : 1
        findings.received = fired == nil ? 0 : 1
        // A writer's changes are of one zone, whose changes are notified in order.
        let isSkipped = fired.map { fired in firsts[fired.change.writer].map { $0 < fired.change.number } ?? false }
        findings.lost = isSkipped ?? !firsts.isEmpty ? 1 : 0
        return findings
    }

    /// Records that the subscription is about to be sent, after the changes below `numbers`, by writer, were acknowledged.
    /// If no answer follows, it is unknown whether it was saved: it may fire, but no notification is expected.
    mutating func isSending(after numbers: [Int]) { before = before ?? numbers }

    /// Records that it was acknowledged before the changes from `numbers` on, by writer, are sent.
    mutating func isAnswered(before numbers: [Int]) { after = numbers }

    /// Records that it was refused, so that it must not fire.
    mutating func isRefused() { before = nil }

    /// Records that a change was made.
    ///
    /// - Parameter now: the time of the answer; nil if the outcome was looked up.
    /// - Returns: its latency if its notification arrived before: zero.
    mutating func done(
        _ change: MatchChange, _ facts: MatchFacts, at now: ContinuousClock.Instant?
    ) -> Duration? {
        guard subscription.matches(facts) else { return nil }
        let wasEarly = early.remove(change) != nil
        guard let after, change.number >= after[change.writer] else { return nil }
        guard !isOnce else {
            firsts[change.writer] = min(firsts[change.writer] ?? .max, change.number)
            return nil
        }
        counted.expected += 1
        if wasEarly { return now == nil ? nil : .zero }
        awaiting[change] = .some(now)
        return nil
    }

    /// Records that a change with an unknown outcome was not made.
    mutating func undone(_ change: MatchChange) {
        guard early.remove(change) != nil else { return }
        counted.foreign += 1
        counted.received -= 1
    }

    /// Records a message.
    ///
    /// - Returns: the time from answer to message, of each change that was answered before.
    mutating func hear(_ message: Message, at now: ContinuousClock.Instant) -> [Duration] {
        var stream = streams[message.incarnation] ?? Stream()
        let isKnown = stream.ids.note(message.id, upTo: message.toSeq)
        let isLate = message.toSeq <= stream.last
        stream.last = max(stream.last, message.toSeq)
        streams[message.incarnation] = stream
        if isKnown {
            counted.repeats += 1
            return []
        }
        if isOnce { return hearOnce(message, isLate: isLate) }
        // A message of a zone or database contains a whole transaction, in which only some records may have the watched type.
        let hasMatch = message.changes.contains { $0.map { subscription.matches($0.facts) } ?? false }
        var latencies: [Duration] = []
        var verdicts: [Verdict] = []
        for entry in message.changes {
            guard let (change, facts, fate) = entry else {
                verdicts.append(.other)
                continue
            }
            let (judged, latency) = judge(change, facts, fate, at: now)
            var verdict = judged
            if verdict == .foreign, !subscription.isQuery, hasMatch, fate != .unsent, subscription.watches(facts.place),
                !subscription.matches(facts)
            {
                verdict = .other
            }
            verdicts.append(verdict)
            if let latency { latencies.append(latency) }
        }
        counted.received += verdicts.count { $0 == .news }
        counted.foreign += verdicts.count { $0 == .foreign }
        let hasNews = verdicts.contains(.news)
        let again = verdicts.count { $0 == .again }
        if isLate, hasNews { counted.disordered += 1 }
        if again > 0 {
            // A message of a zone or database may repeat the changes of the previous one and add others, as its change
            // numbers show. A message of a query is about one change and has one id.
            if subscription.isQuery { counted.unknownRepeats += again } else { counted.repeats += 1 }
        }
        return latencies
    }

    private mutating func hearOnce(_ message: Message, isLate: Bool) -> [Duration] {
        for case let (change, facts, fate)? in message.changes {
            guard mayTell(change, facts, fate) else {
                counted.foreign += 1
                continue
            }
            if fired == nil { fired = (message.id, change) } else { counted.firedOnceTwice += 1 }
        }
        return []
    }

    private mutating func judge(
        _ change: MatchChange, _ facts: MatchFacts, _ fate: WriterProgress.Fate, at now: ContinuousClock.Instant
    ) -> (Verdict, Duration?) {
        if let since = awaiting.removeValue(forKey: change) { return (.news, since.map { $0.duration(to: now) }) }
        guard mayTell(change, facts, fate) else { return (.foreign, nil) }
        switch fate {
        case .underWay, .unknown: return (early.insert(change).inserted ? .news : .again, nil)
        case .done, .unsent:
            // It was notified before, unless no notification was expected, about which nothing is stored.
            let hadTo = after.map { change.number >= $0[change.writer] } ?? false
            return (hadTo ? .again : .news, nil)
        }
    }

    /// Whether the change matches, was or may have been made, and does not precede the subscription.
    private func mayTell(_ change: MatchChange, _ facts: MatchFacts, _ fate: WriterProgress.Fate) -> Bool {
        guard fate != .unsent, subscription.matches(facts), let before else { return false }
        return change.number >= before[change.writer]
    }
}
