import TestSupport

/// The content of a zone's feed after a round, since the previous round.
enum FeedObservation: Sendable {
    /// The zone does not exist.
    case missing
    /// The zone's changes in order. If the zone was created again, they start at its beginning.
    case changed([ModelItem], isMadeAgain: Bool)

    /// Returns whether the feed of `zone`, which was in the state `before` at the previous round, would show this.
    func shows(_ zone: ModelZone, since before: ModelZone) -> Bool {
        guard case .changed(let items, let isMadeAgain) = self else { return !zone.isThere }
        let isSame = before.isThere && before.incarnation == zone.incarnation
        guard zone.isThere, isMadeAgain != isSame else { return false }
        let known = isSame ? before : ModelZone()
        var missing = zone.changes.filter { known.changes[$0.key] != $0.value }
        let seen = zone.view(of: nil) ?? [:]
        var last = 0
        for item in items {
            // A reader that never knew a record may be informed of its deletion, but need not be.
            if missing[item.name] == nil, case .deleted = item, known.records[item.name] == nil { continue }
            // Each record appears once, in its newest state, in the order of the requests that changed the records.
            guard let change = missing.removeValue(forKey: item.name), change >= last,
                seen[item.name]?.filled(from: item.record) == item.record, item.error == nil
            else { return false }
            last = change
        }
        return missing.keys.allSatisfy { zone.records[$0] == nil && known.records[$0] == nil }
    }

    /// Reads the changes that are new to `known`.
    ///
    /// - Returns: the observation, and the copy after it.
    /// - Throws: ``TestFailure`` if the feed is refused.
    static func read(
        since known: ZoneCopy, as client: TestClient
    ) async throws -> (copy: ZoneCopy, observation: FeedObservation) {
        var (copy, items) = (known, [ModelItem]())
        switch try await copy.fetch(as: client, page: { _, page, _ in items += page }) {
        case .reached: return (copy, .changed(items, isMadeAgain: known.token == nil))
        case .missing: return (ZoneCopy(of: known.zone), .missing)
        case .expired where known.token != nil: return try await read(since: ZoneCopy(of: known.zone), as: client)
        case .refused(let reasonCode): throw TestFailure("the feed of \(known.zone) is refused: \(reasonCode)")
        }
    }
}
