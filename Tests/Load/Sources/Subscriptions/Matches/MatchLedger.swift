import ServiceMessages

/// What one saved subscription should tell, and what it told.
///
/// What has to be told follows from two moments. Changes that were answered before the subscription was sent must not be
/// told; changes that were sent after it was answered must be; those in between may be. Writers make their changes in
/// order, so for each of them a moment is a number.
struct MatchLedger: Sendable {
    /// What a message says.
    struct Message: Sendable {
        /// Its id.
        var id: String
        /// The zone's incarnation.
        var incarnation: String
        /// The number of the last change.
        var toSeq: Int64
        /// The load's changes in it, each with what is known of it; nil: one that no writer makes.
        var changes: [(change: MatchChange, facts: MatchFacts, fate: WriterProgress.Fate)?]
    }

    /// What came of one zone incarnation.
    private struct Stream {
        var ids = HeardIDs(limit: 500)
        var last: Int64 = 0
    }

    /// How one change of a message is judged.
    private enum Verdict { case news, again, foreign, other }

    /// The subscription.
    let subscription: MatchedSubscription
    /// By writer: changes below were answered before it was sent; nil: it was not sent.
    private var before: [Int]?
    /// By writer: changes from here on were sent after it was answered; nil: that has not happened.
    private var after: [Int]?
    /// Answered, and not told; with the answer's moment, if it is known.
    private var awaiting: [MatchChange: ContinuousClock.Instant?] = [:]
    /// Told before the answer.
    private var early: Set<MatchChange> = []
    private var streams: [String: Stream] = [:]
    /// The message that fired, if the subscription fires once, and its change.
    private var fired: (id: String, change: MatchChange)?
    /// The first change that had to be told of each writer, if the subscription fires once.
    private var firsts: [Int: Int] = [:]
    private var counted = MatchFindings()

    /// A subscription that is not saved yet.
    init(_ subscription: MatchedSubscription) { self.subscription = subscription }

    private var isOnce: Bool { subscription.kind == .once }

    /// Whether it was saved, for certain.
    var isSaved: Bool { after != nil }

    /// Whether it told something; asked of those that fire once.
    var hasFired: Bool { fired != nil }

    /// How many changes have to be told still.
    var awaited: Int { isOnce ? (firsts.isEmpty || fired != nil ? 0 : 1) : awaiting.count }

    /// What was found so far.
    var findings: MatchFindings {
        var findings = counted
        guard isOnce else {
            findings.lost = awaiting.count
            return findings
        }
        findings.expected = firsts.isEmpty ? 0 : 1
        findings.received = fired == nil ? 0 : 1
        // A writer's changes are of one zone, and a zone's changes are told in order.
        let isSkipped = fired.map { fired in firsts[fired.change.writer].map { $0 < fired.change.number } ?? false }
        findings.lost = isSkipped ?? !firsts.isEmpty ? 1 : 0
        return findings
    }

    /// The subscription is about to be sent; `numbers` of changes, by writer, have been answered. Where no answer follows,
    /// nobody knows whether it was saved: changes may be told, and none has to be.
    mutating func isSending(after numbers: [Int]) { before = before ?? numbers }

    /// It was answered; changes from `numbers` on, by writer, are sent from now on.
    mutating func isAnswered(before numbers: [Int]) { after = numbers }

    /// It was refused: nothing may be told.
    mutating func isRefused() { before = nil }

    /// A change was done.
    ///
    /// - Parameter now: when it was answered; nil when its outcome was looked up.
    /// - Returns: its latency when it was told before: none.
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

    /// A change whose outcome was not known was not done.
    mutating func undone(_ change: MatchChange) {
        guard early.remove(change) != nil else { return }
        counted.foreign += 1
        counted.received -= 1
    }

    /// A message came.
    ///
    /// - Returns: the time from answer to message, of each change whose answer was there.
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
        // A zone's or database's message tells a whole transaction, of which one record's type may be what is watched.
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
            // A zone's or database's message may tell more than the one before and that again: its numbers say so. A
            // query's is about one change, and has one id for it.
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
            // Told before, unless nobody had to: of those nothing is kept.
            let hadTo = after.map { change.number >= $0[change.writer] } ?? false
            return (hadTo ? .again : .news, nil)
        }
    }

    /// Whether the change matches, happened or may yet, and not before the subscription.
    private func mayTell(_ change: MatchChange, _ facts: MatchFacts, _ fate: WriterProgress.Fate) -> Bool {
        guard fate != .unsent, subscription.matches(facts), let before else { return false }
        return change.number >= before[change.writer]
    }
}
