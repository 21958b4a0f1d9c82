internal import CloudKitModel
internal import RequestServing
internal import ServiceMessages

/// Matches changes with the subscriptions and publishes what they give.
struct Notifier: Sendable {
    /// Past so many records the changes of a batch are matched in several goes.
    private static let maxRecords = 1000

    let table: WatcherTable
    let matcher: QueryMatcher
    let outgoing: Outgoing
    let trouble: DatabaseTrouble

    /// Publishes one `zone.…` message for each change and one `user.…` message for each firing of a subscription, in the
    /// order of the changes, and returns when all are confirmed. One round trip to the database, and two more where query
    /// subscriptions ask for a changed record's type.
    ///
    /// - Throws: ``Withheld`` when the service is ending; `INTERNAL_ERROR` for a mistake of ours.
    func notify(_ changes: [ZoneChange]) async throws {
        // Zone and database subscriptions are about the custom zones of a private database.
        let zones = Set(
            changes.map(\.event.address).filter { $0.scope == "private" && $0.zone != .defaultZone })
        let watchers = try await trouble.outlast(deadline: nil) { try await table.watchers(of: Array(zones)) }
        var batch = Outgoing.Batch()
        var judged = WatcherRights.Judged()
        for changes in changes.matchedTogether(maxRecords: Self.maxRecords) {
            let candidates = try await matcher.candidates(in: changes)
            for (change, records) in zip(changes, candidates.records) {
                try await outgoing.add(change, to: &batch)
                for watcher in watchers[change.event.address] ?? [] where watcher.fires(for: change) {
                    try await outgoing.add(Firing(watcher: watcher, change: change, match: nil), to: &batch)
                }
                for record in records {
                    let match = Firing.Match(record: record.change, values: record.values)
                    try await matcher.eachFiring(for: change, record, among: candidates, &judged) { watcher in
                        try await outgoing.add(Firing(watcher: watcher, change: change, match: match), to: &batch)
                    }
                }
            }
        }
        try await outgoing.publish(&batch)
    }
}

extension [ZoneChange] {
    /// In pieces of at most so many records with values, a change at least.
    fileprivate func matchedTogether(maxRecords: Int) -> [[ZoneChange]] {
        var pieces: [[ZoneChange]] = []
        var room = 0
        for change in self {
            let count = change.records?.count { $0.record != nil } ?? 0
            if pieces.isEmpty || count > room {
                pieces.append([])
                room = maxRecords
            }
            pieces[pieces.count - 1].append(change)
            room -= count
        }
        return pieces
    }
}
