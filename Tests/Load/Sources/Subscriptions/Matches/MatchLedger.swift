import ServiceMessages

/// The expected and received notifications of one saved subscription.
///
/// Two points in time determine the expected notifications. The subscription must not fire for changes that were
/// acknowledged before it was sent. It must fire for changes that were sent after it was acknowledged. It may fire for
/// the changes in between. Because writers make their changes in order, a point in time corresponds to one change
/// number for each writer.
struct MatchLedger: Sendable {
    /// The content of a message.
    struct Message: Sendable {
        /// The id of the message.
        var id: String
        /// The zone's incarnation.
        var incarnation: String
        /// The number of the last change.
        var toSeq: Int64
        /// The changes in the message, with their known states; nil for a change that no writer makes.
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
    /// For each writer, the number below which changes were acknowledged before the subscription was sent; nil if it
    /// was not sent.
    private var before: [Int]?
    /// For each writer, the number from which changes were sent after the subscription was acknowledged; nil if it was
    /// not acknowledged.
    private var after: [Int]?
    /// The acknowledged changes whose notifications have not arrived, with the times of the answers, if known.
    private var awaiting: [MatchChange: ContinuousClock.Instant?] = [:]
    /// The changes whose notifications arrived before their answers.
    private var early: Set<MatchChange> = []
    private var streams: [String: Stream] = [:]
    /// The message and its change, if the subscription fires once and has fired.
    private var fired: (id: String, change: MatchChange)?
    /// The first expected change of each writer, if the subscription fires once.
    private var firsts: [Int: Int] = [:]
    private var counted = MatchFindings()

    /// Creates the ledger of a subscription that has not been saved yet.
    init(_ subscription: MatchedSubscription) { self.subscription = subscription }

    private var isOnce: Bool { subscription.kind == .once }

    /// Whether the subscription was certainly saved.
    var isSaved: Bool { after != nil }

    /// For a subscription that fires once: whether it has fired.
    var hasFired: Bool { fired != nil }

    /// The number of changes whose notifications have not arrived.
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
        // All changes of a writer are in one zone, and the changes of a zone are notified in order.
        let isSkipped = fired.map { fired in firsts[fired.change.writer].map { $0 < fired.change.number } ?? false }
        findings.lost = isSkipped ?? !firsts.isEmpty ? 1 : 0
        return findings
    }

    /// Records that the subscription is about to be sent. The changes of each writer below its number in `numbers` have
    /// been acknowledged. If no answer follows, it is unknown whether the subscription was saved; it may fire, but no
    /// notification is expected.
    mutating func isSending(after numbers: [Int]) { before = before ?? numbers }

    /// Records that the subscription was acknowledged. The changes of each writer from its number in `numbers` on have
    /// not been sent.
    mutating func isAnswered(before numbers: [Int]) { after = numbers }

    /// Records that the subscription was refused. It must not fire.
    mutating func isRefused() { before = nil }

    /// Records that a change was made.
    ///
    /// - Parameter now: the time of the answer; nil if the outcome was looked up.
    /// - Returns: the latency of the change, which is zero, if its notification has already arrived; otherwise nil.
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
    /// - Returns: the time from the answer to the message, for each change that has already been answered.
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
        // A message of a zone or database subscription contains a whole transaction. Only some of its records may have
        // the watched type.
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
            // A message of a zone or database subscription may repeat the changes of the previous message and add
            // others; its change numbers show this. A message of a query subscription is about one change, and its
            // repeats have the same id.
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
            // The change has been notified before, unless no notification was expected. Nothing is stored about such
            // changes.
            let hadTo = after.map { change.number >= $0[change.writer] } ?? false
            return (hadTo ? .again : .news, nil)
        }
    }

    /// Returns whether the change matches, was made or may have been made, and does not precede the subscription.
    private func mayTell(_ change: MatchChange, _ facts: MatchFacts, _ fate: WriterProgress.Fate) -> Bool {
        guard fate != .unsent, subscription.matches(facts), let before else { return false }
        return change.number >= before[change.writer]
    }
}
