import TestSupport

extension ModelRun {
    /// Finds an order of a zone's messages that explains them, and goes on from the state that it leads to.
    mutating func explain(_ exchanges: [ModelExchange], in zone: String, by observation: FeedObservation) throws {
        let before = knowledge.model.zone(zone)
        var explanation = Explanation(from: knowledge.model) {
            observation.shows($0.zone(zone), since: before)
        }
        // Who was answered first was mostly executed first.
        guard let order = explanation.find(exchanges.sorted { $0.answered < $1.answered }) else {
            throw TestFailure(
                """
                nothing explains what happened in zone \(zone).
                Before: \(before)
                Afterwards its feed shows: \(observation)
                Messages, with the moments at which they were sent and answered:
                \(exchanges.map { "  \($0)" }.joined(separator: "\n"))
                Messages were tried \(explanation.attempts) times. The best order begins with
                \(explanation.best.explained.map(\.message.id)). Then:
                \(explanation.best.trouble.map { "  \($0)" }.joined(separator: "\n"))
                """)
        }
        for exchange in order { replay(exchange) }
    }

    /// Holds a walk that went on while others wrote against the model. From where it ended, one more fetch has to have
    /// led to the present state.
    ///
    /// - Parameter isSettled: whether the zone was neither made nor deleted meanwhile.
    mutating func check(_ read: ZoneRead, isSettled: Bool, draw: Int) throws {
        let zone = knowledge.model.zone(read.start.zone)
        let isOfOldZone = read.start.incarnation.map { $0 != zone.incarnation } ?? false
        let expected: ZoneCopy.End = !zone.isThere ? .missing : isOfOldZone ? .expired : .reached
        let isExpected = read.end == expected && (expected != .reached || read.final?.end == .reached)
        guard !isSettled || isExpected else { throw TestFailure("a walk should have ended with \(expected): \(read)") }
        count("walk: \(read.end)")
        guard let final = read.final, final.end == .reached else { return }
        guard final.copy.records == zone.records else {
            throw TestFailure("a walk has missed something; there is \(zone.records): \(read)")
        }
        let copies = (read.pages + [final.copy]).map { copy in
            var copy = copy
            copy.incarnation = zone.incarnation
            return copy
        }
        knowledge.remember(copies, of: final.copy.zone, draw: draw)
    }

    /// Holds an answer to a token of another zone against the model.
    mutating func check(_ answer: ForeignRead) throws {
        // Whichever a service finds out first.
        let isMissing = !knowledge.model.zone(answer.zone).isThere
        guard answer.end == .foreign || isMissing && answer.end == .missing else {
            throw TestFailure("another zone's token at \(answer.zone): \(answer.end)")
        }
        count("foreign token")
    }

    /// Holds what a client knows that synced while others wrote against the model: after it has synced once more it has to
    /// know everything.
    mutating func check(_ sync: DatabaseSync, draw: Int) throws {
        for name in ModelProgram.zones {
            let (known, present) = (sync.final.zones[name]?.records, knowledge.model.records(of: name))
            guard known == present else {
                throw TestFailure(
                    "a client that syncs has missed something in \(name), where there is \(present ?? [:]): \(sync)")
            }
        }
        count("sync")
        knowledge.remember(sync.final, draw: draw)
    }
}
