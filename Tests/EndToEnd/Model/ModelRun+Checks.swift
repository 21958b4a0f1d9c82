import TestSupport

extension ModelRun {
    /// Finds an order of a zone's messages that explains them, and continues from the state after them.
    mutating func explain(_ exchanges: [ModelExchange], in zone: String, by observation: FeedObservation) throws {
        let order = try Explanation.order(of: exchanges, from: knowledge.model, in: zone, by: observation)
        for step in order { replay(step.exchange) }
    }

    /// Compares a reading of a feed, during which others wrote, with the model. One more fetch from its end must have
    /// led to the current state.
    ///
    /// - Parameter isSettled: whether the zone was neither created nor deleted in the meantime.
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

    /// Compares an answer to a token of another zone with the model.
    mutating func check(_ answer: ForeignRead) throws {
        // The error depends on which problem the service finds first.
        let isMissing = !knowledge.model.zone(answer.zone).isThere
        guard answer.end == .foreign || isMissing && answer.end == .missing else {
            throw TestFailure("another zone's token at \(answer.zone): \(answer.end)")
        }
        count("foreign token")
    }

    /// Compares the state of a client that synced while others wrote with the model. After one more sync, the client
    /// must be up to date.
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
